#!/usr/bin/env python3
"""skein record: exit codes, signals, messages, existing files; skein control.

usage: record_test.py SKEIN RECORDED_PROGRAM
RECORDED_PROGRAM is linked with the recorder. Its argument is an exit code; or "kill": it kills
itself; or "wait": it records until SIGTERM; or "fork", "daemon" or "signals": see recorded.cc."""
import ctypes
import fcntl
import json
import os
import pathlib
import signal
import socket
import stat
import struct
import subprocess
import sys
import termios
import time

from common import SECONDS, SKEIN, expect, info, run, start, until, work_in_new_folder

program = sys.argv[2]
work = work_in_new_folder("record")

r = run("record", "-o", "good", "--", program, "0")
expect("success passes through", r.returncode == 0, r)
expect("it prints the path of the trace", "skein info good" in r.stderr, r.stderr)
expect("the trace is there", info("good")["tasks"] >= 1)
expect("directory is private", stat.S_IMODE(os.stat("good").st_mode) == 0o700)
for entry in pathlib.Path("good").iterdir():
    expect(f"{entry} is private", stat.S_IMODE(entry.stat().st_mode) == 0o600)

before = {p.name: p.stat().st_mtime_ns for p in pathlib.Path("good").iterdir()}
r = run("record", "-o", "good", "--", program, "0")
expect("a trace is not written over", r.returncode == 2 and "exists" in r.stderr, r)
expect("nor touched", before == {p.name: p.stat().st_mtime_ns for p in pathlib.Path("good").iterdir()})

r = run("record", "-o", "seven", "--", program, "7")
expect("the program's exit code", r.returncode == 7, r)
r = run("record", "-o", "killed", "--", program, "kill")
expect("killed by signal 9", r.returncode == 137 and "killed by signal 9" in r.stderr, r)
expect("its trace is whole", run("info", "killed").returncode == 0)
expect("and why is suggested", "skein why killed\n" in r.stderr and "skein info" not in r.stderr, r)
r = run("record", "-o", "number-%p", "--", "sh", "-c", f"echo $$; '{program}' 0")
expect("the command's number", r.returncode == 0 and os.path.isdir(f"number-{r.stdout.strip()}"), r)
for name in ("com,ma", "number-%p-"):
    os.mkdir(name)
    r = run("record", "--", program, "0", cwd=name)
    expect(f"in {name}", r.returncode == 2 and f"{name}/" in r.stderr and not os.listdir(name), r)
pathlib.Path("plain").touch()
for parent, reason in (("missing", "No such file or directory"), ("plain", "Not a directory")):
    r = run("record", "-o", f"{parent}/trace", "--", "touch", "was-run")
    expect(f"{parent} as the parent directory", r.returncode == 2 and r.stderr ==
           f"skein: {os.path.abspath(parent)}: {reason}; choose another directory with -o\n", r)
    expect("the program was not run", not os.path.exists("was-run"))
r = run("record", "-o", "slash/", "--", program, "0")
expect("a directory with a slash behind", r.returncode == 0 and os.path.isdir("slash"), r)
r = run("record", "-o", "none", "--", "./no-such-program")
expect("no such program", r.returncode == 127 and "no-such-program" in r.stderr, r)
expect("nothing is left behind", not os.path.exists("none"))
r = run("record", "-o", "empty", "--", "/bin/true")
expect("a program without skein", r.returncode == 1 and "not linked with skein" in r.stderr, r)
for bad in (["--size", "much"], ["--size", "4Q"], ["--size", "0"], ["--size", "2000G"],
            ["--tasks", "abc"], ["--mode", "both"], ["--all-files-at-start=0"],
            ["--all-files-at-start=x"], ["--all-files-at-start=1,mode=log"],
            ["--all-files-at-start", "--mode", "log"], ["--follow", "exec"]):
    r = run("record", *bad, "--", program, "0")
    expect(f"bad usage {bad}", r.returncode == 2 and r.stderr.startswith("skein: "), r)
r = run("record", "--", program, "0")
expect("default name", os.path.isdir(os.path.basename(program) + ".skein"), r)
r = run("record", "--", program, "0")
expect("default name, again", os.path.isdir(os.path.basename(program) + ".skein.2"), r)

r = run("record", "-o", "whole", "--size", "64k", "--all-files-at-start=2", "--", program, "0")
expect("all files at start", r.returncode == 0 and info("whole")["tasks"] == 1, r)
expect("of two rings", len(list(pathlib.Path("whole").glob("s0000[01]-[0-3]"))) == 8)

