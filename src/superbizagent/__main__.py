"""The entry of the `sba` script and of `python -m superbizagent`: signals first, and only then the product's imports.

Decides nothing else. A Ctrl-C while modules are still being imported ends with a sentence, not with a traceback; what
comes before this module's first line (the interpreter's own start) is the interpreter's.
"""

import os

try:
    from superbizagent.cli.interrupts import watch
except KeyboardInterrupt:
    os.write(2, b"sba: interrupted\n")
    os._exit(130)


def main() -> None:
    """The console script."""
    watch()
    from superbizagent.cli import main as commands

    commands.main()


if __name__ == "__main__":
    main()
