"""Which words may not name a column or a table unquoted: PostgreSQL's keyword classes."""

from __future__ import annotations

RESERVED = frozenset(
    ["all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "both", "case", "cast", "check", "collate", "column", "constraint", "create", "current_catalog", "current_date", "current_role", "current_time", "current_timestamp", "current_user", "default", "deferrable", "desc", "distinct", "do", "else", "end", "except", "false", "fetch", "for", "foreign", "from", "grant", "group", "having", "in", "initially", "intersect", "into", "lateral", "leading", "limit", "localtime", "localtimestamp", "not", "null", "offset", "on", "only", "or", "order", "placing", "primary", "references", "returning", "select", "session_user", "some", "symmetric", "system_user", "table", "then", "to", "trailing", "true", "union", "unique", "user", "using", "variadic", "when", "where", "window", "with", "qualify"]
)
"""Reserved words: neither a column nor a table nor a function has such a name unquoted."""

TYPE_OR_FUNCTION = frozenset(
    ["authorization", "binary", "collation", "concurrently", "cross", "current_schema", "freeze", "full", "ilike", "inner", "is", "isnull", "join", "left", "like", "natural", "notnull", "outer", "overlaps", "right", "similar", "tablesample", "verbose"]
)
"""May name a function or a type, never a column or a table."""

NEEDS_AS = frozenset(
    ["array", "as", "char", "character", "create", "day", "except", "fetch", "filter", "for", "from", "grant", "group", "having", "hour", "intersect", "into", "isnull", "limit", "minute", "month", "notnull", "offset", "on", "order", "over", "overlaps", "precision", "returning", "second", "time", "timestamp", "to", "union", "varchar", "varying", "where", "window", "with", "within", "without", "year", "and", "or", "not", "in", "is", "like", "ilike", "between", "similar", "collate", "qualify"]
)
"""A bare label of a select item is none of these: they need AS."""
