"""Formats of messages: payloads to columns, in this process."""

from .payloads import FormatResult, run_formats

__all__ = ["FormatResult", "run_formats"]
