#!/usr/bin/env python3
"""Labels that are scripts, escape sequences, direction overrides, invalid UTF-8, or a mebibyte
long, in every output format."""
import pathlib
import tempfile

from hostile_trace import LABELS, trace
from pictures import CHECKS, check_terminal, generate, has_png, skein


def main():
    formats = ["svg", "png", "pdf"] if has_png() else ["svg"]
    with tempfile.TemporaryDirectory(prefix="skein-render-") as name:
        here = pathlib.Path(name)
        traces = [here / "hand.ctf", here / "generated.ctf", here / "<script>\x1b[31m&\"\u202e.ctf"]
        traces[0].write_bytes(trace(LABELS))
        generate(traces[1], "--events", 3000, "--hostile-labels")
        traces[2].write_bytes(trace(LABELS[:2]))
        for path in traces:
            for form in formats:
                for options in ([], ["--height", "2500"], ["--select", "<"], ["--theme", "dark"]):
                    out = here / f"out.{form}"
                    run = skein("render", path, *options, "-o", out)
                    assert run.returncode == 0, (path, options, run)
                    assert b"\x1b" not in run.stderr, run.stderr
                    CHECKS[form](out.read_bytes(), (path, form, options))
                    out.unlink()
            for columns in (20, 80, 200):
                for colour in ("never", "always"):
                    run = skein("show", "--width", columns, "--colour", colour, path)
                    assert run.returncode == 0, (path, run)
                    lines = check_terminal(run.stdout, columns, (path, columns, colour))
                    assert any("\x1b" in line for line in lines) == (colour == "always")

        # Both traces together: their titles are untrusted text, too.
        svg = here / "both.svg"
        run = skein("render", *traces, "-o", svg)
        assert run.returncode == 0, run
        CHECKS["svg"](svg.read_bytes(), "both")
        assert svg.stat().st_size < 4 << 20, "a mebibyte of label was not cut"


main()
