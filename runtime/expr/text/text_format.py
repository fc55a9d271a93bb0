"""Text input and output of values: PostgreSQL's formats, for casts, the wire protocol, COPY and file formats."""

from .text_input import from_text
from .text_output import to_text

__all__ = ["from_text", "to_text"]
