#!/usr/bin/env python3
"""Inputs that skein accepts as a trace, and errors for other inputs."""
import json
import pathlib

from common import folder, generate, info, skein


def refused(*arguments, stdin=b""):
    for command in ("info", "dump"):
        run = skein(command, *arguments, stdin=stdin)
        assert run.returncode == 2, (command, arguments, run)
        assert run.stdout == b"", run
        assert run.stderr.startswith(b"skein: ") and run.stderr.count(b"\n") == 1, run.stderr
    return run.stderr.decode()


def main():
    with folder() as name:
        here = pathlib.Path(name)
        trace = here / "trace.ctf"
        counted = generate(trace, "--events", 20000, "--packet-size", 30000)
        found = info(trace)
        assert found["kinds"] == counted["kinds"], (found, counted)
        assert found["tasks"] == counted["tasks"] and found["ended"] == counted["ended"]
        assert found["lost"] == []

        data = trace.read_bytes()
        run = skein("info", "--json", "-", stdin=data)
        assert run.returncode == 0 and json.loads(run.stdout) == found, run
        assert skein("info", trace).stdout.startswith(b"format      mirage-profile")
        lines = skein("dump", "--json", trace).stdout.splitlines()
        assert len(lines) == 20000
        assert all("event" in json.loads(line) for line in lines)

        # The same seed gives the same bytes, also through a pipe.
        again = here / "again.ctf"
        generate(again, "--events", 20000, "--packet-size", 30000)
        assert again.read_bytes() == data

        (here / "empty").write_bytes(b"")
        (here / "text").write_text("hello, this is no trace\n" * 100)
        (here / "zeros").write_bytes(bytes(1 << 20))
        (here / "folder").mkdir()
        (here / "folder" / "file").write_text("x")
        other = bytearray(data)
        for packet in range(0, len(other), 30000):
            other[packet + 4:packet + 20] = bytes(range(16))
        (here / "other").write_bytes(other)
        assert "empty" in refused(here / "empty")
        assert "empty" in refused("-")
        assert "not a trace" in refused(here / "text")
        assert "not a trace" in refused(here / "zeros")
        assert "directory" in refused(here / "folder")
        assert "uuid" in refused(here / "other")
        assert "No such file" in refused(here / "missing")
        assert "not a trace" in refused("-", stdin=b"something else entirely")
        assert "\x1b" not in refused(here / "evil\x1b[2Jname")
        refused()  # without arguments
        refused(trace, "--frobnicate")

        full = pathlib.Path("/dev/full")
        if full.exists():
            import subprocess
            from common import SKEIN
            with full.open("wb") as out:
                run = subprocess.run([SKEIN, "dump", trace], stdout=out, stderr=subprocess.PIPE)
            assert run.returncode == 1 and b"No space" in run.stderr, run


main()
