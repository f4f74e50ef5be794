#!/usr/bin/env python3
"""Traces with 20 cuts, 10 holes of zeros and 60 flipped bytes, of a mirage-profile file and a skein
directory. The rest is drawn, a viewer can show it, and losses are reported. Only every sixth is
also drawn as PNG and PDF, because these use the same draw list. With a sanitizer (`some`), commands
read only one of five, and the viewer all."""
import json
import pathlib
import subprocess
import sys
import tempfile

from damages import write_damaged
from pictures import CHECKS, check_terminal, generate, has_png, skein


use_viewer = sys.argv[3]
step = 5 if sys.argv[4:] == ["some"] else 1


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
    """The first losses are reported, and the number of the others."""
    lines = stderr.splitlines()
    assert all(line.startswith("skein: ") for line in lines), (what, lines)
    if info["events"] == 0:
        assert "no events; was recording enabled?" in lines.pop(), (what, stderr)
    most, lost = 5, info["lost"]
    if len(lost) > most:
        more = len(lost) - most
        assert f": and {more} more {'loss' if more == 1 else 'losses'}" in lines.pop(), (what, stderr)
    assert len(lines) == len(lost[:most]), (what, lines, lost)
    for line, loss in zip(lines, lost):
        assert ": lost: " in line and f"{loss['reason']}" in line, (what, line, loss)
        assert loss["offset"] == 0 or f"byte {loss['offset']:,}: " in line, (what, line, loss)


def check_damaged(whole, folder, out):
    """Checks all damages. A loss must be reported if events are missing, or a cut or hole changed
    the events. (A changed byte within a number cannot be detected.)"""
    before, events = said(whole), skein("dump", "--json", whole).stdout
    copies = []
    told = {"cut": 0, "hole": 0, "flip": 0}
    for number, (what, damaged) in enumerate(write_damaged(whole, folder)):
        copies.append(damaged)
        # Of each `step` the next one: the damages take turns among a directory's files, and a step
        # that is their number would read the same file each time.
        if number % step != number // step % step:
            continue
        kind, _, length, _ = what[-4:]
        one_byte = kind != "cut" and length == 1
        check(damaged, out, what)
        if number // step % 6 == 0 and has_png():
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

        # Traces with one event or none.
        for count in (0, 1):
            generate(whole, "--events", count)
            for form in ["svg", "png", "pdf"] if has_png() else ["svg"]:
                run = skein("render", whole, "-o", here / f"x.{form}")
                assert run.returncode == 0, (count, run)
                CHECKS[form]((here / f"x.{form}").read_bytes(), count)
            run = skein("show", whole)
            assert run.returncode == 0 and (b"no event" in run.stderr) == (count == 0), run


main()
