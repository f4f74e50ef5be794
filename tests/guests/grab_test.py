#!/usr/bin/env python3
"""grab_test.py SKEIN UNIKERNEL MACHINE: boots examples/unikernel in QEMU without KVM, copies its trace
from outside - while it runs, after QEMU was killed, after crashes, through its gdb server - and reads
it: `skein why` names the lost wake-up, and accuses a guest without the bug of nothing."""
import ctypes
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

SKEIN, UNIKERNEL, MACHINE = sys.argv[1:4]
QEMU = shutil.which("qemu-system-x86_64")
if QEMU is None:
    print("skipped: no qemu-system-x86_64")
    sys.exit(77)
failures = []


def check(condition, what, detail=""):
    if not condition:
        failures.append(what)
        print(f"failed: {what}\n{detail}", flush=True)


def skein(*arguments, status=0):
    done = subprocess.run([SKEIN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=120)
    if status is not None:
        check(done.returncode == status, f"skein {' '.join(arguments)}: exit {done.returncode}",
              done.stdout)
    return done.stdout


def end_with_test():
    set_death_signal = 1  # PR_SET_PDEATHSIG: also if the test itself is killed
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


class Guest:
    """A QEMU process, killed at the end in any case."""
    number = 0

    def __init__(self, folder, options, ram="file", name="", extra=()):
        Guest.number += 1
        self.name = name or f"skein-test-{os.getpid()}-{Guest.number}"
        self.ram = os.path.join(folder, f"{Guest.number}.ram")
        self.console_path = os.path.join(folder, f"{Guest.number}.console")
        machine = MACHINE
        backend = []
        if ram != "anonymous":
            machine += ",memory-backend=ram"
            backend = ["-object", f"memory-backend-file,id=ram,size=64M,share=on,mem-path={self.ram}"
                       if ram == "file" else "memory-backend-memfd,id=ram,size=64M,share=on"]
        command = [QEMU, "-name", self.name, "-M", machine, "-m", "64", *backend, "-accel", "tcg",
                   "-kernel", UNIKERNEL, "-append", options, "-nodefaults", "-display", "none",
                   "-serial", f"file:{self.console_path}", "-no-reboot", "-no-shutdown", *extra]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, preexec_fn=end_with_test)

    def console(self):
        try:
            with open(self.console_path, errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def wait_for(self, text):
        for _ in range(2400):
            if text in self.console():
                return True
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        check(False, f"{self.name}: no '{text}' on the console",
              self.console() + (self.process.stderr.read() if self.process.poll() is not None else ""))
        return False

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def grab(source, folder, name):
    output = os.path.join(folder, name)
    return output, skein("grab", "-d", source, "-w", output)


def names_lost_wakeup(trace):
    said = skein("why", trace, status=None)
    check("client (#" in said.splitlines()[0] and "lost wake-up" in said.splitlines()[0],
          f"{trace}: why names the lost wake-up", said)
    for needed in ["waits for query", "ARP answer", "Arp::query arp.h:", "Arp::input arp.h:"]:
        check(needed in said, f"{trace}: why has '{needed}'", said)


def has_no_damage(trace):
    info = skein("info", trace)
    for needed in ["unikernel", "lost        nothing", "interrupts", "beats"]:
        check(needed in info, f"{trace}: info has '{needed}'", info)


def is_read_without_a_copy(guest, folder):
    """The commands that read a trace, from the memory of a guest that goes on."""
    names_lost_wakeup("guest:" + guest.name)
    has_no_damage("guest:" + guest.name)
    check("client" in skein("ps", "-d", guest.name), "ps -d")
    check(f"-d {guest.name} " in skein("targets"), "targets")
    said = skein("why", "query", "-d", guest.name, status=None)
    check(said.startswith("query (#"), "why TASK -d: the task stays behind the guest", said)
    check("heartbeat" in skein("stats", "--domain=" + guest.name), "stats --domain=")
    check("client" in skein("query", "--csv", "select name from task", f"-d{guest.name}"), "query -d")
    page = os.path.join(folder, "page.html")
    skein("html", "-d", guest.name, "-o", page)
    check("<title>" + guest.name in open(page, encoding="utf-16").read(), "html -d: the title")
    old, _ = grab(guest.name, folder, "old")
    said = skein("diff", old, "-d", guest.name, status=None)
    check(said.startswith("good") and "\nbad " in said, "diff -d", said)
    said = skein("info", "-d", "no-such-guest", status=2)
    check("no such guest" in said, "no such guest", said)
    is_served(guest)


def is_served(guest):
    """The page gets the new events of a guest that runs."""
    server = subprocess.Popen([SKEIN, "serve", "-d", guest.name], stdout=subprocess.PIPE, text=True,
                              preexec_fn=end_with_test)
    page, token = server.stdout.readline().strip().split("?")

    def bundle(version):
        with urllib.request.urlopen(f"{page}bundle?{token}&have={version}", timeout=120) as answer:
            return answer.headers, len(answer.read())
    headers, size = bundle("")
    check(headers["X-Skein-Update"] == "0" and headers["X-Skein-State"] == "the guest runs" and size > 1000,
          "serve -d: all", headers)
    for _ in range(1000):
        newer, size = bundle(headers["X-Skein-Version"])
        if size:
            break
        time.sleep(0.05)
    check(newer["X-Skein-Update"] == "1" and size, "serve -d: the news", newer)
    server.terminate()
    server.wait()


def test_running(folder):
    for ram in ["file", "memfd", "anonymous"]:
        with Guest(folder, "lost=1", ram=ram) as guest:
            if not guest.wait_for("running"):
                continue
            trace, said = grab(guest.name, folder, f"running-{ram}")
            check("1 stream" in said or "2 streams" in said, "streams are counted", said)
            names_lost_wakeup(trace)
            has_no_damage(trace)
            tasks = skein("ps", trace)
            check("client" in tasks and "ended)" not in tasks, "ps shows the client", tasks)
            if ram == "file":
                is_read_without_a_copy(guest, folder)
                by_pid, _ = grab(str(guest.process.pid), folder, "by-pid")
                names_lost_wakeup(by_pid)
                check(guest.process.poll() is None, "the guest still runs")
                guest.kill()
                killed, _ = grab(guest.ram, folder, "killed")
                names_lost_wakeup(killed)
                has_no_damage(killed)


def test_correct(folder):
    """The same program, whose answer comes after its waiter."""
    with Guest(folder, "lost=0") as guest:
        if not guest.wait_for("answered") or not guest.wait_for("running"):
            return
        trace, _ = grab(guest.name, folder, "correct")
        said = skein("why", trace, status=None)
        check("lost wake-up" not in said and "client" not in said, "nothing is accused", said)
        has_no_damage(trace)


def test_crashes(folder):
    for how, note in [("triple", None), ("panic", "as requested"), ("stuck", None)]:
        with Guest(folder, f"lost=1 crash={how} crash_after=30") as guest:
            if not guest.wait_for("crash\n"):
                continue
            time.sleep(0.2)
            trace, said = grab(guest.name, folder, f"crash-{how}")
            names_lost_wakeup(trace)
            tasks = skein("ps", trace)
            check("crash" in tasks, f"{how}: ps shows the task that ran last", tasks)
            check(("left a note" in said) == (note is not None), f"{how}: the note", said)
            if note is not None:
                check(note in said, f"{how}: the note's text", said)


def test_errors(folder):
    said = skein("grab", "-d", "no-such-guest", "-w", os.path.join(folder, "none"), status=2)
    check("no such guest" in said, "no such guest", said)
    check(not os.path.exists(os.path.join(folder, "none")), "nothing is written")
    empty = os.path.join(folder, "empty.ram")
    with open(empty, "wb") as file:
        file.truncate(64 << 20)
    said = skein("grab", "-d", empty, "-w", os.path.join(folder, "none"), status=2)
    check("no arena" in said, "no arena", said)
    name = f"skein-twin-{os.getpid()}"
    with Guest(folder, "lost=1", ram="anonymous", name=name) as one, \
            Guest(folder, "lost=1", ram="anonymous", name=name) as two:
        time.sleep(0.3)
        said = skein("grab", "-d", name, "-w", os.path.join(folder, "none"), status=2)
        check("names 2 guests" in said and str(one.process.pid) in said and
              str(two.process.pid) in said, "an ambiguous name", said)


class Monitor:
    """QEMU's machine protocol, which does not disturb the guest."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(600):
            try:
                self.socket.connect(path)
                break
            except OSError:
                time.sleep(0.05)
        self.file = self.socket.makefile("rw")
        self.file.readline()
        self("qmp_capabilities")

    def __call__(self, command):
        self.file.write(json.dumps({"execute": command}) + "\n")
        self.file.flush()
        while True:
            reply = json.loads(self.file.readline())
            if "return" in reply or "error" in reply:
                return reply.get("return")

    def status(self):
        return self("query-status")["status"]

    def becomes(self, status):
        for _ in range(600):
            if self.status() == status:
                return True
            time.sleep(0.05)
        return False


class GdbGuest(Guest):
    """One with a gdb server at a Unix socket."""

    def __init__(self, folder, options, extra=()):
        self.gdb = os.path.join(folder, f"{Guest.number}.gdb")
        control = os.path.join(folder, f"{Guest.number}.qmp")
        super().__init__(folder, options, ram="anonymous", extra=[
            "-gdb", f"unix:{self.gdb},server=on,wait=off",
            "-qmp", f"unix:{control},server=on,wait=off", *extra])
        self.monitor = Monitor(control)

    def grab(self, folder, name, *options, status=0):
        output = os.path.join(folder, name)
        return output, skein("grab", "-d", "gdb:" + self.gdb, "-w", output, *options, status=status)


def test_gdb(folder):
    with GdbGuest(folder, "lost=1") as guest:
        if not guest.wait_for("running"):
            return
        address = re.search(r"arena at (\d+)", guest.console())[1]
        virtual = hex(0xffffffff80000000 + int(address))
        for name, options in [("searched", []), ("physical", ["--arena", address]),
                              ("virtual", ["--arena", virtual])]:
            trace, said = guest.grab(folder, name, *options)
            check("the guest stood still for " in said, f"{name}: the pause is reported", said)
            names_lost_wakeup(trace)
            has_no_damage(trace)
            check(guest.monitor.status() == "running", f"{name}: the guest runs again")
        _, said = guest.grab(folder, "none", "--arena", "0x1000", status=2)
        check("no arena at 0x1000" in said and "stood still" in said, "no arena there", said)
        check(guest.monitor.status() == "running", "the guest runs after an error")

        # One that QEMU's monitor has paused.
        guest.monitor("stop")
        version = guest.monitor("query-version")["qemu"]
        trace, said = guest.grab(folder, "paused")
        names_lost_wakeup(trace)
        if (version["major"], version["minor"]) < (8, 1):
            check("stopped before (paused)" in said, "it was paused", said)
            check(guest.monitor.status() == "paused", "it stays paused")
        guest.monitor("cont")

        # Another debugger.
        other = socket.socket(socket.AF_UNIX)
        other.connect(guest.gdb)
        check(guest.monitor.becomes("paused"), "another debugger stops the guest")
        _, said = guest.grab(folder, "busy", status=2)
        check("another debugger may be connected" in said, "the server is busy", said)
        other.sendall(b"$D#44")
        check(other.recv(100) != b"", "it detaches")
        other.close()
        check(guest.monitor.becomes("running"), "the guest runs after both")

        # The connection is not begun while there is another: QEMU would stop the guest for it later.
        other = socket.socket(socket.AF_UNIX)
        other.connect(guest.gdb)
        check(guest.monitor.becomes("paused"), "another debugger stops the guest again")
        other.sendall(b"+$c#63")
        check(guest.monitor.becomes("running"), "it lets the guest run")
        guest.grab(folder, "busy", status=2)
        other.close()
        time.sleep(0.3)
        check(guest.monitor.status() == "running", "the guest runs on when the other one has gone")

        for number in range(30):  # killed anywhere, every second time with its process group
            output = os.path.join(folder, "killed")
            process = subprocess.Popen([SKEIN, "grab", "-d", "gdb:" + guest.gdb, "-w", output],
                                       stderr=subprocess.DEVNULL, start_new_session=True)
            time.sleep(random.random() * 0.1)
            if number % 2 == 0:
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            shutil.rmtree(output, ignore_errors=True)
            if not guest.monitor.becomes("running"):
                check(False, "the guest runs after skein was killed")
                break
        trace, _ = guest.grab(folder, "after-kills")
        has_no_damage(trace)
    for how, status in [("triple", "shutdown"), ("panic", "running"), ("stuck", "running")]:
        with GdbGuest(folder, f"lost=1 crash={how} crash_after=30") as guest:
            if not guest.wait_for("crash\n") or not guest.monitor.becomes(status):
                continue
            trace, said = guest.grab(folder, f"gdb-{how}")
            names_lost_wakeup(trace)
            check((f"stopped before ({status})" in said) == (status != "running"),
                  f"{how}: the state is reported", said)
            check(guest.monitor.status() == status, f"{how}: the guest is as it was")
            check(("left a note" in said) == (how == "panic"), f"{how}: the note", said)
    with GdbGuest(folder, "lost=1", extra=["-S"]) as guest:
        _, said = guest.grab(folder, "prelaunch", status=2)
        check("stopped before (prelaunch)" in said and "no arena" in said, "before its start", said)
        check(guest.monitor.status() == "prelaunch", "it is not started")


with tempfile.TemporaryDirectory() as scratch:
    for number, test in enumerate([test_running, test_correct, test_crashes, test_errors, test_gdb]):
        if MACHINE != "microvm" and test is not test_running:
            continue  # the machine makes no difference to them
        folder = os.path.join(scratch, str(number))
        os.mkdir(folder)
        test(folder)
if failures:
    print(f"{len(failures)} failures")
    sys.exit(1)
print("good")
