"""Expressions: operators, their operands, calls with their special syntax, windows."""

from .expression import ExpressionParser
from .operand import CLOCK_FUNCTIONS, VALUE_FUNCTIONS

__all__ = ["CLOCK_FUNCTIONS", "VALUE_FUNCTIONS", "ExpressionParser"]