# Ctrl-C at a terminal stops the program unless it ignores the signal, as without `skein record`.
for number in (signal.SIGINT, signal.SIGQUIT):
    for action, code in ((signal.SIG_DFL, 128 + number), (signal.SIG_IGN, 1)):
        r = run("record", "-o", "interrupted", "--", "sh", "-c", f"ulimit -c 0; kill -{number:d} $$",
                preexec_fn=lambda: signal.signal(number, action))
        expect(f"{number!r} with {action!r}", r.returncode == code, r)

# The user presses Ctrl-C because the program seems to hang: skein suggests `skein why`, even if the
# program then ends by itself.
p = start([SKEIN, "record", "-o", "hung", "--", program, "wait"], stderr=subprocess.PIPE, text=True,
          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
until(lambda: os.path.exists("ready"), "the program is ready")
p.send_signal(signal.SIGINT)
os.kill(int(subprocess.run(["pgrep", "-P", str(p.pid)], capture_output=True, text=True).stdout),
        signal.SIGTERM)
text = p.communicate(timeout=30)[1]
expect("interrupted", p.returncode == 0 and "skein why hung\n" in text, (p.returncode, text))
os.remove("ready")

# `skein record` passes SIGTERM on to the program.
p = start([SKEIN, "record", "-o", "term", "--", program, "wait"],
          stderr=subprocess.PIPE, text=True)
until(lambda: os.path.exists("ready"), "the program is ready")
p.send_signal(signal.SIGTERM)
p.communicate(timeout=30)
expect("SIGTERM was passed on, and handled", p.returncode == 0, p.returncode)
os.remove("ready")


# ---- signals ----
def started(name, **options):
    """Runs the program that prints the signals it receives. Returns the process of skein."""
    p = start([SKEIN, "record", "-o", name, "--", program, "signals"], stdout=subprocess.PIPE,
              stderr=subprocess.PIPE, text=True, **options)
    expect("the program is ready", p.stdout.readline() == "ready\n")
    return p


def ended(p, code=0):
    text = p.communicate(timeout=SECONDS)[1]
    expect(f"skein ends with {code}", p.returncode == code, (p.returncode, text))
    return text


# Every signal that can be handled, except faults and job control, reaches the program; none ends skein.
NOT_FORWARDED = {"SIGKILL", "SIGSTOP", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGABRT",
                 "SIGSYS", "SIGCHLD", "SIGCONT", "SIGTSTP", "SIGTTIN", "SIGTTOU"}
p = started("signals")
for number in sorted(signal.valid_signals()):
    name = number.name if isinstance(number, signal.Signals) else str(number)
    if name in NOT_FORWARDED or number == signal.SIGTERM:
        continue
    p.send_signal(number)
    expect(f"{name} is forwarded", p.stdout.readline() == f"{number:d} 0\n")
class Value(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("pointer", ctypes.c_void_p)]
ctypes.CDLL(None).sigqueue(p.pid, int(signal.SIGRTMIN), Value(number=4711))
expect("with its value", p.stdout.readline() == f"{signal.SIGRTMIN:d} 4711\n")
p.send_signal(signal.SIGTERM)
expect("SIGTERM too", p.stdout.readline() == f"{signal.SIGTERM:d} 0\n")
expect("the trace is reported", "signals" in ended(p))

# A program that does not handle a signal is killed by it, and skein reports that.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGALRM,
               signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGXCPU, signal.SIGRTMIN):
    p = start([SKEIN, "record", "-o", f"default-{number:d}", "--", "sh", "-c",
               f"ulimit -c 0; '{program}' 0; echo ready; exec sleep 60"],
              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("the shell is ready", p.stdout.readline() == "ready\n")
    p.send_signal(number)
    expect(f"killed by {number!r}", "killed by signal" in ended(p, 128 + number))

# The terminal sends Ctrl-C and a change of its size to the program itself: once, not twice.
terminal, side = os.openpty()
with open("typed", "w") as output:
    p = start([SKEIN, "record", "-o", "typed-trace", "--", program, "signals"], stdin=side,
              stdout=output, stderr=subprocess.DEVNULL, start_new_session=True,
              preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
typed = pathlib.Path("typed")
until(lambda: "ready\n" in typed.read_text(), "the program is ready")
os.write(terminal, b"\x03")
until(lambda: f"{signal.SIGINT:d} 0\n" in typed.read_text(), "Ctrl-C")
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 11, 22, 0, 0))
until(lambda: f"{signal.SIGWINCH:d} 0\n" in typed.read_text(), "another size")
p.send_signal(signal.SIGTERM)
expect("it ends", p.wait(timeout=SECONDS) == 0)
expect("each signal once", typed.read_text() == "ready\n" + "".join(
    f"{number:d} 0\n" for number in (signal.SIGINT, signal.SIGWINCH, signal.SIGTERM)),
    typed.read_text())
