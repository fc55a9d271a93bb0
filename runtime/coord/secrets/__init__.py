"""Secrets at rest: keys, and what they seal.

A value is in plain text from the statement that holds it to `SealedValue`, and from there again to the client of a connection that
is opened; the catalog, and with it every store and every backup of one, has what is sealed only.
"""
