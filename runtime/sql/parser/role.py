"""CREATE, ALTER and DROP ROLE, and memberships: GRANT and REVOKE of roles."""

from __future__ import annotations

from ...errors import RedundantOption, SqlSyntaxError, Unsupported
from ..syntax import role_statements as plans
from ..syntax.role_statements import RoleFlag, RoleSpec, RoleWord
from .lexer import TokenKind
from .token_cursor import Cursor

KINDS = ("role", "user", "group")
_GROUPS = {"in": "in role", "role": "role", "user": "role", "admin": "admin"}
_FLAGS = {flag.value: flag for flag in RoleFlag}
_WORDS = {
    "current_user": RoleWord.CURRENT,
    "current_role": RoleWord.CURRENT,
    "session_user": RoleWord.SESSION,
}
_MEANINGLESS = {
    "replication": "There are no connections for replication.",
    "bypassrls": "There is no row security.",
}
MEMBERSHIP_OPTIONS = ("admin", "inherit", "set")


class RoleParser(Cursor):
    def role_spec(self, *, public: bool = False) -> RoleSpec:
        """A role's name, or a word for one; PUBLIC only where it means something."""
        token = self.token
        if token.value == "public" and public and token.kind in (TokenKind.NAME, TokenKind.QUOTED):
            self.advance()  # in quotes, too, as in PostgreSQL
            return RoleSpec(RoleWord.PUBLIC, token.position)
        if token.kind is TokenKind.NAME and token.value in _WORDS:
            self.advance()
            return RoleSpec(_WORDS[token.value], token.position)
        return RoleSpec(self._role_name(), token.position)

    def _role_name(self) -> str:
        token = self.token
        name = self.identifier()
        if name in ("public", "none"):
            raise SqlSyntaxError(f'role name "{name}" is reserved', sqlstate="42939", position=token.position)
        return name

    def create_role(self, kind: str) -> plans.CreateRole:
        """What stands behind CREATE ROLE | USER | GROUP."""
        name = self._role_name()
        self.accept_words("with")
        flags: dict[RoleFlag, bool] = {RoleFlag.LOGIN: True} if kind == "user" else {}
        given: set[str] = set()
        password: str | None = None
        groups: dict[str, tuple[RoleSpec, ...]] = {}
        while self.token.kind is TokenKind.NAME:
            position = self.token.position
            if self.at_any(*_GROUPS):
                word = self.advance().value
                if word == "in" and self.accept_any("role", "group") is None:
                    self.fail()
                _give(given, _GROUPS[word], position)
                groups[_GROUPS[word]] = self.comma_list(self.role_spec)
                continue
            what, value = self._role_option(given)
            if what == "password":
                password = value if isinstance(value, str) else None
            elif what in _FLAGS:
                flags[_FLAGS[what]] = bool(value)
        of, members, admins = (groups.get(group, ()) for group in ("in role", "role", "admin"))
        return plans.CreateRole(name, flags, password, of, members, admins)

    def alter_role(self) -> plans.RoleDefinition:
        """What stands behind ALTER ROLE | USER."""
        role = self.role_spec()
        if self.accept_words("rename", "to"):
            return plans.RenameRole(role, self._role_name())
        if self.at_word("in"):
            raise Unsupported(
                "settings of a role in one database are not supported",
                hint="There is one database: leave IN DATABASE out.",
                position=self.token.position,
            )
        if self.accept_words("set"):
            name = ".".join(self.qualified())
            if not self.accept_words("to"):
                self.expect_symbol("=")
            return plans.AlterRoleSetting(role, name, self._role_setting())
        if self.accept_words("reset"):
            name = ".".join(self.qualified())
            return plans.AlterRoleSetting(role, None if name == "all" else name, None)
        self.accept_words("with")
        flags: dict[RoleFlag, bool] = {}
        has_password, password = False, None
        given: set[str] = set()
        while self.token.kind is TokenKind.NAME:
            what, value = self._role_option(given)
            if what == "password":
                has_password, password = True, value if isinstance(value, str) else None
            elif what in _FLAGS:
                flags[_FLAGS[what]] = bool(value)
        return plans.AlterRole(role, flags, has_password, password)

    def _role_setting(self) -> str | None:
        if self.accept_words("default"):
            return None
        return ", ".join(self.comma_list(self._role_setting_part))

    def _role_setting_part(self) -> str:
        if self.token.kind in (TokenKind.STRING, TokenKind.INTEGER, TokenKind.DECIMAL):
            return self.advance().value
        return self.label()

    def _role_option(self, given: set[str]) -> tuple[str, bool | str | None]:
        """An option's name without NO, and whether it is (a password: what it is, None for NULL); `given` are those before it."""
        position = self.token.position
        name, value = self._read_role_option()
        if name != "sysid":  # which says nothing, as often as it may
            _give(given, name, position)
        return name, value

    def _read_role_option(self) -> tuple[str, bool | str | None]:
        token = self.token
        word = self.advance().value
        if word == "encrypted" and self.at_word("password"):
            word = self.advance().value
        if word == "password":
            return word, None if self.accept_words("null") else self.string()
        if word == "connection":
            self.expect_words("limit")
            negative = self.accept_symbol("-")
            if not (negative and self.advance().value == "1"):
                raise Unsupported(
                    "CONNECTION LIMIT of a role is not supported",
                    hint="max_connections limits those of all roles together.",
                    position=token.position,
                )
            return word, None
        if word == "valid":
            self.expect_words("until")
            if self.string() != "infinity":
                raise Unsupported(
                    "VALID UNTIL is not supported: passwords do not expire", position=token.position
                )
            return word, None
        if word == "sysid":
            self.advance()
            return word, None
        value = not word.startswith("no")
        name = word if value else word[2:]
        if name in _MEANINGLESS and value:
            raise Unsupported(
                f"{word.upper()} is not supported", hint=_MEANINGLESS[name], position=token.position
            )
        if name not in _FLAGS and name not in _MEANINGLESS:
            raise SqlSyntaxError(f'unrecognized role option "{word}"', position=token.position)
        return name, value

    def drop_roles(self, if_exists: bool) -> plans.DropRoles:
        return plans.DropRoles(self.comma_list(self.role_spec), if_exists)

    # --- memberships ---

    def grant_roles(self) -> plans.GrantRoles:
        """What stands behind GRANT where no ON follows: `role, ... TO role, ...`."""
        roles = self.comma_list(self.role_spec)
        self.expect_words("to")
        members = self.comma_list(self.role_spec)
        options: dict[str, bool] = {}
        if self.accept_words("with"):
            while True:
                word = self.accept_any(*MEMBERSHIP_OPTIONS)
                if word is None:
                    self.fail()
                value = self.accept_any("option", "true", "false")
                if value is None:
                    self.fail()
                options[word] = value != "false"
                if not self.accept_symbol(","):
                    break
        self.granted_by()
        return plans.GrantRoles(roles, members, options)

    def revoke_roles(self) -> plans.RevokeRoles:
        option = None
        if self.at_any(*MEMBERSHIP_OPTIONS) and self.peek().value == "option":
            option = self.advance().value
            self.expect_words("option", "for")
        roles = self.comma_list(self.role_spec)
        self.expect_words("from")
        members = self.comma_list(self.role_spec)
        self.granted_by()
        cascade = self.accept_any("cascade", "restrict") == "cascade"
        return plans.RevokeRoles(roles, members, option, cascade)

    def granted_by(self) -> None:
        """GRANTED BY may say who does it in any case."""
        if self.accept_words("granted", "by"):
            spec = self.role_spec()
            if spec.name is not RoleWord.CURRENT:
                raise Unsupported(
                    "GRANTED BY another role is not supported",
                    hint="SET ROLE first.",
                    position=spec.position,
                )


def _give(given: set[str], name: str, position: int) -> None:
    if name in given:
        raise RedundantOption(name, position=position)
    given.add(name)
