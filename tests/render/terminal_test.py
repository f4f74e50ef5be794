#!/usr/bin/env python3
"""Failed tasks are visible at every zoom, and rows have the same order as in other pictures. On a
terminal with few lines `skein show` draws the rows with the most activity, in that order, and each
counter in a separate colour."""
import fcntl
import html
import json
import os
import pathlib
import pty
import re
import struct
import tempfile
import termios

from pictures import SKEIN, generate, skein

COLUMNS, LINES = 100, 24
STRETCH = "--from", "1s", "--to", "1.01s"  # most of the first rows only wait then
THERE = re.compile("[^ ━┊─]")  # cells of a row with activity or text


FAILED = re.compile("[✗╍]")
RED = re.compile("\x1b\\[[0-9;]*[34]8;5;203m|\x1b\\[48;5;203;")  # as foreground or background


def on_terminal(path):
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        os.execve(SKEIN, [SKEIN, "show", *STRETCH, str(path)], dict(os.environ, TERM="xterm-256color"))
    data = b""
    try:
        while piece := os.read(terminal, 65536):
            data += piece
    except OSError:  # end of output, on Linux
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, data
    return data.decode().replace("\r", "").splitlines()


def plain(line):
    return re.sub("\x1b\\[[0-9;]*m", "", line)


def parts(run):
    """Returns the picture and its legend."""
    assert run.returncode == 0, run
    picture, legend = re.split("\n(?=[^\n]*━ [^\n]*task, waiting)", run.stdout.decode())
    return picture, plain(legend)


def check_failures(path):
    """A failed task is visible, however small it is and whatever else is in its cell."""
    events = [json.loads(line) for line in skein("dump", "--json", path).stdout.splitlines()]
    fails = [event["time"] for event in events if event["event"] == "fail"]
    end = events[-1]["time"]
    assert fails, path
    for fail in fails[:4]:
        for wide in (end, end // 10, 40_000_000, 3_000_000, 100_000):
            for width in (60, 160):
                begin = max(0, fail - wide // 3)
                stretch = ("--from", f"{begin}ns", "--to", f"{begin + wide}ns", "--width", width)
                picture, legend = parts(skein("show", *stretch, path))
                assert FAILED.search(picture), (fail, stretch, picture)
                assert "failed or stuck" in legend, legend
                picture, legend = parts(skein("show", "--colour=always", *stretch, path, env=COLOURS))
                assert RED.search(picture), (fail, stretch, picture)
                assert "failed or stuck" in legend, legend


def check_order(path, folder, *stretch):
    """The bars at the left edge have the same names in the same order as in the SVG."""
    svg = folder / "order.svg"
    assert skein("render", path, *stretch, "-o", svg, "--height", 1900).returncode == 0
    there = [html.unescape(text) for text in
             re.findall(r'<text class="s\d+" x="3" y="[^"]+">([^<]*)', svg.read_text())]
    picture, _ = parts(skein("show", path, *stretch, "--width", 150))
    here = [re.split("[━┯┿┷█▏▎▍▌▋▊▉▐▕▲▼…]", line[1:])[0]
            for line in picture.splitlines()[3:] if line[0] in "━┯┿┷█"]
    here = [name for name in here if name]
    assert len(here) >= 5, here
    left = iter(there)
    assert all(any(other.startswith(name) for other in left) for name in here), (here, there)


def check_legend(path, *stretch):
    """The legend explains exactly the contents of the picture; with colours, each kind of arrow."""
    picture, legend = parts(skein("show", path, *stretch))
    rows = "\n".join(picture.splitlines()[3:])
    for sign, text in ("[✗╍]", "failed or stuck"), ("·", "asleep"), ("▒", "paused"), \
            ("═", "match"), ("[█▉▊▋▌▍▎▏▐▕]", "running"), ("[▲▼]", "result read"):
        assert bool(re.search(sign, rows)) == (text in legend), (sign, stretch, legend)
    _, coloured = parts(skein("show", path, *stretch, "--colour=always"))
    assert coloured.count("▲▼") > legend.count("▲▼") == 1, (coloured, legend)


COLOURS = dict(os.environ, COLORTERM="")

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

    check_failures(trace)
    check_order(trace, pathlib.Path(name), *STRETCH)
    check_legend(trace, *STRETCH)
    check_legend(trace, *STRETCH, "--select", "ring.write")
    check_legend(trace)
    net = pathlib.Path(os.environ.get("SKEIN_DATA", pathlib.Path(__file__).parents[2] / "../shared/data")) / "net.ctf"
    if net.exists():
        before = skein("show", net, "--to", "1ms").stdout.decode()  # before its first value
        assert "─gntref" in before and "─tcp-to-ip" not in before, before
        assert "─tcp-to-ip" in skein("show", net).stdout.decode()
        check_failures(net)
        check_order(net, pathlib.Path(name), "--from", "86ms", "--to", "92ms")
