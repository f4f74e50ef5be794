"""Helpers for tests with mirage-profile's traces: they run the two programs."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKEIN, GENERATE = sys.argv[1:3]
SECONDS = 60  # no command takes one; after this time it hangs


def generate(path, *options):
    """Writes a trace. Returns the counts that a reader must report for it."""
    run = subprocess.run([GENERATE, "-o", path, "--counts", *map(str, options)],
                         check=True, stderr=subprocess.PIPE, timeout=SECONDS)
    return json.loads(run.stderr)


def skein(*arguments, stdin=b""):
    return subprocess.run([SKEIN, *map(str, arguments)], input=stdin, capture_output=True,
                          timeout=SECONDS)


def info(path):
    run = skein("info", "--json", path)
    assert run.returncode == 0, (path, run.returncode, run.stderr)
    assert run.stderr == b"", run.stderr
    return json.loads(run.stdout)


def folder():
    return tempfile.TemporaryDirectory(prefix="skein-mirage-")


def example():
    """Returns the public example trace, which skein must not ship, or None if it does not exist."""
    source = pathlib.Path(__file__).resolve().parents[2]
    path = pathlib.Path(os.environ.get("SKEIN_DATA", source.parent / "shared" / "data")) / "net.ctf"
    return path if path.exists() else None
