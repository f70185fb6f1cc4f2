"""Runs a module as long as the process that asked for it lives: bound PARENT_PID MODULE [flags]

A sweep that is killed must not leave a run behind that goes on, holds the GPU and writes into a
folder that the continued sweep uses again.
"""

import ctypes
import os
import runpy
import signal
import sys

_PR_SET_PDEATHSIG = 1  # Linux: <sys/prctl.h>


def main(parent, module, *flags):
    """Runs `module` as `python -m` does; the kernel kills this process when `parent` ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != int(parent):  # it has ended already
            return
    sys.argv = [module, *flags]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
