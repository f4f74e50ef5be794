#!/usr/bin/env python3
"""`skein view` shows a profile (perf.data), and leaves no files.

    profile_test.py SKEIN SOURCE
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
    program, data = scratch / "server", scratch / "server.data"
    subprocess.run(["g++", "-std=c++20", "-g", "-O2", "-pthread", source, "-o", program], check=True)
    done = subprocess.run([skein, "profile", "-o", data, "--", program, "1"], capture_output=True, text=True)
    if "perf_event_open" in done.stderr:
        print("skipped:", done.stderr)
        sys.exit(77)
    assert done.returncode == 0, done
    temporary = scratch / "temporary"
    temporary.mkdir()
    screen.environment["TMPDIR"] = str(temporary)
    it = Program(screen, skein, "view", "--theme", "light", str(data)).wait_for(r"^server\.data - skein$")
    until("bars", it.has_bars)
    assert os.listdir(temporary), "no trace"
    it.quit()
    until("no files are left", lambda: not os.listdir(temporary))


run(test)
