#!/usr/bin/env python3
"""Time ranges, searches, several traces, and usage errors."""
import os
import pathlib
import pty
import resource
import shutil
import signal
import tempfile

from pictures import CHECKS, SKEIN, check_png, generate, has_png, skein


def refused(code, part, *arguments):
    run = skein(*arguments)
    assert run.returncode == code, (arguments, run)
    assert run.stdout == b"", run
    assert run.stderr.startswith(b"skein: ") and run.stderr.count(b"\n") == 1, run.stderr
    assert part.encode() in run.stderr, (part, run.stderr)


def shown(*arguments, **environment):
    run = skein("show", *arguments, env=dict(os.environ, **environment))
    assert run.returncode == 0, run
    return run.stdout.decode()


def on_terminal(*arguments, **environment):
    """Returns the output on a terminal of 24 lines by 80 characters."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.pop("NO_COLOR", None)
        os.environ.update(environment)
        os.execv(SKEIN, [SKEIN, *map(str, arguments)])
    out = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, out
    os.close(terminal)
    return out.decode()


def no_large_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def pictures(here, trace, svg):
    def picture(*arguments):
        run = skein("render", *arguments, "-o", svg)
        assert run.returncode == 0 and run.stdout == b"" and run.stderr == b"", run
        CHECKS["svg"](svg.read_bytes(), arguments)
        return svg.read_text()

    whole = picture(trace)
    assert 'width="1500" height="900"' in whole and "<title>trace.ctf</title>" in whole
    assert 'width="640" height="480"' in picture(trace, "--width", 640, "--height", 480)
    assert "10.0 ms visible" in picture(trace, "--from", "5ms", "--to", "15ms")
    assert picture(trace, "--from", "0.005", "--to", "15000us") == \
        picture(trace, "--from", "5 ms", "--to", "15000000ns")
    assert picture(trace, "--theme", "dark") != whole
    highlight = "#ffd83d"
    assert highlight not in whole
    found = picture(trace, "--select", "ring.write")
    assert highlight in found
    assert "2.00 ms visible" in picture(trace, "--select", "ring.write", "--from", "1ms",
                                         "--to", "3ms")
    both = picture(trace, trace)
    assert ">trace.ctf</text>" in both and ">trace.ctf (2)</text>" in both, "each trace has its title"

    if has_png():
        for form in ("png", "pdf", "PNG"):
            run = skein("render", trace, "--width", 333, "--height", 222, "-o",
                        here / f"x.{form}")
            assert run.returncode == 0, run
            data = (here / f"x.{form}").read_bytes()
            if form != "pdf":
                assert check_png(data, form) == (333, 222)
    else:
        refused(2, "without cairo", "render", trace, "-o", here / "x.png")


def refusals(here, trace, svg):
    refused(2, "ends with .svg", "render", trace, "-o", here / "x.jpg")
    refused(2, "No such file", "render", trace, "-o", here / "no" / "x.svg")
    refused(2, "not a time", "render", trace, "-o", svg, "--from", "5 parsecs")
    refused(2, "not a time", "show", trace, "--to", "nan")
    refused(2, "not a time", "show", trace, "--to", "1e999s")
    refused(2, "not before", "show", trace, "--from", "2s", "--to", "1s")
    refused(2, "ends at", "show", trace, "--from", "1000s")
    refused(2, "begins at", "show", trace, "--to=-5s")
    refused(2, "--from -1ns: the trace begins at 0 ns", "show", trace, "--from", "-1ns")
    refused(2, "'pink'", "show", trace, "--theme", "pink")
    refused(1, "'no-such-task'", "show", trace, "--select", "no-such-task")
    refused(1, "no-such-task", "show", trace, "--critical-path", "no-such-task")
    refused(2, "missing", "show", here / "missing")
    refused(2, "width", "render", trace, "-o", svg, "--width", "0")
    # The input is never overwritten, under any name.
    before, ours = trace.read_bytes(), here / "ours"
    shutil.copytree(pathlib.Path(__file__).parents[1] / "data/skein/every-event", ours)
    (here / "link.svg").symlink_to(trace)
    refused(2, "the trace itself", "render", trace, "-o", here / "link.svg")
    refused(2, "inside the trace directory", "render", ours, "-o", ours / "x.svg")
    assert trace.read_bytes() == before and not (ours / "x.svg").exists()
    # If writing fails, the old file is unchanged, and no temporary file remains.
    kept = svg.read_bytes()
    full = skein("render", trace, "-o", svg, preexec_fn=no_large_files)
    assert full.returncode == 2 and b"File too large" in full.stderr, full
    assert svg.read_bytes() == kept and not list(here.glob("x.svg.*"))
    refused(2, "only once", "render", "-", "-", "-o", svg)
    refused(2, "not a number of pixels", "render", trace, "-o", svg, "--width", "nan")
    if has_png():
        refused(2, "pixels", "render", trace, "-o", here / "x.png", "--width", 32767, "--height", 32767)
    refused(2, "width", "render", trace, "-o", svg, "--width", "1000000")


def in_terminal(trace):
    plain = shown(trace)
    assert "\x1b" not in plain and max(map(len, plain.splitlines())) == 80
    assert max(map(len, shown(trace, COLUMNS="123").splitlines())) == 123
    assert max(map(len, shown(trace, "--width", 50, COLUMNS="123").splitlines())) == 50
    assert "\x1b[48;5;" in shown(trace, "--color", "always", COLORTERM="")
    assert "\x1b[48;2;" in shown(trace, "--color", "always", COLORTERM="truecolor")
    few = shown(trace, "--from", "5ms", "--to", "5.1ms")
    assert len(few.splitlines()) < len(plain.splitlines()), "only tasks of that time have rows"

    for_person = on_terminal("show", trace, TERM="xterm", LINES="24", COLUMNS="80")
    assert "\x1b[" in for_person
    assert for_person.count("\n") <= 24 and "more rows; --all" in for_person
    everything = on_terminal("show", trace, "--all", TERM="xterm", LINES="24", COLUMNS="80")
    assert everything.count("\n") == plain.count("\n")
    assert "\x1b[" not in on_terminal("show", trace, TERM="xterm", NO_COLOR="1")
    assert "\x1b[" not in on_terminal("show", trace, TERM="dumb")


def main():
    with tempfile.TemporaryDirectory(prefix="skein-render-") as name:
        here = pathlib.Path(name)
        trace, svg = here / "trace.ctf", here / "x.svg"
        generate(trace, "--events", 3000)
        pictures(here, trace, svg)
        refusals(here, trace, svg)
        in_terminal(trace)


main()
