#!/usr/bin/env python3
"""skein record --sched and skein sched: what the kernel does with threads, of programs whose answer is known.
Skipped if the kernel does not permit perf_event_open.

usage: sched_test.py SKEIN RIVALS CC"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

skein, rivals, compiler = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent


def run(*words, **options):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, **options)


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


def query(trace, sql):
    done = run(skein, "query", "--json", trace, sql)
    expect("query", done.returncode == 0, done)
    return [json.loads(line) for line in done.stdout.splitlines()] if done.stdout[:1] == "{" else json.loads(done.stdout)


def times(trace, thread):
    rows = query(trace, "SELECT state, sum(duration_ns) / 1e6 AS ms FROM thread_state "
                        f"WHERE executor LIKE '{thread}/%' GROUP BY state")
    return {row["state"]: row["ms"] for row in rows}


def check(trace, what):
    for thread in ("first", "second"):
        known = times(trace, thread)
        # The other one runs while it does not. Other programs may run as well.
        expect(f"{what}: CPU time of {thread}", 290 <= known["running"] <= 320, known)
        expect(f"{what}: {thread} was preempted", known.get("preempted", 0) > 100, known)
        expect(f"{what}: {thread} was not blocked", known.get("blocked", 0) < 50, known)
    slept = times(trace, "sleeper")
    # Without wake-ups, the wait for a CPU is a part of it.
    expect(f"{what}: the sleeper was blocked", slept["blocked"] >= 199, slept)
    expect(f"{what}: the sleeper did not compute", slept["running"] < 50, slept)
    overlap = query(trace, "SELECT count(*) AS n FROM thread_state a JOIN thread_state b ON a.tid < b.tid AND "
                           "a.cpu = b.cpu AND a.state = 'running' AND b.state = 'running' AND "
                           "max(a.start_ns, b.start_ns) < min(a.end_ns, b.end_ns)")
    expect(f"{what}: a CPU runs one thread at a time", overlap[0]["n"] == 0, overlap)
    late = query(trace, "SELECT count(*) AS n FROM activation JOIN thread_state s USING (executor_id) WHERE "
                        "state != 'running' AND s.start_ns <= activation.start_ns AND activation.start_ns < s.end_ns")
    expect(f"{what}: a thread that records runs", late[0]["n"] == 0, late)


with tempfile.TemporaryDirectory(prefix="skein-sched-") as folder:
    folder = pathlib.Path(folder)
    folder.chmod(0o777)

    without_perf = folder / "without_perf"
    subprocess.run([compiler, HERE.parent / "profile" / "without_perf.c", "-o", without_perf], check=True)
    trace = folder / "refused"
    done = run(without_perf, skein, "record", "--sched", "-o", trace, "--", rivals)
    if done.returncode != 77:
        expect("goes on without permission", done.returncode == 0, done)
        expect("what to change", "no context switches (--sched): the kernel refuses perf_event_open (kernel."
               "perf_event_paranoid is " in done.stderr and "CAP_PERFMON" in done.stderr, done.stderr)
        expect("no states", query(trace, "SELECT count(*) AS n FROM thread_state")[0]["n"] == 0)

    for clock in ("tsc", "monotonic"):
        trace = folder / clock
        done = run(skein, "record", "--sched", "-o", trace, *(["--monotonic"] if clock == "monotonic" else []),
                   "--", rivals)
        if "no context switches" in done.stderr:
            print("skipped:", done.stderr)
            sys.exit(77)
        expect("record --sched", done.returncode == 0, done)
        check(trace, clock)
        wide = "without the threads that ran" not in done.stderr
        if wide:
            who = query(trace, "SELECT other, sum(duration_ns) / 1e6 AS ms FROM thread_state WHERE executor LIKE "
                               "'first/%' AND state = 'preempted' GROUP BY other ORDER BY ms DESC LIMIT 1")
            expect("what ran instead", who[0]["other"] == "second", who)

    log = folder / "log"
    expect("a log", run(skein, "record", "--sched", "--mode", "log", "-o", log, "--", rivals).returncode == 0)
    check(log, "log")
    copy = folder / "copy"
    expect("a copy", run(skein, "export", "ctf", log, "-o", copy).returncode == 0)
    # It ends with its last event; the log, with the clock's last reading, which a copy does not have.
    states = query(copy, "SELECT * FROM thread_state")
    end = max(row["end_ns"] for row in states)
    expected = [row for row in query(log, "SELECT * FROM thread_state") if row["start_ns"] < end]
    for row in expected:
        row["end_ns"] = min(row["end_ns"], end)
        row["duration_ns"] = row["end_ns"] - row["start_ns"]
    expect("a copy has the same states", states == expected, (states[-3:], expected[-3:]))

    if os.geteuid() == 0:  # As another user: its own threads only.
        trace = folder / "user"
        done = run("setpriv", "--reuid", "65534", "--clear-groups", skein, "record", "--sched", "-o", trace, "--",
                   rivals)
        if "no context switches" not in done.stderr:
            expect("as a user", done.returncode == 0, done)
            check(trace, "as a user")

        # With wake-ups, in a mount namespace that has tracefs.
        # The sleeper is woken once, and of 250 wake-ups the kernel leaves out about one.
        for attempt in range(3):
            trace = folder / f"wakeups {attempt}"
            done = run("unshare", "-m", "sh", "-c",
                       "mount -t tracefs nodev /sys/kernel/tracing || exit 77; exec \"$@\"", "sh",
                       skein, "record", "--sched", "-o", trace, "--", rivals)
            if done.returncode != 0 or "without" in done.stderr:
                break
            check(trace, "with wake-ups")
            slept = times(trace, "sleeper")
            if slept.get("runnable", 0) > 0:
                break
            expect("the sleeper was woken", attempt < 2, slept)

    # Attached to a process that records.
    trace = folder / "attached"
    program = subprocess.Popen([rivals], env={**os.environ, "SKEIN_TRACE": str(trace)}, stdout=subprocess.DEVNULL)
    while not trace.exists():
        time.sleep(0.001)
    done = run(skein, "sched", program.pid)
    expect("skein sched", done.returncode == 0 and " context switches of " in done.stderr, done)
    program.wait()
    states = query(trace, "SELECT DISTINCT state FROM thread_state")
    expect("states of an attached program", {"state": "running"} in states and {"state": "preempted"} in states, states)
    again = run(skein, "sched", os.getpid())
    expect("a process that does not record", again.returncode == 2, again)
