"""Columns: Arrow arrays as numpy arrays and back, with the errors of single rows beside them."""
