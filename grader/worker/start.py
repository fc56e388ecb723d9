"""The start of a zygote: the namespaces first, while this process is small, and the large imports after.

The process that enters them stays outside for as long as the zygote lives, so what it had imported would be held twice.
"""

from __future__ import annotations

import sys

from .. import environment
from ..isolation.linux.ladder import Sandbox
from ..isolation.linux.scratch import remove


def main(control_fd: int, folder: str, mode: str, rungs: list[str]) -> None:
    """Be a zygote. control_fd: descriptor of the socket to the judge; the rest as for `zygote.Zygote` and Sandbox."""
    sandbox = Sandbox(environment.COURSE, tuple(rungs))
    from . import zygote

    zygote.serve(control_fd, folder, mode, sandbox)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
    except BrokenPipeError:  # the judge ended while the zygote prepared itself
        pass
    finally:
        remove(sys.argv[2])  # the judge removes it too, unless it was killed
