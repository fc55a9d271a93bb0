"""Table functions: kernels that return any number of rows for each row of arguments."""