os.close(terminal)
os.close(side)

# A parent that ignores SIGCHLD, and a closed pipe as stderr: the exit code is still the program's.
r = run("record", "-o", "ignored", "--", program, "7",
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
expect("SIGCHLD is ignored", r.returncode == 7, r)
reading, writing = os.pipe()
os.close(reading)
r = subprocess.run([SKEIN, "record", "-o", "unread", "--", program, "7"], stderr=writing)
os.close(writing)
expect("its message is not read", r.returncode == 7, r)

# ---- control ----
path = os.path.join(work.name, "control")
p = start([program, "wait"], env=dict(os.environ, SKEIN_CONTROL=path))
until(lambda: os.path.exists("ready"), "the program is ready")
expect("socket is private", stat.S_IMODE(os.stat(path).st_mode) == 0o600)
status = json.loads(run("control", path, "status").stdout)
expect("off until started", status["on"] is False, status)
expect("no clock before a trace", status["clock"] is None and status["directory"] == "", status)


# Invalid requests: the program answers each with one line and is not affected.
def connect():
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(30)
    peer.connect(path)
    return peer


def say(data, hang_up=False):
    with connect() as peer:
        peer.sendall(data)
        if hang_up:
            peer.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := peer.recv(4096):
            answer += piece
        expect(f"one line to {data[:20]}", answer.count(b"\n") == 1, answer)
        return json.loads(answer)


expect("too long", "2047" in say(b"start " + 100_000 * b"x" + b"\n")["error"])
expect("too long, without an end", "2047" in say(5_000 * b"x", hang_up=True)["error"])
expect("just not too long", "unknown request" in say(2047 * b"x" + b"\n")["error"])
expect("garbage", say(bytes(range(11, 256)) + b"\n")["ok"] is False)
expect("zeros", "zero byte" in say(b"status\0\0\n")["error"])
expect("nothing but an end", "unknown request" in say(b"\n")["error"])
expect("half a line", say(b"stat", hang_up=True)["ok"] is False)
expect("a line without its end", say(b"status", hang_up=True)["ok"] is True)
expect("all is escaped", say(b"snapshot /" + 2000 * b"\x01" + b"/x\n")["ok"] is False)
connect().close()

# Silent and slow peers delay no other, and more of them than fit do not keep others out.
slow = connect()
slow.sendall(b"st")
silent = [connect() for _ in range(10)]
others = [connect() for _ in range(5)]
for other in others:
    other.sendall(b"status\n")
expect("the others get replies", all(b'"ok":true' in other.recv(4096) for other in others))
slow.setblocking(False)
try:
    expect("the slow peer still has time", False, slow.recv(4096))
except BlockingIOError:
    pass
slow.settimeout(30)
expect("a slow peer gets an error", b"timed out after 5 s" in slow.recv(4096))
begun = time.monotonic()
silent += [connect() for _ in range(40)]
expect("one more than fit", say(b"status\n")["ok"] is True)
expect("the oldest make room", b"too many connections" in silent[10].recv(4096))
expect("not before their 100 ms", time.monotonic() - begun > 0.1)
# A request amid a flood of silent connections, all before the program accepts the first.
p.send_signal(signal.SIGSTOP)
os.waitid(os.P_PID, p.pid, os.WSTOPPED | os.WNOWAIT)
silent += [connect() for _ in range(30)]
others = [connect()]
others[0].sendall(b"status\n")
silent += [connect() for _ in range(30)]
p.send_signal(signal.SIGCONT)
expect("it gets its reply", b'"ok":true' in others[0].recv(4096))
for peer in silent:
    peer.close()
expect("skein control", run("control", path, "status").returncode == 0)
r = run("control", path, "status", "x")
expect("no argument", r.returncode == 2 and "takes no argument" in r.stderr, r)
p.send_signal(signal.SIGSTOP)
os.waitid(os.P_PID, p.pid, os.WSTOPPED | os.WNOWAIT)
r = run("control", path, "status")
p.send_signal(signal.SIGCONT)
expect("a stopped program is not waited for", r.returncode == 1 and "stopped" in r.stderr, r)
r = run("control", path, "start")
expect("nothing to resume", r.returncode == 1 and
       "no trace to resume; use: start DIR" in r.stderr, r)
r = run("control", path, "start", f"{work.name}/later,mode=log")
expect("started", r.returncode == 0 and json.loads(r.stdout)["on"] is True, r)
r = run("control", path, "start", f"{work.name}/other")
expect("one at a time", r.returncode == 1, r)
until(lambda: info("later")["tasks"] > 0, "events come")
r = run("control", path, "snapshot", f"{work.name}/copy")
expect("snapshot", r.returncode == 0, r)
expect("the copy is a trace", info("copy")["tasks"] > 0)
r = run("control", path, "snapshot", f"{work.name}/copy")
expect("no snapshot over another", r.returncode == 1, r)
expect("stopped", json.loads(run("control", path, "stop").stdout)["on"] is False)
at_stop = info("later")["events"]
expect("nothing after stop", at_stop == info("later")["events"])
expect("goes on", json.loads(run("control", path, "start").stdout)["on"] is True)
until(lambda: info("later")["events"] > at_stop, "more events")
p.send_signal(signal.SIGTERM)
expect("ends well", p.wait(timeout=30) == 0)
r = run("control", path, "status")
expect("no process", r.returncode == 2, r)

# The main thread ends first. The program goes on, and so does the control socket, until the last thread ends.
os.remove("ready")
p = start([program, "thread"], env=dict(os.environ, SKEIN_CONTROL=path))
until(lambda: os.path.exists("ready"), "the thread is ready")
until(lambda: pathlib.Path(f"/proc/{p.pid}/stat").read_text().rsplit(")")[1].startswith(" Z"), "main has ended")
expect("starts without main", json.loads(run("control", path, "start", "thread").stdout)["on"] is True)
until(lambda: info("thread")["events"] > 1000, "events without main")
p.send_signal(signal.SIGTERM)
if b"__tsan_init" in pathlib.Path(program).read_bytes():  # its own thread keeps the process, also without skein
    p.kill()
    p.wait()
else:
    expect("ends after main", p.wait(timeout=30) == 0)

# A surviving child does not occupy the socket's name.
for attempt in range(2):
    r = subprocess.run([program, "fork"], env=dict(os.environ, SKEIN_CONTROL=path),
                       capture_output=True, text=True)
    expect(f"nothing in the way, {attempt}", r.stderr == "", r)
pathlib.Path("over").touch()

# A descendant that inherits the variable says nothing, and no descriptor of the program differs.
environment = dict(os.environ)
plain = subprocess.run([program, "parent"], env=environment, capture_output=True, text=True)
environment["SKEIN_CONTROL"] = path
r = subprocess.run([program, "parent"], env=environment, capture_output=True, text=True)
expect("a child inherits it", (r.returncode, r.stdout, r.stderr) == (0, plain.stdout, ""), r)
os.remove("ready")
p = start([program, "wait"], env=environment)
until(lambda: os.path.exists("ready"), "the program is ready")
r = subprocess.run([program, "7"], env=environment, capture_output=True, text=True)
expect("another process listens", r.returncode == 7 and "Address already in use" in r.stderr, r)
p.send_signal(signal.SIGTERM)
p.wait(timeout=30)

# A daemon closes all descriptors. The recorder must not use those that it opens later.
p = start([program, "daemon"], env=dict(os.environ, SKEIN_CONTROL=path))
until(lambda: os.path.exists("own"), "the daemon listens")
run("control", path, "status")
for word in (b"a", b"b", b"c", b"d", b"end"):
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(30)
        until(lambda: peer.connect_ex("own") == 0, "the daemon answers")
        peer.sendall(word)
        answer = peer.recv(100)
        expect("no connection of the program's is taken", answer == b"own\n", answer)
expect("the daemon ends", p.wait(timeout=30) == 0)

if os.geteuid() == 0:  # another user is refused
    os.remove("ready")
    os.chmod(work.name, 0o755)
    p = start([program, "wait"], env=dict(os.environ, SKEIN_CONTROL=path))
    until(lambda: os.path.exists("ready"), "the program is ready")
    os.chmod(path, 0o666)  # so that the check of the peer's uid is tested
    r = run("control", path, "status", preexec_fn=lambda: os.setuid(65534))
    p.send_signal(signal.SIGTERM)
    p.wait(timeout=30)
    expect("another user", r.returncode == 1 and "permission denied" in r.stderr, r)

# A peer that is not the recorder: its text cannot control the terminal.
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind("fake")
    listener.listen()
    for reply in ('{"ok":false,"error":"\\u001b]0;title\\u0007 \\u202e \\u009b2J"}\n',
                  '{"ok":false,"error":"\x1b[2J"}\n', '{"ok":true,"on":"\\u001b[2J \\u009b"}\n', "\x1b[2J\n"):
        p = start([SKEIN, "control", "fake", "status"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        peer = listener.accept()[0]
        peer.recv(100)
        peer.sendall(reply.encode())
        peer.close()
        text = b"".join(p.communicate(timeout=SECONDS)).decode()
        expect("no control character", all(c == "\n" or c.isprintable() for c in text), text)
print("passed")
