"""How the commands take their arguments."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand


class Command(TyperCommand):
    """An option that is given twice is refused, and so is an empty text in the place of a value: a script's variable was not set."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given, _, order = self.make_parser(ctx).parse_args(args=list(args))
        parameter: Any
        for parameter in order:
            is_option = parameter.param_type_name == "option"
            if is_option and not parameter.multiple and not parameter.is_eager and order.count(parameter) > 1:
                raise typer.BadParameter("it is given more than once.", ctx=ctx, param=parameter)
            value = given.get(parameter.name)
            if "" in (value if isinstance(value, list | tuple) else [value]):
                raise typer.BadParameter("it is empty.", ctx=ctx, param=parameter)
        return super().parse_args(ctx, args)
