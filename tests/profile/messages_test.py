#!/usr/bin/env python3
"""What skein profile reports on stderr: about samples that are missing, and options and numbers that cannot be right.
Skipped if the kernel does not permit perf_event_open.

usage: messages_test.py SKEIN CXX"""
import pathlib
import re
import subprocess
import sys
import tempfile

skein, compiler = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent


def run(*words, **options):
    return subprocess.run([skein, "profile", *map(str, words)], capture_output=True, text=True, **options)


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


def check_few_samples(program, out):
    """A process that used CPU time, which no sample met."""
    with subprocess.Popen([program, "60"]) as running:
        for output in (out, out.with_suffix(".html"), out.with_suffix(".data")):
            for _ in range(20):  # a sample may meet it
                done = run("-F", 1, "-T", 0.1, "-o", output, running.pid)
                if "no samples" in done.stderr:
                    break
            expect("no sample", done.returncode == (0 if output.suffix == ".data" else 1) and
                   re.search(r": no samples, but it used \S+ m?s of CPU time; use a higher -F or a longer -T\n", done.stderr),
                   done)
        threads = pathlib.Path(f"/proc/{running.pid}/task")
        other = next(thread.name for thread in threads.iterdir() if thread.name != str(running.pid))
        done = run("-o", out, other)
        expect("a thread", done.returncode == 1 and
               f"{other} is a thread of process {running.pid}; give {running.pid}\n" in done.stderr, done)
        running.kill()
    with subprocess.Popen(["sleep", "60"]) as sleeping:
        done = run("-T", "0.1", "-o", out, sleeping.pid)
        sleeping.kill()
    expect("no CPU time", done.returncode == 1 and "no samples" in done.stderr, done)


def check_large_stacks(program, out):
    for size, advice in ((512, "use --stack-size 2048"), (16384, None)):
        for _ in range(3):  # one of thousands may be cut off in a moment of the loader or of a new thread
            done = run("-F", 4999, "--stack-size", size, "-o", out, "--", program)
            found = re.search(r"of the stacks are longer than their copy; (.*)", done.stderr)
            if (found[1] if found else None) == advice:
                break
        expect(f"--stack-size {size}", done.returncode == 7 and (found[1] if found else None) == advice, done)


with tempfile.TemporaryDirectory(prefix="skein-messages-") as folder:
    folder = pathlib.Path(folder)
    program, out = folder / "work", folder / "out.folded"
    subprocess.run([compiler, "-std=c++17", "-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread",
                    str(HERE / "work.cc"), "-o", str(program)], check=True)
    done = run("-o", out, "--", program)
    if "refuses perf_event_open" in done.stderr or "perf_event_open:" in done.stderr:
        print("skipped:", done.stderr)
        sys.exit(77)
    check_few_samples(program, out)
    check_large_stacks(program, out)
