#!/usr/bin/env python3
"""processes_test.py SKEIN: programs that end by themselves run as without `skein check`, and no process is left
behind by those that hang, in whatever way `skein check` ends."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from common import SKEIN, SECONDS, can_trace, check, compile_program, expect, running, until

if not can_trace():
    print("skipped: no g++, or ptrace is forbidden")
    sys.exit(77)

# What a program prints and reads is unchanged.
for words, code in ((["sh", "-c", "cat; echo error >&2; exit 0"], 0), (["sh", "-c", "cat; exit 3"], 3)):
    plain = subprocess.run(words, input="in", capture_output=True, text=True)
    run = check("--launcher", "--", *words, input="in")
    expect(f"{words} with --launcher", (run.returncode, run.stdout, run.stderr) ==
           (code, plain.stdout, plain.stderr), run)
    run = check("--", *words, input="in")
    expect(f"{words}", (run.returncode, run.stdout) == (int(code != 0), plain.stdout), run)
for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
    run = check("--launcher", "--", "sh", "-c", f"kill -{int(number)} $$")
    expect(f"signal {number} with --launcher", run.returncode == -number, run)
    run = check("--", "sh", "-c", f"kill -{int(number)} $$")
    expect(f"signal {number}", run.returncode == 1 and f"signal {int(number)}" in run.stderr, run)
run = check("--", "/nonexistent/program")
expect("a missing program", run.returncode == 2 and "No such file" in run.stderr, run)
run = check("--launcher", "--", "/nonexistent/program")
expect("a missing program with --launcher", run.returncode == 127, run)
run = check("--launcher", "--", "/etc")
expect("a folder with --launcher", run.returncode == 126, run)
run = check("--launcher", "--", "sleep", "100", env=os.environ | {"SKEIN_CHECK_TIMEOUT": "0.2s"})
expect("the timeout of the environment", run.returncode == 124, run)
for variables in ({}, {"SKEIN_TRACE": "mine"}):
    run = check("--", "sh", "-c", "echo $SKEIN_TRACE", env=os.environ | variables)
    expect("SKEIN_TRACE", run.stdout == "mine\n" if variables else "/trace.skein,mode=ring" in run.stdout, run)
run = check("--no-record", "--", "sh", "-c", "echo $SKEIN_TRACE")
expect("--no-record", run.stdout == "\n", run)
# The signals that the parent ignores or blocks, the process group and the session are the parent's.
facts = ("import os, signal; print(os.getpgrp(), os.getsid(0), "
         "signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN, sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), "
         "sorted(os.listdir('/proc/self/fd')))")
plain = f"import signal, subprocess; signal.signal(signal.SIGCHLD, signal.SIG_IGN); " \
        f"signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1]); import os, sys; os.execvp(sys.argv[1], sys.argv[1:])"
once = subprocess.run(["python3", "-c", plain, "python3", "-c", facts], capture_output=True, text=True)
again = subprocess.run(["python3", "-c", plain, SKEIN, "check", "--", "python3", "-c", facts],
                       capture_output=True, text=True)
expect("what a program inherits", once.stdout == again.stdout and again.returncode == 0, (once, again))

with tempfile.TemporaryDirectory(prefix="skein-check-test-") as folder:
    program = compile_program("children", folder)
    environment = os.environ | {"TMPDIR": folder}

    def marked(name):
        return environment | {name: "1"}

    # After a timeout.
    name = f"SKEIN_TEST_{os.getpid()}_TIMEOUT"
    run = check("--timeout", "0.5s", "--", program, env=marked(name))
    expect("it hangs", run.returncode == 1, run)
    expect("children after a timeout", not running(name), running(name))

    # If skein check, or its guard, is killed; alone or with its process group.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
        for to_group in (False, True):
            name = f"SKEIN_TEST_{os.getpid()}_{int(number)}_{int(to_group)}"
            process = subprocess.Popen([SKEIN, "check", "--", program], env=marked(name), text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            expect("it starts", process.stdout.readline() == "started\n")
            until("four processes of the test", lambda: len(running(name)) >= 6)
            (os.killpg if to_group else os.kill)(process.pid, number)
            process.wait(timeout=SECONDS)
            expect(f"it ends by signal {number}", process.returncode == -number, process.returncode)
            until(f"no process after signal {number}, group: {to_group}", lambda: not running(name))
            until("no folder", lambda: not list(pathlib.Path(folder).glob("skein-check-*")))
    name = f"SKEIN_TEST_{os.getpid()}_GUARD"
    process = subprocess.Popen([SKEIN, "check", "--", program], env=marked(name), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect("it starts", process.stdout.readline() == "started\n")
    until("four processes of the test", lambda: len(running(name)) >= 6)
    guard = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    expect("one guard", len(guard) == 1, guard)
    os.kill(int(guard[0]), signal.SIGKILL)
    expect("a killed guard", process.wait(timeout=SECONDS) == 1)
    until("no process after its guard was killed", lambda: not running(name))

    # A forwarded signal that the program handles ends it as the program chooses.
    handler = "trap 'echo got it; exit 5' USR1; echo started; while :; do sleep 0.01; done"
    process = subprocess.Popen([SKEIN, "check", "--launcher", "--", "sh", "-c", handler], text=True,
                               stdout=subprocess.PIPE)
    expect("it starts", process.stdout.readline() == "started\n")
    process.send_signal(signal.SIGUSR1)
    expect("a forwarded signal", process.communicate(timeout=SECONDS)[0] == "got it\n")
    expect("its exit code", process.returncode == 5, process.returncode)
    left = [path for path in pathlib.Path(folder).glob("skein-check-*")]
    expect("no temporary folders are left", not left, left)
