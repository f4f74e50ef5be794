#!/usr/bin/env python3
"""skein profile shows where a program spends its time, with all callers, without frame pointers or debug information.
Skipped if the kernel does not permit perf_event_open.

usage: profile_test.py SKEIN CXX"""
import collections
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

skein, compiler = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent


def run(*words, **options):
    return subprocess.run([skein, "profile", *map(str, words)], capture_output=True, text=True, **options)


def folded(path):
    counts = collections.Counter()
    for line in path.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        counts[stack] += int(count)
    return counts


def share(counts, pattern):
    return sum(count for stack, count in counts.items() if re.search(pattern, stack)) / sum(counts.values())


def expect(what, good, shown=""):
    if not good:
        sys.exit(f"FAILED: {what}: {shown}")


def check_work(counts, what):
    text = "\n".join(f"{count} {stack}" for stack, count in counts.most_common(20))
    user = re.compile(r"(;[^;]*_\[k\])*$")
    ours = collections.Counter()
    for stack, count in counts.items():
        if ";app::" in stack:
            ours[user.sub("", stack)] += count
    expect(f"{what}: most of the time is the program's", sum(ours.values()) > 0.8 * sum(counts.values()), text)
    expect(f"{what}: shares", abs(share(ours, "app::parse<int>;app::burn") - 2 / 3) < 0.08, text)
    expect(f"{what}: shares", abs(share(ours, "app::reply;app::burn") - 1 / 3) < 0.08, text)
    whole = r"^work;(_start;.*main;|clone3;start_thread;.*)(app::recurse;){0,21}app::serve(;|$)"
    expect(f"{what}: all callers", share(ours, whole) > 0.99, text)
    for name, pattern in (("the first thread", "clone3;(?!.*recurse)"), ("the second", "(app::recurse;){21}app::serve"),
                          ("the child", "^work;_start;.*main;app::serve")):
        expect(f"{what}: {name}", 0.2 < share(ours, pattern) < 0.5, (share(ours, pattern), text))


def check_stripped(program, folder, out):
    """Functions without symbols have one name each, with the addresses of their symbols."""
    lines = subprocess.run(["nm", "--demangle", str(program)], capture_output=True, text=True, check=True).stdout.splitlines()
    begins = {line.split(" ", 2)[2].partition("(")[0]: int(line.split()[0], 16) for line in lines if line[0] != " "}
    addresses = {int(line.split()[0], 16) for line in lines if line[0] != " "}
    stripped = folder / "stripped"
    subprocess.run(["strip", "-o", str(stripped), str(program)], check=True)
    data = out.with_suffix(".data")
    for output in (out, data):
        done = run("-o", output, "--", stripped)
        expect("stripped", done.returncode == 7, done)
        if output == data:
            subprocess.run([skein, "flame", data, "-o", out], check=True)
        parse, burn = (rf"stripped\+0x{begins[name]:x}" for name in ("void app::parse<int>", "app::burn"))
        counts = folded(out)
        expect("stripped: a function", share(counts, f";{parse};{burn}(;|$)") > 0.5, out.read_text())
        expect("stripped: names", share(counts, r"\[stripped\]") < 0.05, out.read_text())
        others = {name for name in re.findall(r"stripped\+0x[0-9a-f]+", out.read_text())
                  if int(name.partition("+")[2], 16) not in addresses}
        expect("stripped: all but the PLT have the address of a function", len(others) <= 1, (others, addresses))


