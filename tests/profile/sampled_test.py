#!/usr/bin/env python3
"""skein record --sample: each sample belongs to the task that ran, of a program whose tasks are known (sampled.cc).

usage: sampled_test.py SKEIN SAMPLED CXX [SAMPLES]

SAMPLES: about how many each run has (default 4,000). The last run has the kernel's timers, as where perf_event_open is
refused, and fewer. At least 99.99 % must be right, which of few samples are all."""
import collections
import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

skein, sampled, compiler = sys.argv[1:4]
samples = int(sys.argv[4]) if len(sys.argv) > 4 else 4000
RATE = 5000  # many samples in little time


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=7200)
    expect(" ".join(map(str, command)), done.returncode == 0, done.stderr[-2000:])
    return done.stdout


def query(trace, sql):
    return list(csv.reader(io.StringIO(run(skein, "query", trace, "--csv", sql))))[1:]


def check_trace(trace, name):
    """Checks the samples in functions burn<K>, and returns how many they are."""
    rows = query(trace, """
        SELECT f.function, l.text, count(*) FROM sample s
        JOIN stack_frame f ON f.stack = s.stack AND f.depth = 0 AND f.function LIKE '%burn<%'
        LEFT JOIN label l ON l.task = s.task
        GROUP BY f.function, l.text""")
    right, wrong = 0, collections.Counter()
    for function, label, count in rows:
        truth = re.search(r"burn<(\d+)>", function)[1]
        if label == truth or (truth == "0" and label == ""):
            right += int(count)
        else:
            wrong[f"burn<{truth}> in task '{label}'"] += int(count)
    bad = wrong.total()
    print(f"{name}: {right} samples are right, {bad} wrong")
    expect(f"{name}: at least 99.99 % are right", bad * 9999 <= right, dict(wrong))
    # The flame graph has each sample, below its task.
    stacks = run(skein, "flame", trace, "--time", "cpu", "--by", "label", "-o", "-", "--format", "folded").splitlines()
    counts = collections.Counter()
    for line in stacks:
        stack, count = line.rsplit(" ", 1)
        counts[stack.split(";")[0] if "app::burn" in stack else "other"] += int(count)
    expect(f"{name}: all samples are in the flame graph", counts.total() == int(query(trace, "SELECT count(*) FROM sample")[0][0]),
           counts)
    for label, count in query(trace, """
            SELECT l.text, count(*) FROM sample s JOIN label l ON l.task = s.task
            JOIN stack_frame f ON f.stack = s.stack AND f.depth = 0 AND f.function LIKE '%burn<%' GROUP BY 1"""):
        drawn = sum(n for name, n in counts.items() if re.search(rf"\b{label}\b", name))
        expect(f"{name}: the flame graph has the samples of task {label}", drawn >= int(count), f"{drawn} {count}")
    return right


NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]


def child_of(process):
    """The program that unshare has started."""
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        for child in children.read_text().split():
            if pathlib.Path(f"/proc/{child}/exe").resolve() == pathlib.Path(sampled).resolve():
                return child
        time.sleep(0.01)
    sys.exit("FAILED: unshare started nothing")


def sample_from_outside(folder, threads, command=()):
    """`skein profile` of the program while it records: the trace that it writes has the samples, too."""
    place = f"{threads} {len(command)}"
    recorded, sampled_trace = folder / f"recorded {place}", folder / f"outside {place}.skein"
    process = subprocess.Popen([*command, sampled, threads, str(samples // 24)],
                               env=dict(os.environ, SKEIN_TRACE=f"{recorded},mode=log"))
    try:
        done = subprocess.run([skein, "profile", child_of(process) if command else str(process.pid), "-F", str(RATE), "-o",
                               sampled_trace], capture_output=True, text=True, timeout=7200)
    finally:
        process.kill()
        process.wait()
    if "threads were stopped for each sample" in done.stderr or "perf_event" in done.stderr:
        return print(f"samples from outside, {threads} threads: skipped: {done.stderr}")
    expect("from outside", done.returncode == 0, done.stderr)
    # They have tasks, whether or not the coroutines that wait could be found on the stack.
    expect("from outside: no physical stacks", "physical stack" not in done.stderr, done.stderr)
    said = re.search(r"([\d,]+) samples in the time of its trace .*, ([\d,]+) of them in tasks", done.stderr, re.S)
    expect("from outside: the report", said, done.stderr)
    other = re.search(r"([\d,]+) samples? names? another task", done.stderr)
    in_tasks, others = (int(text.replace(",", "")) for text in (said[2], other[1] if other else "0"))
    print(f"from outside, {threads} threads: {others} of {in_tasks} samples in tasks disagree with the trace")
    expect("from outside: samples agree with the trace", others * 999 <= in_tasks, done.stderr)
    right = check_trace(sampled_trace, f"from outside, {threads} threads")
    expect("from outside: there are samples", right >= samples // 40, f"{right} {done.stderr}")
    before, after = (query(trace, "SELECT kind, count(*) FROM event WHERE kind <> 'sample' GROUP BY 1")
                     for trace in (recorded, sampled_trace))
    expect("from outside: all other events are there", before == after, f"{before} {after}")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    without_perf = folder / "without_perf"
    run(compiler, "-x", "c", pathlib.Path(__file__).with_name("without_perf.c"), "-o", without_perf)
    # 24 tasks burn for 0.2 ms on average, which is a sample of RATE.
    burns = samples // 24
    for name, command in {"1": [], "4": [], "16": [], "4 timers": [without_perf]}.items():
        trace = folder / name
        threads = name.split()[0]
        run(*command, skein, "record", "-o", trace, "--mode", "log", f"--sample={RATE}", "--", sampled, threads, burns)
        right = check_trace(trace, f"{name} threads")
        least = samples // 100 if command else samples // 4
        expect(f"{name}: there are samples", right >= least, right)
    for threads in ("1", "4"):
        sample_from_outside(folder, threads)
    # Its threads have other numbers.
    if subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode == 0:
        sample_from_outside(folder, "4", NAMESPACE)
    else:
        print("in a pid namespace: skipped, unshare is not permitted")
