#!/usr/bin/env python3
"""On a terminal with few lines `skein show` draws the rows in which most happens, in their order,
and each counter in a colour of its own."""
import fcntl
import os
import pathlib
import pty
import re
import struct
import tempfile
import termios

from pictures import SKEIN, generate, skein

COLUMNS, LINES = 100, 24
STRETCH = "--from", "1s", "--to", "1.01s"  # in which most of the first rows only wait
THERE = re.compile("[^ ━┊─]")  # of a row, where something happens or is said


def on_terminal(path):
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        os.execve(SKEIN, [SKEIN, "show", *STRETCH, str(path)], dict(os.environ, TERM="xterm-256color"))
    data = b""
    try:
        while piece := os.read(terminal, 65536):
            data += piece
    except OSError:  # the end, on Linux
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, data
    return data.decode().replace("\r", "").splitlines()


def plain(line):
    return re.sub("\x1b\\[[0-9;]*m", "", line)


with tempfile.TemporaryDirectory(prefix="skein-render-") as name:
    trace = pathlib.Path(name) / "x.ctf"
    generate(trace, "--events", 10000)
    shown = on_terminal(trace)
    assert len(shown) < LINES, shown
    strips = [i for i, line in enumerate(shown) if plain(line).startswith("─")]
    assert len(strips) == 2, shown
    colours = [re.match("\x1b\\[[^m]*m─?(?:\x1b\\[[^m]*m)*", shown[i])[0] for i in strips]
    assert colours[0] != colours[1], colours

    rows = [plain(line) for line in shown[3:strips[0]]]
    whole = skein("show", "--all", *STRETCH, "--width", COLUMNS, trace).stdout.decode().splitlines()
    first = whole[3:3 + len(rows)]
    count = [sum(len(THERE.findall(row)) for row in some) for some in (rows, first)]
    assert count[0] > count[1], count
    assert "more rows" in "\n".join(map(plain, shown)), shown
