#!/usr/bin/env python3
"""asio_connections_test.py SKEIN SOURCE COMPILER OPTION...: compiles a program without skein that has both ends of its
connections, and compares `skein why` of its memory with the truth of each end."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source, compiler, *options = sys.argv[1:]
if not shutil.which(compiler):
    print(f"skipped: no {compiler}")
    sys.exit(77)


def check(condition, what):
    if not condition:
        sys.exit(f"asio_connections_test: {what}")


def why(*arguments):
    return subprocess.run([skein, "why", *arguments], capture_output=True, text=True).stdout


with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "connections"
    subprocess.run([compiler, "-std=c++20", *options, source, "-o", program, "-pthread"], check=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        check(process.stdout.readline() == "ready\n", "the program is not ready")
        found = json.loads(why("--json", str(process.pid)))
        text = " ".join(why(str(process.pid)).split())
    finally:
        process.kill()
        process.wait()

frames = {one["frame"]: one for one in found["coroutines"]}
chains = {frames[chain["frames"][0]]["function"].rsplit("::", 1)[-1]: chain for chain in found["chains"]}
for name in ("greet", "read_greeting", "keep"):
    check(chains.get(name, {}).get("verdict") == "usual", f"{name}: {chains.get(name)}")
for name in ("read_first", "read_first_too"):
    check(chains.get(name, {}).get("verdict") == "nothing sent", f"{name}: {chains.get(name)}")
check("neither has ever sent a byte" in text, text)
check(text.count("Coroutines wait at both ends of the connection between 127.0.0.1:") == 1 and
      ": neither receives anything before one of them sends." in text, f"not that both ends wait: {text}")
