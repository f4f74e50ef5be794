#!/usr/bin/env python3
"""lock_order_test.py SKEIN SOURCE VERDICT COMPILER OPTION...: of two coroutines that take two locks in opposite orders,
`skein why` reports that it may be a deadlock: the program's own locks could have time limits."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source, verdict, compiler, *options = sys.argv[1:]
if not shutil.which(compiler):
    print(f"skipped: no {compiler}")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "program"
    subprocess.run([compiler, "-std=c++20", *options, source, "-o", program], check=True)
    # Without an environment, the frame of main() is at the end of the stack.
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True, env={})
    try:
        assert process.stdout.readline() == "ready\n"
        run = subprocess.run([skein, "why", "--json", str(process.pid)], capture_output=True, text=True)
        found = json.loads(run.stdout)
        picture = Path(folder) / "picture.svg"
        subprocess.run([skein, "render", str(process.pid), "-o", picture], check=True, capture_output=True)
        drawn = picture.read_text()
    finally:
        process.kill()
        process.wait()
held = re.findall(r"transfer, lock_order.cc:\d+, waits for [\w:]*Mutex, probably held by [^<]*transfer<", drawn)
assert len(held) == 2, held
names = {one["frame"]: one["function"].rsplit("::", 1)[-1] for one in found["coroutines"]}
chains = sorted((chain["verdict"], *map(names.get, chain["frames"])) for chain in found["chains"])
assert chains == [(verdict, "transfer_often", "transfer")] * 2, chains
assert not found["warnings"], found["warnings"]  # also of the thread's stack
assert run.returncode == (verdict == "deadlock"), run
