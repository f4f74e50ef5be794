#!/usr/bin/env python3
"""`skein doctor` finds the bugs of programs with known bugs, and none in others.

    doctor_test.py SKEIN SOURCE BUILD
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from common import expect, info, run, start, until

source, build = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
# Limits that even a busy machine does not exceed.
patient = ["--longer-than", "60s", "--runs-longer-than", "60s", "--held-longer-than", "60s"]
eager = ["--longer-than", "1ns", "--runs-longer-than", "1us", "--held-longer-than", "1ns"]


def record(trace, program, *words, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("SKEIN_")}
    env |= {"SKEIN_TRACE": f"{trace},mode=log", "QT_LOGGING_RULES": "*=false"} | environment
    return subprocess.run([program, *words], env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=60)


def findings(trace, *options):
    said = run("doctor", "--json", trace, *options)
    found = json.loads(said.stdout)["findings"]
    expect("the exit code", said.returncode == (1 if found else 0), said)
    expect("no other output", said.stderr == "", said)
    return found


def line_of(file, marker):
    lines = (source / file).read_text().splitlines()
    found = [n for n, text in enumerate(lines, 1) if marker in text]
    expect(f"{marker} is there once", len(found) == 1, found)
    return found[0]


def places(finding):
    return {evidence["location"]["line"] for evidence in finding["evidence"] if evidence["location"]}


def finds_known_bugs(folder):
    """Finds each bug, with its location."""
    for attempt in range(10):  # a counter grows steadily only on an idle processor
        trace = folder / f"faults-{attempt}.skein"
        wanted = record(trace, build / "tests/cli/cli_doctor_faults").stdout.split()
        expect("the program lists its bugs", len(wanted) == 8, wanted)
        found = {f["lint"]: f for f in findings(trace, *eager)}
        if set(wanted) <= set(found):
            break
    missing = set(wanted) - set(found)
    expect("all is found", not missing, (missing, list(found)))
    of_file = {name: line_of("tests/cli/doctor_faults.cc", f"// place: {name}") for name in
               ("first", "second", "held", "forgotten", "too early", "too late")}
    for lint, *names in (("lock-order-cycle", "first", "second"), ("lock-across-wait", "held"),
                         ("never-started", "forgotten"),
                         ("notify-before-wait", "too early", "too late"),
                         ("destroyed-unresolved", "too late")):
        expect(f"the places of {lint}", {of_file[n] for n in names} <= places(found[lint]),
               (names, found[lint]))
    expect("all edges", [e["kind"] for e in found["lock-order-cycle"]["evidence"]] ==
           ["holds", "acquires"] * 2, found["lock-order-cycle"])
    expect("the leak, not the total", found["counter-only-grows"]["counter"] == "connections")
    expect("the queue", found["queue-only-grows"]["task"]["name"] == "jobs", found["queue-only-grows"])
    said = run("doctor", trace, "--longer-than", "60s")
    text = " ".join(said.stdout.split())
    for words in ("error, notify-before-wait: ", "waking no task", "doctor_faults.cc:",
                  "lock order cycle: mutex "):
        expect("the text contains it", words in text, (words, said.stdout))
    commands = re.findall(r"^  skein (show .*)$", said.stdout, re.M)
    expect("a picture of each", len(commands) >= 4, said.stdout)
    for command in commands:
        shown = run(*command.split())
        expect("there is such a picture", shown.returncode == 0 and shown.stdout, (command, shown))
    only = findings(trace, "--only", "never-started,lock-order-cycle")
    expect("only the selected lints", {f["lint"] for f in only} == {"never-started", "lock-order-cycle"}, only)


def named_strangely(folder):
    """The suggested commands are quoted for a shell and safe on a terminal."""
    trace = folder / "it's here"
    record(trace, build / "tests/cli/cli_doctor_faults")
    said = run("doctor", trace, "--only", "never-started")
    command = re.search(r"^  (skein show .*)$", said.stdout, re.M)
    expect("a command", command, said)
    shown = subprocess.run(command[1], shell=True, capture_output=True, text=True,
                           env=dict(os.environ, PATH=f"{build}:{os.environ['PATH']}"))
    expect("which a shell understands", shown.returncode == 0 and shown.stdout, (command[1], shown))
    trace = trace.rename(folder / "red \x1b[31m")
    said = run("doctor", trace, "--only", "never-started")
    expect("and no terminal obeys", said.returncode == 1 and "\x1b" not in said.stdout, said)


def asio(folder):
    program = build / "tests/cli/cli_doctor_asio"
    if not program.exists():
        return print("no Boost.Asio: its part is skipped")
    trace = folder / "asio.skein"
    record(trace, program)
    found = {f["lint"]: f for f in findings(trace, *eager)}
    for lint in ("self-wake", "handler-never-invoked", "operation-pending"):
        expect(lint, lint in found, list(found))
    expect("who posts itself", found["self-wake"]["task"]["name"] == "polls", found["self-wake"])
    expect("what it is that was not sent", "send" in found["operation-pending"]["task"]["name"],
           found["operation-pending"])
    return None


def accepts_correct_programs(folder):
    """Correct programs cause no findings, whatever they wait for. (quiet_test.py checks the
    other adapters.)"""
    programs = {
        "echo": ["examples/030-asio", "both", "0", "50"],
        "hang, good": ["examples/050-hang", "1"],
        "arp": ["examples/arp/arp", "--pair"],
        "arp, fixed": ["examples/arp/arp_fixed", "--pair", "--reply-first"],
        "coroutines": ["examples/020-coroutine"],
    }
    for name, (program, *words) in programs.items():
        if not (build / program).exists():
            print(f"no {program}: its part is skipped")
            continue
        trace = folder / f"{name.split(',')[0]}-well-{len(name)}.skein"
        record(trace, build / program, *words)
        expect(f"nothing is wrong with {name}", findings(trace, *patient) == [], run("doctor", trace))
        said = run("doctor", trace, *patient)
        expect("and reports none", (said.returncode, said.stdout) == (0, "No findings.\n"), said)


def lost_wake_up(folder):
    trace = folder / "bad.skein"
    record(trace, build / "examples/arp/arp", "--pair", "--reply-first", "--deadline", "200")
    found = findings(trace, *patient)
    expect("the lost wake-up", [f["lint"] for f in found] == ["notify-before-wait"], found)
    at = {line_of("examples/arp/arp.cc", text) for text in
          ("co_await entry.answered.wait();", "entry.answered.notify_all();")}
    expect("both places", places(found[0]) == at, (at, found))
    shown = {int(n) for n in re.findall(r"arp\.cc:(\d+)", (source / "docs/doctor.md").read_text())}
    expect("docs/doctor.md shows them", shown == at, (shown, at))
    page = folder / "bad.html"
    said = run("doctor", trace, "--html", page)
    if "built without the page" not in said.stderr:
        expect("a page, and the words", said.returncode == 1 and "error, " in said.stdout and
               "bad.html: " in said.stdout and "<title>bad.skein" in page.read_text("utf-16"), said)
    for words in (["-", "--html", page], ["-", "--view"], [trace, "--html", "-"]):
        expect(f"{words} is refused", run("doctor", *words).returncode == 2)
    expect("who", [found[0][who]["name"] for who in ("task", "other")] == ["query", "ARP answer"], found)


def server(folder):
    """Analyses a running server that waits in accept."""
    program = build / "examples/030-asio"
    if not program.exists():
        return
    trace = folder / "server.skein"
    process = start([program, "server"], env=dict(os.environ, SKEIN_TRACE=str(trace)),
                    stdout=subprocess.DEVNULL)
    until(lambda: (trace / "metadata").exists() and info(trace)["kinds"].get("suspend", 0) >= 1,
          "it waits")
    said = run("doctor", process.pid, *patient)
    expect("that is as intended", (said.returncode, said.stdout) == (0, "No findings.\n"), said)
    notes = findings(trace, "--strict")
    expect("and reported with --strict", "operation-pending" in [f["lint"] for f in notes] and
           {f["severity"] for f in notes} == {"note"}, notes)
    process.kill()


def mirage():
    net = pathlib.Path(os.environ.get("SKEIN_DATA", source / "../shared/data")) / "net.ctf"
    if not net.exists():
        return print("no net.ctf: its part is skipped")
    return expect("nothing is wrong with net.ctf", findings(net) == [], run("doctor", net).stdout)


def mistakes():
    for words, text in ((["none"], "none"), ([], "TRACE"), (["--longer-than", "soon", "x"], "soon"),
                        (["--only", "colour", "x"], "colour")):
        said = run("doctor", *words)
        expect(f"{words} is refused", said.returncode == 2 and text in said.stderr, said)


def documents():
    """The documents list the lints of the program in its order; lints.h names a file for each."""
    said = run("doctor", "--list")
    lints = re.findall(r"^([a-z-]+)  +\S", said.stdout, re.M)
    expect("lints are listed", said.returncode == 0 and lints, said)
    page = (source / "docs/man/skein-doctor.1").read_text()
    expect("the man page", re.findall(r"^\.It ([a-z-]+)$", page, re.M) == lints, page)
    table = re.findall(r"^\| ([a-z-]+) \|", (source / "docs/doctor.md").read_text(), re.M)
    expect("docs/doctor.md", table == ["lint", *lints], table)
    schema = re.search(r'"lint": \{\s*"enum": (\[[^]]*\])', (source / "docs/json.md").read_text())
    expect("docs/json.md", json.loads(schema[1]) == lints, schema[1])
    folder = source / "trace/ask/doctor"
    listed = dict(re.findall(r"^//   ([a-z-]+) +(\w+\.cc.*)$", (folder / "lints.h").read_text(), re.M))
    expect("lints.h", list(listed) == lints, listed)
    for lint, files in listed.items():
        enumerator = "Lint::" + "".join(word.capitalize() for word in lint.split("-"))
        for file in files.split(", "):
            expect(f"{file} has {lint}", re.search(rf"{enumerator}\b", (folder / file).read_text()), lint)


with tempfile.TemporaryDirectory(prefix="skein-doctor-") as name:
    finds_known_bugs(pathlib.Path(name))
    named_strangely(pathlib.Path(name))
    asio(pathlib.Path(name))
    accepts_correct_programs(pathlib.Path(name))
    lost_wake_up(pathlib.Path(name))
    server(pathlib.Path(name))
mirage()
mistakes()
documents()
print("passed")
