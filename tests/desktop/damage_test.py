#!/usr/bin/env python3
"""Damaged traces in the window: a mirage file and a skein directory. Each of the 90 opens, is drawn
and can be used; losses are reported with the name of the trace.

    damage_test.py SKEIN GENERATE_MIRAGE OPEN_EACH
"""
import json
import pathlib
import re
import subprocess
import sys

from screen import run

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "render"))
from damages import write_damaged

skein, generate, open_each = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])


def info(trace):
    said = subprocess.run([skein, "info", "--json", trace], capture_output=True, check=True).stdout
    return json.loads(said)


def open_damaged(screen, scratch, whole):
    traces = {whole: "nothing"}
    traces.update((path, what) for what, path in write_damaged(whole, scratch))
    ran = subprocess.run([open_each, *traces], env=screen.environment, text=True, capture_output=True)
    assert ran.returncode == 0 and "CRITICAL" not in ran.stderr, (ran.returncode, ran.stderr)
    lines = ran.stdout.splitlines()
    assert len(lines) == len(traces) == 91, len(lines)
    everything = info(whole)["events"]
    lossy = 0
    for (path, what), line in zip(traces.items(), lines):
        status, bar = line.split(" | ")
        bar = re.sub(r" ?\d+ stuck tasks?: .*\.Show$", "", bar)  # reported as well
        known = info(path)
        # "damaged.ctf: incomplete: ..."; "no events can be read: ..."
        says = bar.startswith(f"{path.name}: ") and ("incomplete: " in bar or "can be read: " in bar)
        missing = [loss for loss in known["lost"] if loss["events"] != 0]  # otherwise complete
        assert says if missing else not bar, (what, bar, known["lost"])
        assert missing or known["events"] >= everything, (what, known["events"])
        assert status.startswith(f"{known['events']:,} events, "), (what, status)
        lossy += bool(missing)
    return lossy


def test(screen, scratch):
    whole = scratch / "whole.ctf"
    subprocess.run([generate, "-o", whole, "--events", "3000", "--packet-size", "16384"], check=True)
    lossy = open_damaged(screen, scratch, whole)
    assert 20 <= lossy < 90, lossy
    ours = pathlib.Path(__file__).resolve().parents[1] / "data" / "skein" / "every-event"
    lossy = open_damaged(screen, scratch, ours)
    assert lossy == 91, lossy  # the undamaged trace contains an event that reports a loss


run(test)
