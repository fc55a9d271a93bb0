"""Functions: kernels by family of types; `catalog` has all of them by name."""
