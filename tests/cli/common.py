"""What the tests of the program `skein` share. Their first argument is its path."""
import atexit
import json
import os
import subprocess
import sys
import tempfile
import time

SKEIN = os.path.abspath(sys.argv[1])
SECONDS = 60  # nothing here takes as long; more is a hang


def run(*words, **options):
    return subprocess.run([SKEIN, *map(str, words)], capture_output=True, text=True,
                          timeout=SECONDS, **options)


def start(command, **options):
    """A program beside the test, which does not outlive it."""
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
    """Goes to a folder that is removed when the object returned is."""
    folder = tempfile.TemporaryDirectory(prefix=f"skein-{name}-")
    os.chdir(folder.name)
    return folder
