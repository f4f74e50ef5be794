#!/usr/bin/env python3
"""The lanes of a program whose coroutines move between four threads show what ran on each.

    lanes_test.py SKEIN COMPARE_LANES PROGRAM
"""
import os
import subprocess
import sys
import tempfile

skein, compare_lanes, program = sys.argv[1:]
if not os.path.exists(program):
    print("skipped: the program is not built")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, "trace")
    subprocess.run([skein, "record", "-o", trace, "--", program], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=60)
    sys.exit(subprocess.run([compare_lanes, trace], timeout=60).returncode)
