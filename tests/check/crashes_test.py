#!/usr/bin/env python3
"""crashes_test.py SKEIN RECORDED: --catch-crashes, a core and a trace show where a test crashed and what waited; good
tests are not disturbed."""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from common import PROGRAMS, SKEIN, can_trace, check, compile_program, expect

if not can_trace():
    print("skipped: no g++, or ptrace is forbidden")
    sys.exit(77)
LINES = {match[2]: number for number, line in enumerate((PROGRAMS / "crash.cc").read_text().splitlines(), 1)
         if (match := re.search(r"// (CRASHES|WAITS) (\w+)", line))}
CRASHES = {"segv": (11, "segv", "write_nowhere"), "abort": (6, "abort", "give_up"),
           "terminate": (6, "terminate", "throw_one"), "thread": (11, "segv", "write_nowhere"),
           "handled": (11, "segv", "write_nowhere"), "both": (11, "segv", "write_nowhere")}


def shows_crash(text, kind):
    number, line, function = CRASHES[kind]
    first = text.split("Call stacks:\n\n")[-1].split("\nthread ")[0]
    return (re.search(rf"thread \d+( \(crash\))? received signal {number} \(", first) and
            re.search(rf"\b{function} .*\bcrash\.cc:{LINES[line]}\b", first))


def shows_wait(text):
    return re.search(rf"\bread_answer .*\bcrash\.cc:{LINES['read_answer']}\b", text)




def documented(kind):
    """The output of an example in docs/check.md, with another number of the process."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/check.md").read_text()
    return page.partition(f"$ skein check --catch-crashes -- ./crash {kind}\n")[2].partition("```")[0]


with tempfile.TemporaryDirectory(prefix="skein-check-test-") as folder:
    folder = pathlib.Path(folder)
    program = compile_program("crash", folder)
    for kind, (number, line, function) in CRASHES.items():
        kept = folder / kind
        xml = folder / "junit.xml"
        run = check("--catch-crashes", "--keep", kept, "--junit", xml, "--github", "--", program, kind)
        expect(f"{kind} fails", run.returncode == 1 and f"crash: killed by signal {number} (" in run.stderr, run)
        expect(f"{kind}: its stack", shows_crash(run.stderr, kind), run.stderr)
        expect(f"{kind}: what waits", shows_wait(run.stderr), run.stderr)
        expect(f"{kind}: no thread seems to be stopped", "is stopped" not in run.stderr, run.stderr)
        if kind == "segv":
            plain = check("--catch-crashes", "--", program, kind).stderr
            number = re.search(r"thread (\d+)", plain)[1]
            expect("docs/check.md", plain.replace(number, "4711").strip() == documented(kind).strip(), plain)
        expect(f"{kind}: no advice", "--catch-crashes" not in run.stderr, run.stderr)
        place = f'file="{PROGRAMS}/crash.cc" line="{LINES[line]}"'
        expect(f"{kind}: its place in JUnit", place in xml.read_text(), xml.read_text())
        expect(f"{kind}: its place for GitHub", f"crash.cc,line={LINES[line]},title=crash::" in run.stdout, run.stdout)
        why = subprocess.run([SKEIN, "why", kept / "crash/memory.core"], capture_output=True, text=True)
        expect(f"{kind}: skein why of its memory", shows_wait(why.stdout), why)
    run = check("--catch-crashes", "--", program, "thread")
    expect("the other threads", "wait_for_ever" in run.stderr and "compute_for_ever" in run.stderr, run.stderr)
    run = check("--catch-crashes", "--launcher", "--", program, "segv")
    expect("--launcher ends by the signal", run.returncode == -11 and shows_crash(run.stderr, "segv"), run)
    run = check("--", program, "segv")
    expect("advice", "killed by signal 11 (Segmentation fault); --catch-crashes" in run.stderr, run.stderr)

    # Good tests, and what a test does with its children, do not change.
    for kind in ("fine", "fine-recovers", "fine-child", "fine-stops", "fine-threads"):
        run = check("--catch-crashes", "--", program, kind)
        expect(kind, (run.returncode, run.stdout, run.stderr) == (0, "fine\n", ""), run)

    # The core that the kernel writes, if it writes it to a file.
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if "/" not in pattern and not pattern.startswith(("|", "@")) and hard != 0:
        def permit_cores():
            resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        (folder / "there").mkdir()
        run = check("--keep", folder / "core", "--", program, "thread", cwd=folder / "there", preexec_fn=permit_cores)
        cores = list((folder / "there").iterdir())
        expect("one core", len(cores) == 1, cores)
        expect("a core is named", f"Core: {cores[0]}\n" in run.stderr, run.stderr)
        expect("its stacks", shows_crash(run.stderr, "thread") and "wait_for_ever" in run.stderr, run.stderr)
        expect("what waits in it", shows_wait(run.stderr), run.stderr)
        expect("its memory is kept", (folder / "core/crash/memory.core").exists())
    else:
        print(f"not tested: cores, core_pattern is '{pattern}'")

    # The trace of a recorded program outlives it.
    recorded = sys.argv[2]
    for words in ([], ["--catch-crashes"]):
        run = check(*words, "--", recorded, "crash")
        expect("a recorded program", run.returncode == 1 and "signal 6 (Aborted)" in run.stderr, run)
        expect("its trace answers", "is not recorded" not in run.stderr and
               re.search(r"\bnever_ends\b.*recorded\.cc:\d+", run.stderr), run.stderr)
        expect("once", run.stderr.count("run_client (#1): unknown") == 1, run.stderr)
        expect("when it ended", "does not contain when" not in run.stderr, run.stderr)
