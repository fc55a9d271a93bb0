"""`python -m ptvc`: the same as the `ptvc` command."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        sys.path.pop(0)  # the folder that it was started in: a types.py there is none of ours
    from .cli import main

    main()
