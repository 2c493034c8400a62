"""``python -m driftline``: the program."""

from __future__ import annotations

import os
import subprocess
import sys

from driftline import _program


def main() -> int:
    command = [str(_program.path()), *sys.argv[1:]]
    if sys.platform == "win32":
        return subprocess.run(command, check=False).returncode
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main())
