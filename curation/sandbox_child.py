"""The sandbox's inner side: shuts itself off from the network, limits itself, becomes the command.

Run as a script, `python -I sandbox_child.py STATUS_FD LIMITS COMMAND…`, so that nothing happens
between fork and exec of a process with threads. What keeps it from starting the command is
written to STATUS_FD; nothing is, once the command runs. Only the standard library is imported.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Callable

_NEW_USER, _NEW_PID, _NEW_NET = 0x10000000, 0x20000000, 0x40000000  # linux/sched.h
_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES = 1, 38  # linux/prctl.h


def main(arguments: list[str]) -> int:
    """Return the command's exit code, 128 + signal where one ended it."""
    status = int(arguments[0])
    try:
        os.set_inheritable(status, False)
        _shut_off()
    except OSError as error:
        os.write(status, f"no network namespace is permitted here: {error}".encode())
        return 1
    return _wait_for(_fork(lambda: _first_process(status, arguments[1], arguments[2:])))


def _shut_off() -> None:
    """Enter new namespaces without a network, with no right over anything outside them.

    What is forked next is the first process of its own process namespace: as it ends, so does
    every process that it left, whatever group or session that went to (pid_namespaces(7)).
    """
    user, group = os.geteuid(), os.getegid()
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(_NEW_USER | _NEW_PID | _NEW_NET) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _first_process(status: int, limits: str, command: list[str]) -> int:
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    return _wait_for(_fork(lambda: _become(status, limits, command)))


def _become(status: int, limits: str, command: list[str]) -> int:
    try:
        for name, value in json.loads(limits).items():
            resource.setrlimit(getattr(resource, name), (value, value))
        os.execvp(command[0], command)  # noqa: S606 - an argument list, no shell
    except (OSError, ValueError) as error:
        os.write(status, f"{command[0]!r} cannot be started: {error}".encode())
    return 127


def _fork(act: Callable[[], int]) -> int:
    process = os.fork()
    if process == 0:
        os._exit(act())
    return process


def _wait_for(process: int) -> int:
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