with tempfile.TemporaryDirectory(prefix="skein-profile-") as folder:
    folder = pathlib.Path(folder)
    program, out = folder / "work", folder / "out.folded"
    subprocess.run([compiler, "-std=c++17", "-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread",
                    str(HERE / "work.cc"), "-o", str(program)], check=True)
    # Another program works at the same time: none of its samples counts.
    shutil.copy(program, folder / "other")
    with subprocess.Popen([folder / "other", "60"]) as other:
        done = run("-o", out, "--", program)
        other.kill()
    if "refuses perf_event_open" in done.stderr or "perf_event_open:" in done.stderr:
        print("skipped:", done.stderr)
        sys.exit(77)
    expect("exit code of the program", done.returncode == 7, done)
    expect("summary", re.search(r"skein: [\d,]+ samples of work in [\d.]+ s written to .*out.folded\n", done.stderr), done)
    check_work(folded(out), "a command")
    expect("no samples of another program", not any(stack.startswith("other") for stack in folded(out)), out.read_text())

    check_stripped(program, folder, out)

    # The perf.data that it keeps: for skein flame, and for perf.
    data = folder / "out.data"
    expect("keeps samples", run("-o", data, "--", program).returncode == 7)
    drawn = subprocess.run([skein, "flame", data, "-o", out], capture_output=True, text=True)
    expect("skein flame reads it", (drawn.returncode, drawn.stderr) == (0, ""), drawn)
    check_work(folded(out), "perf.data")
    if shutil.which("perf"):
        script = subprocess.run(["perf", "script", "-i", data, "-F", "comm,ip,sym"], capture_output=True, text=True)
        expect("perf reads it", script.returncode == 0 and "app::serve" in script.stdout, script.stderr[-300:])

    # A process that runs, whose file is gone, in a picture; until Ctrl-C, and for a time.
    gone = folder / "gone"
    shutil.copy(program, gone)
    with subprocess.Popen([gone, "20"]) as running:
        gone.unlink()
        page = folder / "page.flame.html"
        done = run("-T", 0.5, "-o", page, running.pid)
        expect("attached", done.returncode == 0 and "gone" in done.stderr, done)
        expect("names of a deleted file", "app::parse&lt;int&gt;" in page.read_text(), done.stderr)
        with subprocess.Popen([skein, "profile", "-o", out, str(running.pid)], stderr=subprocess.PIPE, text=True) as other:
            time.sleep(0.5)
            other.send_signal(signal.SIGINT)
            message = other.communicate(timeout=30)[1]
        expect("Ctrl-C", other.returncode == 0 and "samples of gone" in message, message)
        expect("Ctrl-C: stacks", share(folded(out), "app::serve") > 0.8, out.read_text())
        for _ in range(20):  # a profiler that dies
            victim = subprocess.Popen([skein, "profile", "-o", out, str(running.pid)], stderr=subprocess.DEVNULL)
            time.sleep(0.02)
            victim.kill()
            victim.wait()
        expect("the process goes on", running.poll() is None and
               pathlib.Path(f"/proc/{running.pid}/stat").read_text().rsplit(")")[1].split()[0] in "RS")
        running.kill()

    # A command that does not end by itself.
    done = run("-T", 0.3, "-o", out, "--", program, "20")
    expect("-T ends it", done.returncode == 0, done)

    without, waiter = folder / "without", folder / "waiter"
    subprocess.run(["cc", str(HERE / "without_perf.c"), "-o", str(without)], check=True)

    # Where threads wait: as long as they measure it themselves, but for what they run in between.
    waits = folder / "waits"
    subprocess.run([compiler, "-std=c++20", "-O2", str(HERE / "waits.cc"), "-o", str(waits), "-pthread"], check=True)
    done = run("--off-cpu", "-o", out, "--", waits)
    truth = {name: int(ns) for name, ns in map(str.split, done.stdout.splitlines())}
    expect("--off-cpu", done.returncode == 0 and len(truth) == 2, done)
    for name, ns in truth.items():
        found = sum(count for stack, count in folded(out).items() if f";{name}" in stack)
        expect(f"--off-cpu: {name} waited {ns}", 0.8 * ns < found <= ns, (found, out.read_text()))
    # Samples and waits in one file.
    data, both = folder / "both.data", folder / "both.folded"
    done = run("--off-cpu", "-o", data, "--", waits)
    truth = {name: int(ns) for name, ns in map(str.split, done.stdout.splitlines())}
    expect("samples and waits", re.search(r"skein: \d+ samples? and \d+ waits of waits", done.stderr), done)
    for name, ns in truth.items():
        rows = subprocess.run([skein, "query", data, "--csv", "SELECT sum(t.duration_ns) FROM thread_state t WHERE state <> "
                               f"'running' AND stack IN (SELECT stack FROM stack_frame WHERE function = '{name}')"],
                              capture_output=True, text=True).stdout.split()
        expect(f"states of {name}, which waited {ns}", 0.8 * ns < int(rows[-1] or 0) <= ns, rows)
    text = subprocess.run([skein, "info", data], capture_output=True, text=True).stdout
    expect("info", "samples " in text and re.search(r"waits +\d+ waits of threads, ", text), text)
    done = subprocess.run([skein, "flame", data, "-o", both], capture_output=True, text=True)
    for event in re.search(r"shows (\S+); (\S+) has", done.stderr).groups():
        done = subprocess.run([skein, "flame", data, "--event", event, "-o", both], capture_output=True, text=True)
        expect(f"flame --event {event}", done.returncode == 0 and both.read_text(), done)
    done = subprocess.run(["perf", "script", "-i", data, "--show-switch-events"], capture_output=True, text=True) \
        if shutil.which("perf") else None
    expect("perf script", done is None or (done.returncode == 0 and done.stdout.count("PERF_RECORD_SWITCH OUT") >= 50), done)
    # A thread that waits all the time.
    with subprocess.Popen(["sleep", "60"]) as sleeping:
        time.sleep(0.2)
        done = run("--off-cpu", "-T", 0.3, "-o", out, sleeping.pid)
        sleeping.kill()
    expect("--off-cpu of a thread that waits", "1 wait of sleep" in done.stderr and
           sum(count for stack, count in folded(out).items() if "nanosleep" in stack) >= 3e8, (done, out.read_text()))
    # The same in a coroutine that another one awaits: read at the end.
    source, stays = HERE / "stays.cc", folder / "stays"
    subprocess.run([compiler, "-std=c++20", "-g", "-O2", str(source), "-o", str(stays)], check=True)
    line = 1 + next(n for n, text in enumerate(source.read_text().splitlines()) if text.endswith("// outer"))
    for output in (out, data):
        with subprocess.Popen([stays], stdout=subprocess.PIPE, text=True) as staying:
            staying.stdout.readline()
            time.sleep(0.2)
            done = run("--off-cpu", "-T", 0.3, "-o", output, staying.pid)
            staying.kill()
        expect("a coroutine that waits all the time", "1 thread waited during the whole profile" in done.stderr, done)
        if output == data:
            subprocess.run([skein, "flame", data, "--event", "offcpu-time", "-o", out], check=True)
        expect("its logical stack", any(f"app::outer (stays.cc:{line});app::inner;" in stack and ";app::block;" in stack
                                        for stack in folded(out)), out.read_text())
    done = subprocess.run([without, skein, "profile", "--off-cpu", "-o", out, "--", waits], capture_output=True, text=True)
    expect("--off-cpu without permission", done.returncode == 1 and "perf_event_paranoid" in done.stderr, done)

    # Where perf_event_open is not permitted: by ptrace, of one process. A call that waits must not fail.
    subprocess.run([compiler, "-std=c++20", "-O2", str(HERE / "waiter.cc"), "-o", str(waiter)], check=True)
    done = subprocess.run([without, skein, "profile", "-o", out, "--", program], capture_output=True, text=True)
    expect("ptrace", done.returncode == 7 and "threads were stopped" in done.stderr, done)
    counts = folded(out)
    expect("ptrace: all callers", share(counts, "^work;clone3;start_thread;.*(app::recurse;){20}app::serve") > 0.3 and
           share(counts, "^work;(clone3|_start)") > 0.99, out.read_text())
    expect("ptrace: shares", abs(share(counts, "app::parse<int>;app::burn") - 2 / 3) < 0.1, out.read_text())
    done = subprocess.run([without, skein, "profile", "-F", "9999", "-o", out, "--", waiter, "2"], capture_output=True,
                          text=True)
    expect("ptrace: calls that wait", done.returncode == 0, done)
    # Threads that wait at most samples' times have used what the samples show.
    bursts = folder / "bursts"
    subprocess.run([compiler, "-std=c++20", "-O2", str(HERE / "bursts.cc"), "-o", str(bursts)], check=True)
    done = subprocess.run([without, skein, "profile", "-o", out, "--", bursts], capture_output=True, text=True)
    expect("ptrace: the CPU time of bursts", done.returncode == 0 and
           0.9 < sum(folded(out).values()) / int(done.stdout) < 1.05, (done, out.read_text()))

    for words, code, message in (
            ((), 2, "PID"), (("999999999",), 1, "no process 999999999"),
            (("-o", folder / "a.png", "--", program), 2, "unknown format"),
            (("-o", folder / "missing/a.data", "--", program), 1, "cannot be written"),
            (("--", folder / "nothing"), 127, "No such file"), (("--", folder), 126, "Permission denied")):
        done = run(*words, cwd=folder)
        expect(f"{words}: {message}", done.returncode == code and message in done.stderr, done)
