"""Helpers for tests of the program `skein`. The first argument of a test is its path."""
import atexit
import json
import os
import subprocess
import sys
import tempfile
import time

SKEIN = os.path.abspath(sys.argv[1])
SECONDS = 60  # after this time it hangs


def run(*words, **options):
    return subprocess.run([SKEIN, *map(str, words)], capture_output=True, text=True,
                          timeout=SECONDS, **options)


def start(command, **options):
    """Starts a program, which is killed at the end of the test if it still runs."""
    program = subprocess.Popen(command, **options)
    atexit.register(program.kill)
    return program


def info(trace):
    r = run("info", "--json", trace)
    expect(f"info of {trace}", r.returncode == 0, r)
    return json.loads(r.stdout)


def expect(what, condition, detail=""):
    if not condition:
        print(f"FAILED: {what}: {detail}")
        sys.exit(1)


def until(condition, what):
    end = time.monotonic() + SECONDS
    while not condition():
        expect(what, time.monotonic() < end, "it never happened")
        time.sleep(0.005)


def work_in_new_folder(name):
    """Changes to a new folder. It is removed together with the returned object."""
    folder = tempfile.TemporaryDirectory(prefix=f"skein-{name}-")
    os.chdir(folder.name)
    return folder
