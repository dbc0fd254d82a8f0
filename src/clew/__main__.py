"""What does `python -m clew` do? The same as the command `clew`."""

import sys

from clew.interfaces.cli.main import main

sys.exit(main())
