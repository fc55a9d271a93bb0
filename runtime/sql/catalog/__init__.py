"""The catalog as planning sees it: a `CatalogView` of objects and privileges, name resolution, the system relations' columns."""
