#!/usr/bin/env python3
"""An argument that is not a trace causes one line on stderr, no output on stdout, and exit code 2.
A trace in a pipe is read like a file.

usage: strange_test.py SKEIN SOURCE"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys

from common import SECONDS, SKEIN, expect, info, run, work_in_new_folder

source = pathlib.Path(sys.argv[2]).resolve()
MIRAGE = source / "tests/data/mirage/ring.ctf"
OURS = source / "tests/data/skein/every-event"
work = work_in_new_folder("strange")


def refused(what, says, *words, **options):
    r = run(*words, **options)
    expect(what, r.returncode == 2 and r.stdout == "" and r.stderr.startswith("skein: ")
           and r.stderr.count("\n") == 1 and says in r.stderr, r)


def file(name, contents):
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(contents)
    return name


def with_metadata(name, contents):
    file(f"{name}/metadata", contents)
    return name


os.mkfifo("fifo")
bound = socket.socket(socket.AF_UNIX)
bound.bind("socket")
os.mkdir("folder")
os.makedirs("no-file/metadata")
os.symlink("circle", "circle")
os.symlink("nowhere", "dangling")
head = MIRAGE.read_bytes()[:4096]
strange = {
    "": "empty TRACE argument",
    "missing": "No such file",
    "dangling": "No such file",
    "circle": "symbolic links",
    "missing/deeper": "No such file",
    file("plain", b"x") + "/below": "Not a directory",
    "n" * 300: "name too long",
    "folder": "empty directory",
    ".": "a directory that contains no trace",
    "no-file": "Is a directory",
    file("empty", b""): "empty",
    file("byte", b"\xc1"): "not a trace",
    file("text", b"hello, world\n" * 1000): "not a trace",
    file("zeros", bytes(100_000)): "not a trace",
    file("other-uuid", head.replace(head[4:20], bytes(16))): "another uuid",
    with_metadata("metadata-without-tracer", b"/* CTF 1.8 */\n"): "CTF trace of an unknown tracer",
    with_metadata("metadata-empty", b""): "not CTF 1.8",
    with_metadata("metadata-noise", os.urandom(5000)): "not CTF 1.8",
    file("\x1b[31mred\n", b"x"): r"\x1b[31mred",
    "socket": "a socket",
    "/dev/null": "empty",
    "/dev/zero": "not a trace",
    str(OURS / "metadata"): "not a trace",
    str(OURS / "s00000-0"): "another uuid",
}
for path, says in strange.items():
    for command in ("info", "dump"):
        refused(f"{command} {path!r}", says, command, path)
    refused(f"ps {path!r}", says, "ps", path)
    refused(f"export {path!r}", says, "export", "ctf", path, "-o", "copy")
    refused(f"snapshot {path!r}", "", "snapshot", path, "-o", "copy")
    expect(f"nothing is made of {path!r}", not os.path.exists("copy"))
refused("a FIFO without a writer", "without a writer", "info", "fifo")
refused("ps of no process", "no such process", "ps", 999999999)
refused("snapshot of no process", "no such process", "snapshot", 999999999, "-o", "copy")
refused("ps of a process that records nothing", "not recording", "ps", os.getpid())
for path in ("plain", "folder", "fifo"):
    refused(f"control {path}", f"skein: {path}: not a socket\n", "control", path, "status")
refused("control of no file", "missing: No such file or directory; start the program with "
        "SKEIN_CONTROL=missing", "control", "missing", "status")
refused("control without a listener", "socket: Connection refused; start", "control", "socket", "status")
refused("nothing on standard input", "empty", "info", "-", input="")
refused("noise on standard input", "not a trace", "info", "-", input="noise")
refused("standard input closed", "standard input", "info", "-", preexec_fn=lambda: os.close(0))
master, terminal = os.openpty()
refused("standard input a terminal", "a terminal", "info", "-", stdin=terminal)
refused("a terminal by its name", "a terminal", "info", os.ttyname(terminal))

if os.geteuid() != 0:
    os.mkdir("closed", 0)
    refused("a directory without permission", "Permission denied", "info", "closed")
    os.chmod(file("private", head), 0)
    refused("a file without permission", "Permission denied", "info", "private")
else:  # as another user
    os.chmod(work.name, 0o755)
    nobody = lambda: os.setuid(65534)
    try:
        reachable = run("--version", preexec_fn=nobody).returncode == 0
    except PermissionError:
        reachable = False  # the program itself is in an inaccessible directory
    if reachable:
        os.mkdir("closed", 0o700)
        refused("a directory without permission", "Permission denied", "info", "closed",
                preexec_fn=nobody)
        file("closed/trace/metadata", b"")
        refused("below a directory without permission", "Permission denied", "info", "closed/trace",
                preexec_fn=nobody)
        os.chmod(file("private", head), 0o600)
        refused("a file without permission", "Permission denied", "info", "private",
                preexec_fn=nobody)

# Traces that are not plain files or directories.
whole = info(MIRAGE)
expect("there is something to compare", whole["packets"] > 1, whole)
bytes_of = MIRAGE.read_bytes()
r = subprocess.run([SKEIN, "info", "--json", "-"], input=bytes_of, capture_output=True,
                   timeout=SECONDS)
expect("from standard input", json.loads(r.stdout) == whole, r)
r = subprocess.run(["bash", "-c", f"'{SKEIN}' info --json <(cat '{MIRAGE}')"], capture_output=True,
                   timeout=SECONDS)
expect("from a process substitution", json.loads(r.stdout) == whole, r)
writer = subprocess.Popen(["sh", "-c", f"cat '{MIRAGE}' > fifo"])
expect("from a FIFO", info("fifo") == whole)
writer.wait(timeout=SECONDS)
os.symlink(OURS, "link")
expect("a link to a directory", info("link") == info(OURS))
expect("a directory with a slash behind", info(f"{OURS}/") == info(OURS))
os.symlink(MIRAGE, "-")
expect("a file that is called -", info("./-") == whole)

# The origin in the metadata is untrusted text.
shutil.copytree(OURS, "copy")
metadata = pathlib.Path("copy/metadata")
metadata.write_bytes(metadata.read_bytes().replace(
    b"\tclock_source", b'\torigin = "\xff\x1b[31m";\n\tclock_source', 1))
for words in (["info"], ["info", "--json"], ["ps"], ["ps", "--json"], ["why"], ["doctor", "--json"]):
    r = run(*words, "copy")
    expect(f"{words} is not led astray", r.returncode in (0, 1) and "\x1b" not in r.stdout and
           "\x1b" not in r.stderr, r)
expect("and info shows it", "\\xff\\x1b[31m" in run("info", "copy").stdout, run("info", "copy"))

# Standard output that cannot be written.
for command in ("info", "dump", "ps"):
    with open("/dev/full", "w") as full:
        r = subprocess.run([SKEIN, command, OURS], stdout=full, stderr=subprocess.PIPE, text=True,
                           timeout=SECONDS)
    expect(f"{command} on a full disk", r.returncode == 1 and "No space left" in r.stderr, r)
r = subprocess.run(["bash", "-c", f"'{SKEIN}' dump '{MIRAGE}' | head -n 1 >/dev/null; "
                    "exit ${PIPESTATUS[0]}"], capture_output=True, timeout=SECONDS)
expect("a closed pipe ends it quietly", r.returncode in (0, 128 + signal.SIGPIPE) and not r.stderr, r)
print("passed")
