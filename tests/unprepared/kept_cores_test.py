#!/usr/bin/env python3
"""kept_cores_test.py SKEIN SOURCE: `skein ps PID` of a process that has ended reads the core that systemd-coredump has
kept; compressed cores, also cut short ones."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

skein, source = sys.argv[1:3]
if not shutil.which("gcore"):
    print("skipped: no gcore")
    sys.exit(77)
BOOT = "0123456789abcdef0123456789abcdef"


def check(condition, what):
    if not condition:
        sys.exit(f"kept_cores_test: {what}")


def run(*words, **environment):
    return subprocess.run([skein, *map(str, words)], capture_output=True, text=True, timeout=60,
                          env=os.environ | environment)


def coroutines(target, **environment):
    got = run("ps", "--json", target, **environment)
    check(got.returncode == 0, f"ps {target}: {got}")
    return json.loads(got.stdout)


def kernel_order(core):
    """The same core with its notes first, as the kernel writes it."""
    begin, count = struct.unpack_from("<Q", core, 32)[0], struct.unpack_from("<H", core, 56)[0]
    head, notes = bytearray(core[:begin + 56 * count]), b""
    for at in range(begin, begin + 56 * count, 56):
        if struct.unpack_from("<I", head, at)[0] == 4:
            offset, size = struct.unpack_from("<Q16xQ", head, at + 8)
            notes = core[offset:offset + size]
    for at in range(begin, begin + 56 * count, 56):
        is_note = struct.unpack_from("<I", head, at)[0] == 4
        offset = struct.unpack_from("<Q", head, at + 8)[0]
        struct.pack_into("<Q", head, at + 8, len(head) if is_note else offset + len(notes))
    return bytes(head) + notes + core[len(head):]


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    program = folder / "coroutines"
    subprocess.run(["g++", "-std=c++20", "-g", "-O1", source, "-o", program], check=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        for line in iter(process.stdout.readline, "end\n"):
            pass
        expected = coroutines(process.pid)["coroutines"]
        subprocess.run(["gcore", "-o", folder / "core", str(process.pid)], capture_output=True, check=True)
        core = folder / f"core.{process.pid}"
        kept = folder / "kept"
        kept.mkdir()
        uid, pid = os.getuid(), process.pid
        packers = [(".zst", ["zstd", "-q", "-c"]), (".xz", ["xz", "-0", "-c"]), ("", ["cat"])]
        packers = [one for one in packers if shutil.which(one[1][0])]
        for number, (end, packer) in enumerate(packers):
            path = kept / f"core.co\\x2erout.{uid}.{BOOT}.{pid}.{1700000000000000 + number}{end}"
            with open(path, "wb") as out:
                subprocess.run([*packer, core], stdout=out, check=True)
            found = coroutines(path)
            check(found["coroutines"] == expected and not found["warnings"], f"{path.name}: {found}")
        # While it runs, the number is that of the process.
        got = run("ps", pid, SKEIN_CORES=str(kept))
        check(got.returncode == 0 and "has ended" not in got.stderr, f"of a running process: {got}")
    finally:
        process.kill()
        process.wait()

    for command in (["ps"], ["why"], ["show"], ["html", "-o", folder / "page.html"], ["query", "-c", "x"],
                    ["core", "-o", folder / "small"]):
        words = [command[0], pid, *command[1:]]
        if command[0] == "query":
            words = ["query", pid, "select count(*) from coroutine"]
        got = run(*words, SKEIN_CORES=str(kept))
        check(got.returncode in (0, 1) and "has ended; reading its core, co.rout of 2023-11-14" in got.stderr,
              f"{command[0]} of a process that has ended: {got}")
        if command[0] == "query":
            check(str(len(expected)) in got.stdout, got)
    check(coroutines(pid, SKEIN_CORES=str(kept))["coroutines"] == expected, "the newest core")
    got = run("ps", pid, SKEIN_CORES=str(folder / "none"))
    check(got.returncode == 2 and "no such process" in got.stderr, f"without a core: {got}")

    if shutil.which("zstd"):
        packed = kept / f"core.co\\x2erout.{uid}.{BOOT}.{pid}.1700000000000000.zst"
        part = folder / "part.zst"
        part.write_bytes(packed.read_bytes()[:-packed.stat().st_size // 3])
        got = run("ps", part)  # the notes of gdb's cores are at their end
        check(got.returncode == 2 and "the names of its program and libraries" in got.stderr, f"no names: {got}")
        data = kernel_order(core.read_bytes())
        part.write_bytes(subprocess.run(["zstd", "-c"], input=data, capture_output=True, check=True).stdout[:-120_000])
        found = coroutines(part)
        for words in ("the packed file is cut short", "the core was cut short"):
            check(any(words in warning for warning in found["warnings"]), f"a truncated frame: {found['warnings']}")
        check(0 < len(found["coroutines"]) <= len(expected), f"what precedes the end: {len(found['coroutines'])}")
        got = run("ps", part, TMPDIR="/proc/none")
        check(got.returncode == 2 and "set TMPDIR" in got.stderr, f"no place to unpack: {got}")
        got = run("stats", part)
        check(got.returncode == 2 and "a core file, not a recording" in got.stderr, f"stats: {got}")
        other = folder / "other.zst"
        other.write_bytes(subprocess.run(["zstd", "-c"], input=b"text" * 100, capture_output=True).stdout)
        got = run("ps", other)
        check(got.returncode == 2 and "not a trace; expected" in got.stderr, f"other data: {got}")
        # Zeros take no space.
        hole = folder / "hole"
        with open(hole, "wb") as out:
            out.write(core.read_bytes())
            out.truncate(256 << 20)
        with open(folder / "hole.zst", "wb") as out:
            subprocess.run(["zstd", "-q", "-1", "-c", hole], stdout=out, check=True)
        check(coroutines(folder / "hole.zst")["coroutines"] == expected, "a sparse core")
    lz4 = folder / "core.lz4"
    lz4.write_bytes(b"\x04\x22\x4d\x18" + core.read_bytes()[:1000])
    got = run("ps", lz4)
    check(got.returncode == 2 and f"lz4 -dc '{lz4}'" in got.stderr, f"lz4: {got}")
