"""Rewriting of relations: an ordered list of rules, each a function from relation to relation."""
