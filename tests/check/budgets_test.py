#!/usr/bin/env python3
"""budgets_test.py SKEIN RECORDED: budgets and findings of a test that records."""
import subprocess
import sys
import tempfile

from common import SKEIN, check, expect

recorded = sys.argv[2]


def with_budgets(*budgets, tasks=20, words=()):
    options = [word for budget in budgets for word in ("--budget", budget)]
    return check(*options, *words, "--", recorded, tasks)


# Each task computes for 2 ms of CPU time, awaits 3 times and continues on another thread twice.
run = with_budgets("handle_request max = 3 awaits", "handle_request mean = 2 hops", "handle_request count = 20",
                   "handle_request total >= 39ms running", "handle_request p50 < 40ms running")
expect("budgets that are met", run.returncode == 0 and run.stderr == "", run)
for budget, value in (("handle_request max < 3 awaits", "3, of 20 tasks"), ("handle_request total <= 39 hops", "40, of"),
                      ("handle_request count > 20", "20"), ("handle_request p1 < 1500us running", "ms, of 20 tasks")):
    run = with_budgets(budget)
    expect(f"{budget} is missed", run.returncode == 1 and f"budget '{budget}' missed: " in run.stderr
           and value in run.stderr, run)
run = with_budgets("handel_request count < 50")
expect("a misspelt function", run.returncode == 1 and "no task 'handel_request' ran" in run.stderr, run)
run = check("--budget", "handle_request count < 50", "--", "true")
expect("no trace", run.returncode == 1 and "recorded no trace" in run.stderr, run)
run = with_budgets("handle_request count < 50", words=["--no-record"])
expect("not recorded", run.returncode == 2, run)
run = with_budgets("handle_request p99 < 50 running")
expect("a wrong budget", run.returncode == 2 and "'50' is not a time with a unit" in run.stderr, run)
run = with_budgets("handle_request max = 3 awaits", tasks="x")
expect("a program without tasks", run.returncode == 1 and "no task" in run.stderr, run)

# Findings.
run = with_budgets(words=["--fail-on", "never-started,lock-order-cycle"])
expect("no finding", run.returncode == 0, run)
run = with_budgets(words=["--fail-on", "never-started,unknown"])
expect("an unknown lint", run.returncode == 2 and "unknown lint 'unknown'" in run.stderr, run)
with tempfile.TemporaryDirectory(prefix="skein-check-test-") as folder:
    run = check("--fail-on", "destroyed-unresolved", "--keep", f"{folder}/kept", "--", recorded, "destroy")
    expect("a finding", run.returncode == 1 and "destroyed-unresolved" in run.stderr, run)
    doctor = subprocess.run([SKEIN, "doctor", f"{folder}/kept/check_recorded/trace.skein"], capture_output=True, text=True)
    expect("the finding of skein doctor", "destroyed-unresolved" in doctor.stdout, doctor)
