#!/usr/bin/env python3
"""For correct programs of every adapter, `skein why` reports no error, `skein doctor` no finding,
and two runs have no causal difference.

    quiet_test.py SKEIN UV_LIBRARY ASIO_EXAMPLE PROGRAM...

Programs that are not built are skipped, because an adapter's library may not be installed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from common import SECONDS, expect, info, run, start, until

uv_library, echo = sys.argv[2:4]
patient = ["--longer-than", "60s", "--runs-longer-than", "60s"]  # for a busy machine
programs = [pathlib.Path(path) for path in sys.argv[4:]]


def is_quiet(traces):
    for trace in traces:
        expect("something is in it", info(trace)["tasks"] > 0, trace)
        said = run("why", "--json", trace)
        faults = [d["text"] for d in json.loads(said.stdout)["diagnoses"] if d["error"]]
        expect("no fault", said.returncode == 0 and not faults, (trace, faults))
        said = run("doctor", trace, *patient)
        expect("well", (said.returncode, said.stdout) == (0, "No findings.\n"), said)
    said = run("diff", *traces)
    expect("nothing causal", said.returncode == 0 and "No causal difference" in said.stdout, said)


def runs(folder, program):
    traces = [folder / f"{program.name}-{n}.skein" for n in range(2)]
    for trace in traces:
        more = {"LD_PRELOAD": uv_library} if program.name.startswith("uv_") else {}
        subprocess.run([program], env=dict(os.environ, SKEIN_TRACE=f"{trace},mode=log", **more),
                       check=True, stdout=subprocess.DEVNULL, timeout=SECONDS)
    is_quiet(traces)


def servers(folder):
    """Compares two servers that are killed while they work, after different numbers of answers."""
    traces = []
    for questions in (20, 50):
        trace = folder / f"echo-{questions}.skein"
        server = start([echo, "server"], env=dict(os.environ, SKEIN_TRACE=f"{trace},mode=log"),
                       stdout=subprocess.PIPE, text=True)
        port = server.stdout.readline().split()[-1]
        subprocess.run([echo, "client", port, str(questions)], check=True, timeout=SECONDS,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: info(trace)["kinds"].get("io", 0) >= 2 * questions, "it has answered")
        server.kill()
        server.wait()
        traces.append(trace)
    is_quiet(traces)


built = [program for program in programs if program.exists()]
if not built:
    print("skipped: no adapter's program is built")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="skein-quiet-") as name:
    for path in built:
        runs(pathlib.Path(name), path)
    if os.path.exists(echo):
        servers(pathlib.Path(name))
print("passed:", *(path.name for path in built), *(["echo"] if os.path.exists(echo) else []))
