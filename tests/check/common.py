"""What the tests of `skein check` share. The first argument of a test is the program skein."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

SKEIN = os.path.abspath(sys.argv[1])
# The processes of these tests stop, end and change their groups. The kernel may send SIGHUP to a group with stopped
# processes then, which must not be that of the other tests.
if os.getpgid(0) != os.getpid():
    os.setsid()
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
SECONDS = 120  # after this time a test hangs itself


def expect(what, condition, detail=""):
    if not condition:
        print(f"FAILED: {what}: {detail}")
        sys.exit(1)


def check(*words, **options):
    """Runs skein check."""
    options = {"capture_output": True, "text": True, "timeout": SECONDS} | options
    return subprocess.run([SKEIN, "check", *map(str, words)], **options)


def compile_program(name, folder, *options, compiler="g++"):
    """Compiles programs/NAME.cc, and returns the path of the program."""
    program = pathlib.Path(folder) / name
    subprocess.run([compiler, "-std=c++20", "-g", "-O1", "-pthread", PROGRAMS / f"{name}.cc", "-o",
                    program, *options], check=True)
    return program


def can_compile(code):
    run = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-xc++", "-"], input=code, text=True,
                         capture_output=True)
    return run.returncode == 0


def places(source):
    """The functions and places at which a program hangs: [("read_answer", "coroutine.cc:34")]."""
    path = PROGRAMS / source
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.search(r"// HANGS (\w+)", line):
            found.append((match[1], f"{source}:{number}"))
    expect(f"a place in {source}", found)
    return found


def explains(text, source):
    """Whether a report has a line with each of these functions and its place."""
    lines = text.splitlines()
    return all(any(re.search(rf"\b{function}\b", line) and place in line for line in lines)
               for function, place in places(source))


def running(marker):
    """The processes whose environment has MARKER=1."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            if state not in "ZX" and f"{marker}=1".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            pass
    return found


def until(what, condition):
    end = time.monotonic() + SECONDS
    while not condition():
        expect(what, time.monotonic() < end, "it never happened")
        time.sleep(0.01)


def can_trace():
    """Whether this machine permits what gdb needs."""
    if not shutil.which("g++"):
        return False
    try:
        return int(pathlib.Path("/proc/sys/kernel/yama/ptrace_scope").read_text()) < 2 or os.getuid() == 0
    except OSError:
        return True
