"""Sources over the tables of a database: contents first, then its transactions; what is common to all kinds of databases."""
