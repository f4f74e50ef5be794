#!/usr/bin/env python3
"""The viewer's panel and `skein info` report the same number of ended tasks."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

skein, generate, use_viewer = sys.argv[1:4]
source = pathlib.Path(__file__).resolve().parents[2]
net = pathlib.Path(os.environ.get("SKEIN_DATA", source / "../shared/data")) / "net.ctf"
if not net.exists():
    print("skipped: net.ctf is not here; set SKEIN_DATA to the folder it is in")
    sys.exit(77)

with tempfile.TemporaryDirectory() as name:
    traces = [net, source / "tests/data/mirage/straight.ctf"]
    for seed in range(3):
        traces.append(pathlib.Path(name) / f"{seed}.ctf")
        subprocess.run([generate, "--events", "5000", "--seed", str(seed), "-o", traces[-1]], check=True)
    for trace in traces:
        said = subprocess.run([use_viewer, trace], check=True, capture_output=True, text=True).stdout
        info = json.loads(subprocess.run([skein, "info", "--json", trace], check=True,
                                         capture_output=True).stdout)
        ended = info["ended"]
        expected = f"{trace}: {info['tasks']:,} tasks, {ended:,} ended\n"
        assert said == expected, (said, expected)
