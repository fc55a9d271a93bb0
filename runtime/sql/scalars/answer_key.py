"""The key by which the answer of a subquery is known that is computed once for a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax import ast

if TYPE_CHECKING:
    pass

AnswerKey = tuple[int, int, bool]
"""A subquery of the statement: the identity of its query and of what is compared with it, and whether it is negated."""


def answer_key(node: ast.Subquery | ast.InQuery | ast.Quantified) -> AnswerKey:
    match node:
        case ast.Subquery(query=query):
            return id(query), 0, False
        case ast.InQuery(arg=arg, query=query, negated=negated):
            return id(query), id(arg), negated
        case ast.Quantified(left=left, right=right):
            return id(right), id(left), False
