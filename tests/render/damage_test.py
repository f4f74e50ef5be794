#!/usr/bin/env python3
"""Cut at 20 places, 10 holes of zeros, 60 flipped bytes, in a file of mirage-profile's and in those of
a directory of ours: the rest is drawn, a viewer can be used on it, and losses are reported. PNG
and PDF are made of every sixth: they get the same draw list."""
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
    for run in (svg, show):
        check_losses(run.stderr.decode(), said(path), what)


def said(path):
    return json.loads(skein("info", "--json", path).stdout)


def check_losses(stderr, info, what):
    """Each is reported, or the number of others."""
    lines = stderr.splitlines()
    assert all(line.startswith("skein: ") for line in lines), (what, lines)
    if info["events"] == 0:
        assert "no events; was recording enabled?" in lines.pop(), (what, stderr)
    most, lost = 5, info["lost"]
    if len(lost) > most:
        assert f": and {len(lost) - most} more losses" in lines.pop(), (what, stderr)
    assert len(lines) == len(lost[:most]), (what, lines, lost)
    for line, loss in zip(lines, lost):
        assert ": lost: " in line and f"{loss['reason']}" in line, (what, line, loss)
        assert loss["offset"] == 0 or f"byte {loss['offset']:,}: " in line, (what, line, loss)


def check_damaged(whole, folder, out):
    """All of them, and the losses that must be reported: whatever a cut or a hole changed, and whatever made
    events fewer. (Another number where one was, by one byte, cannot be seen.)"""
    before, events = said(whole), skein("dump", "--json", whole).stdout
    copies = []
    told = {"cut": 0, "hole": 0, "flip": 0}
    for number, (what, damaged) in enumerate(write_damaged(whole, folder)):
        copies.append(damaged)
        kind, _, length, _ = what[-4:]
        one_byte = kind != "cut" and length == 1
        check(damaged, out, what)
        if number % 6 == 0 and has_png():
            check_images(damaged, out, what)
        after = said(damaged)
        tells = after["lost"] != before["lost"]
        if after["events"] < before["events"]:
            assert tells, (what, after)
        elif not one_byte:
            same = skein("dump", "--json", damaged).stdout == events
            assert same or tells, (what, after)
        told[kind] += tells
    assert len(copies) == 90 and all(told.values()), told
    subprocess.run([use_viewer, *copies], check=True, stdout=subprocess.DEVNULL, timeout=120)


def main():
    with tempfile.TemporaryDirectory(prefix="skein-render-") as name:
        here = pathlib.Path(name)
        whole = here / "whole.ctf"
        generate(whole, "--events", 3000, "--packet-size", 16384)
        check(whole, here, "whole")
        assert not said(whole)["lost"], "whole"
        ours = pathlib.Path(__file__).parents[1] / "data/skein/every-event"
        for trace in whole, ours:
            folder = here / trace.name.split(".")[0]
            folder.mkdir()
            check_damaged(trace, folder, here)

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
