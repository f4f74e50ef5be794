#!/usr/bin/env python3
"""`skein view PID` shows the coroutines in the memory of a process without a recorder, and leaves no files.

    memory_test.py SKEIN SOURCE
"""
import os
import pathlib
import shutil
import subprocess
import sys

from screen import Program, run, until

skein, source = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
if not shutil.which("g++"):
    print("skipped: no g++")
    sys.exit(77)


def test(screen, scratch):
    program = scratch / "views"
    subprocess.run(["g++", "-std=c++20", "-g", "-O1", source, "-o", program], check=True)
    temporary = scratch / "temporary"
    temporary.mkdir()
    screen.environment["TMPDIR"] = str(temporary)
    process = subprocess.Popen([program, "30"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        it = Program(screen, skein, "view", "--theme", "light", str(process.pid)) \
            .wait_for(rf"^views \({process.pid}\), memory - skein$")
        until("bars", it.has_bars)
        assert os.listdir(temporary), "no trace"
        it.quit()
        until("no files are left", lambda: not os.listdir(temporary))
    finally:
        process.kill()
        process.wait()


run(test)
