#!/usr/bin/env python3
"""SKEIN_TRACE in various programs: exec, a second program, another clock, setuid, invalid values;
babeltrace2 on a log that is being written, and on a snapshot of a ring.

usage: environment_test.py SKEIN RECORDED_PROGRAM"""
import calendar
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

from common import expect, info, run, start, until, work_in_new_folder

program = sys.argv[2]
babeltrace = shutil.which("babeltrace2")
work = work_in_new_folder("environment")
os.chmod(work.name, 0o777)


def traced(setting, *words, **options):
    return subprocess.run([program, *words], env=dict(os.environ, SKEIN_TRACE=setting),
                          capture_output=True, text=True, timeout=60, **options)


# exec: one process, two programs, two traces.
r = traced("exec", "exec")
traces = sorted(p.name for p in pathlib.Path(".").glob("exec*"))
expect("exec", r.returncode == 0 and len(traces) == 2 and re.fullmatch(r"exec\.\d+", traces[1]), traces)
for trace in traces:
    expect(f"{trace} is whole", info(trace)["tasks"] == 1 and not info(trace)["lost"], info(trace))

# Two programs with the same setting; the pid in the name.
traced("twice", "0"), traced("twice", "0")
expect("no trace is overwritten", len(list(pathlib.Path(".").glob("twice*"))) == 2)
traced("number-%p", "0")
expect("%p", re.fullmatch(r"number-\d+", next(pathlib.Path(".").glob("number-*")).name))

# Another clock. babeltrace2 shows about the current time, in UTC, for both.
for name, setting in (("tsc", "tsc"), ("monotonic", "monotonic,clock=monotonic")):
    traced(setting, "0")
    if name == "monotonic":
        said = run("info", name).stdout
        expect("info shows the clock", re.search(r"^clock\s+monotonic", said, re.M), said)
    if babeltrace:
        text = subprocess.run([babeltrace, "--clock-gmt", "--clock-date", name], capture_output=True,
                              text=True, check=True).stdout
        seen = re.match(r"\[(\d+-\d+-\d+ \d+:\d+:\d+)", text)[1]
        age = time.time() - calendar.timegm(time.strptime(seen, "%Y-%m-%d %H:%M:%S"))
        expect(f"UTC by {name}", -2 < age < 120, (seen, age))

# An error is reported once, and the program runs.
for setting in ("x,mode=both", "x,size=", "/proc/nowhere/x", "x" * 2000):
    r = traced(setting, "7")
    expect(f"{setting[:20]}", r.returncode == 7 and r.stderr.startswith("skein: cannot record: ")
           and r.stderr.count("\n") == 1, r)

# A setuid program ignores SKEIN_TRACE.
if os.geteuid() == 0:
    shutil.copy(program, "setuid")
    os.chmod("setuid", 0o4755)
    r = subprocess.run(["./setuid", "7"], env=dict(os.environ, SKEIN_TRACE="secret"),
                       preexec_fn=lambda: os.setuid(65534))
    expect("setuid program runs", r.returncode == 7, r)
    if os.stat("setuid").st_mode & stat.S_ISUID and not os.statvfs(".").f_flag & os.ST_NOSUID:
        expect("and does not record", not os.path.exists("secret"))

# Traces that are being written.
p = start([program, "wait"], env=dict(os.environ, SKEIN_TRACE="live,mode=log"))
until(lambda: os.path.exists("ready"), "the program is ready")
counts = []
for _ in range(5):
    counts.append(info("live")["events"])
    if babeltrace:
        r = subprocess.run([babeltrace, "live"], capture_output=True)
        expect("babeltrace2 reads a log that is being written", r.returncode == 0, r.stderr)
    until(lambda: info("live")["events"] > counts[-1], "it grows")
p.send_signal(signal.SIGTERM)
p.wait(timeout=30)
os.remove("ready")

p = start([program, "wait"], env=dict(os.environ, SKEIN_TRACE="ring,size=64k"))
until(lambda: os.path.exists("ready"), "the program is ready")
for i in range(5):
    r = run("snapshot", p.pid, "-o", f"copy{i}")
    expect("snapshot by process number", r.returncode == 0, r)
    expect("the copy is whole", not info(f"copy{i}")["lost"], info(f"copy{i}")["lost"])
    if babeltrace:
        r = subprocess.run([babeltrace, f"copy{i}"], capture_output=True)
        expect("babeltrace2 reads a snapshot", r.returncode == 0, r.stderr)
r = run("snapshot", p.pid, "-o", "copy0")
expect("no copy over another", r.returncode != 0 and r.stderr.startswith("skein: "), r)
p.send_signal(signal.SIGTERM)
p.wait(timeout=30)
print("passed" if babeltrace else "passed; babeltrace2 is not there, its part was left out")
