#!/usr/bin/env python3
"""Cut at 20 places, 10 holes of zeros, 60 flipped bytes: what is left is drawn, a viewer can be used
on it, and what was lost is said. PNG and PDF are made of every sixth: they get the same draw list."""
import json
import pathlib
import subprocess
import sys
import tempfile

from damages import write_damaged
from pictures import CHECKS, check_terminal, generate, has_png, skein


use_viewer = sys.argv[3]


def check_images(path, out, what):
    for form in "png", "pdf":
        run = skein("render", path, "-o", out / f"x.{form}", "--width", 600, "--height", 400)
        assert run.returncode == 0, (what, run)
        CHECKS[form]((out / f"x.{form}").read_bytes(), what)


def check(path, out, what):
    svg = skein("render", path, "-o", out / "x.svg", "--width", 600, "--height", 400)
    assert svg.returncode == 0, (what, svg)
    CHECKS["svg"]((out / "x.svg").read_bytes(), what)
    show = skein("show", path, "--width", 60)
    assert show.returncode == 0, (what, show)
    check_terminal(show.stdout, 60, what)
    lost = json.loads(skein("info", "--json", path).stdout)["lost"]
    for run in (svg, show):
        assert (b": lost: " in run.stderr) == bool(lost), (what, run.stderr, lost)
        assert run.stderr.count(b"\n") <= 7, (what, run.stderr)
        assert all(line.startswith(b"skein: ") for line in run.stderr.splitlines()), run.stderr
    return bool(lost)


def main():
    with tempfile.TemporaryDirectory(prefix="skein-render-") as name:
        here = pathlib.Path(name)
        whole = here / "whole.ctf"
        generate(whole, "--events", 3000, "--packet-size", 16384)
        assert not check(whole, here, "whole")
        told = 0
        copies = []
        for number, (what, damaged) in enumerate(write_damaged(whole, here)):
            copies.append(damaged)
            told += check(damaged, here, what)
            if number % 6 == 0 and has_png():
                check_images(damaged, here, what)
        assert told >= 20, told
        subprocess.run([use_viewer, *copies], check=True, stdout=subprocess.DEVNULL, timeout=120)

        # Nothing is left at all.
        for count in (0, 1):
            generate(whole, "--events", count)
            for form in ["svg", "png", "pdf"] if has_png() else ["svg"]:
                run = skein("render", whole, "-o", here / f"x.{form}")
                assert run.returncode == 0, (count, run)
                CHECKS[form]((here / f"x.{form}").read_bytes(), count)
            run = skein("show", whole)
            assert run.returncode == 0 and (b"no event" in run.stderr) == (count == 0), run


main()
