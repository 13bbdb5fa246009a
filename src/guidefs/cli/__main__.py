"""The command line as a module: `python -m guidefs.cli`."""

from __future__ import annotations

import sys

from guidefs.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
