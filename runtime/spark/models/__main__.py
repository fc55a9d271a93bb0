"""`python -m ptvc.spark.models FD DIRECTORY`"""

import sys
from pathlib import Path

from .main import main

if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
