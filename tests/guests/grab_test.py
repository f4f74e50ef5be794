#!/usr/bin/env python3
"""grab_test.py SKEIN UNIKERNEL MACHINE: boots examples/unikernel in QEMU without KVM, copies its trace
from outside - while it runs, after QEMU was killed, after crashes - and reads it: `skein why` names
the lost wake-up, and accuses a guest without the bug of nothing."""
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

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

    def __init__(self, folder, options, ram="file", name=""):
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
                   "-serial", f"file:{self.console_path}", "-no-reboot", "-no-shutdown"]
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


with tempfile.TemporaryDirectory() as scratch:
    for number, test in enumerate([test_running, test_correct, test_crashes, test_errors]):
        if MACHINE != "microvm" and test is not test_running:
            continue  # the machine makes no difference to them
        folder = os.path.join(scratch, str(number))
        os.mkdir(folder)
        test(folder)
if failures:
    print(f"{len(failures)} failures")
    sys.exit(1)
print("good")
