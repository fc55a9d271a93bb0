"""The plan cache: statements planned before, also those that differ only in their literals (auto-parameterization)."""
