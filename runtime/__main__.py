"""`python -m ptvc`: the same as the `ptvc` command."""

from .cli import main

if __name__ == "__main__":
    main()
