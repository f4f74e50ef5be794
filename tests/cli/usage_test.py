#!/usr/bin/env python3
"""Help texts, usage errors and their hints, the list of recorded processes, output to a terminal.

usage: usage_test.py SKEIN SOURCE RECORDED_PROGRAM"""
import fcntl
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import termios

from common import SECONDS, SKEIN, expect, run, start, until, work_in_new_folder

source = pathlib.Path(sys.argv[2]).resolve()
program = sys.argv[3]
OURS = source / "tests/data/skein/every-event"
MIRAGE = source / "tests/data/mirage/ring.ctf"
work = work_in_new_folder("usage")


def refused(message, *words):
    r = run(*words)
    expect(f"skein {words}", r.returncode == 2 and r.stdout == "" and r.stderr == f"skein: {message}\n",
           r)


# ---- the character set ----
def output(*words, **variables):
    kept = {k: v for k, v in os.environ.items() if k not in ("LC_ALL", "LC_CTYPE", "LANG")}
    return subprocess.run([SKEIN, *map(str, words)], capture_output=True, timeout=SECONDS,
                          env={**kept, **variables}).stdout


TEXT = "select 'f\u00fcnf \u2026'"
for words in (("show", MIRAGE), ("query", MIRAGE, TEXT)):
    text = output(*words)
    expect(f"{words} has other characters than ASCII", not text.isascii(), text)
    expect("without a locale it is UTF-8", output(*words, LANG="C.UTF-8") == text)
    expect("LC_ALL decides first", output(*words, LC_ALL="en_US.utf8", LANG="C") == text)
    for locale in ("C", "POSIX", "de_DE.ISO-8859-1"):
        plain = output(*words, LANG=locale)
        expect(f"ASCII in {locale}", plain.isascii() and plain.count(b"\n") == text.count(b"\n") and
               [len(line) for line in plain.decode().split("\n")] ==
               [len(line) for line in text.decode().split("\n")], plain)
data = output("query", "--csv", MIRAGE, TEXT)
expect("CSV is data", output("query", "--csv", MIRAGE, TEXT, LANG="C") == data and not data.isascii(), data)

# ---- help ----
help_text = run("--help").stdout
groups = re.findall(r"^([A-Z][a-z]+):\n((?:  .*\n)+)", help_text, re.M)
by_group = {name: re.findall(r"^  ([a-z]+) ", text, re.M) for name, text in groups}
expect("the groups", [name for name, _ in groups if name != "Options"] ==
       ["Record", "Inspect", "Analyse", "Share", "Help"], groups)
expect("record is in its group", "record" in by_group["Record"], by_group)
expect("why is in its group", "why" in by_group["Analyse"], by_group)
commands = sum((names for name, names in by_group.items() if name != "Options"), [])
for command in commands:
    text = run(command, "--help").stdout
    expect(f"help of {command} fits 80 columns", all(len(line) <= 80 for line in text.split("\n")),
           text)
    if command != "help":
        expect(f"skein help {command}", run("help", command).stdout == text and text, text)
for form in ("ctf", "csv", "parquet"):
    text = run("export", form, "--help").stdout
    expect(f"skein help export {form}", run("help", "export", form).stdout == text and
           f"export {form}" in text, text)
expect("skein help", run("help").stdout == help_text)
refused("unexpected argument 'extra'; see skein --help", "help", "why", "extra")
expect("-V", run("-V").stdout == run("--version").stdout and run("-V").stdout.startswith("skein "))

for command, usage in (("export", "skein export FORMAT [OPTIONS] TRACE"), ("help", "skein help [COMMAND]"),
                       ("info", "skein info [OPTIONS] TRACE")):
    text = run("help", command).stdout
    expect(f"usage of {command}", f"\nUsage: {usage}\n" in text, text)

for command, option, default in (
        ("record", "--size", "1M"), ("record", "--keep", "5s"), ("record", "--mode", "ring"), ("diff", "--lines", "10"),
        ("show", "--color", "auto"), ("export csv", "--table", "events"),
        ("doctor", "--held-longer-than", "100ms")):
    text = run(*command.split(), "--help").stdout
    expect(f"the default of {command} {option}",
           re.search(rf"^  (-\w,)?{option}\b[^[]*\[default: {default}\]$", text, re.M), text)

# ---- hints ----
refused("missing command; see skein --help")
refused("unknown command 'wyh'; the most similar is why; see skein --help", "wyh", "trace")
refused("unknown command 'frobnicate'; see skein --help", "frobnicate", "--help")
refused("unknown command 'docotr'; the most similar is doctor; see skein --help", "help", "docotr")
refused("unknown option '--jsn'; the most similar is --json; see skein why --help", "why", "--jsn")
refused("unknown option '--thems=x'; the most similar is --theme; see skein show --help", "show",
        OURS, "--thems=x")
refused("unknown option '--frobnicate'; see skein export csv --help", "export", "csv", OURS,
        "--frobnicate")
refused("unknown option '--verison'; the most similar is --version; see skein --help", "--verison")
refused("missing TRACE argument; see skein why --help", "why")
refused("missing TRACE argument; see skein doctor --help", "doctor")
refused("missing option --output; see skein html --help", "html", OURS)
refused("unexpected argument 'c'; see skein why --help", "why", "a", "b", "c")
refused("--by: missing value; see skein stats --help", "stats", OURS, "--by")
refused("--by: invalid value 'x' (one of: name, kind, location); see skein stats --help", "stats", OURS,
        "--by", "x")
for number in ("x", "-1", "1.5", "99999999999999999999"):
    refused(f"--lines: invalid number '{number}' (0 to 1000000); see skein diff --help", "diff", OURS,
            OURS, f"--lines={number}")
for width in ("abc", "19", "-20", "2001"):
    refused(f"--width: invalid width '{width}' (20 to 2000); see skein show --help", "show", OURS,
            f"--width={width}")
for end in (("--", "true"), ("--unknown", "--", "true")):
    refused("--mode: invalid value 'foo' (one of: ring, log); see skein record --help", "record",
            "--mode", "foo", *end)
refused("missing COMMAND argument; see skein record --help", "record", "--")
refused("unknown option '--unknown'; see skein record --help", "record", "--unknown", "--", "true")

# ---- specific reasons ----
for port in ("99999", "-1", "x", "65536", "1e3"):
    refused(f"--port: invalid port '{port}' (0 to 65535); see skein serve --help", "serve", OURS,
            f"--port={port}")
for size in ("100G", "17G", "20000M", "99999999999999999999"):
    refused("--size is too large; the maximum is 16G; see skein record --help", "record", "--size",
            size, "--", program, "0")
for size in ("0", "-1", "0k"):
    refused("--size must be positive; see skein record --help", "record", "--size", size, "--", program,
            "0")
refused("--tasks must be positive; see skein record --help", "record", "--tasks", "-4", "--", program,
        "0")
for size in ("x", "4Q", "k", "1.5M"):
    refused("--size requires a number, e.g. 512k, 4M; see skein record --help", "record",
            f"--size={size}", "--", program, "0")
refused("--tasks is too large; the maximum is 64M; see skein record --help", "record", "--tasks", "1G",
        "--", program, "0")
refused("--size: invalid number '4M,mode=log'; see skein record --help", "record", "--size", "4M,mode=log", "--", program, "0")
refused("--size applies only to --mode ring; see skein record --help", "record", "--mode", "log",
        "--size", "4M", "--", program, "0")
for option, value in (("--keep", "10s"), ("--most", "1G")):
    refused(f"{option} applies only to --mode ring; see skein record --help", "record", "--mode", "log",
            option, value, "--", program, "0")
refused("--keep requires a time, e.g. 500ms, 10s, 2min; see skein record --help", "record", "--keep",
        "10", "--", program, "0")
refused("--all-files-at-start creates rings that do not grow: use size instead of keep and most; see "
        "skein record --help", "record", "--all-files-at-start", "--keep", "10s", "--", program, "0")
expect("nothing was recorded", not os.listdir("."), os.listdir("."))
refused(f"export: '{OURS}' is not a format; use skein export chrome {OURS}", "export", OURS, "chrome")
refused(f"export: '{OURS}' is not a format; use skein export csv {OURS}", "export", OURS, "csv",
        "-o", "x")
refused("export: 'a' is not a format; use skein export csv a", "export", "a", "csv", "b")
for words in ([], [OURS], [OURS, "-o", "x"]):
    r = run("export", *words)
    expect(f"export without a format: {words}", r.returncode == 2 and r.stdout == "" and
           r.stderr.startswith("skein: missing FORMAT argument; available: ctf, "), r)
r = run("export", OURS, "chrom")
expect("a mistyped format after the trace", r.returncode == 2 and "the most similar is chrome" in r.stderr, r)
r = run("export", "crome", OURS, "-o", "x")
expect("a mistyped format before an option", r.returncode == 2 and "unknown format 'crome'" in r.stderr, r)
r = run("export", "crome", OURS)
expect("a mistyped format", r.returncode == 2 and "unknown format 'crome'; the most similar is chrome; "
       "available: ctf, perfetto" in r.stderr, r)
gone = subprocess.Popen(["true"])
gone.wait()
refused(f"process {gone.pid}: no such process", "ps", gone.pid)
mine = os.getpid()
r = run("ps", mine)
expect("ps of a process that records nothing",
       r.returncode == 2 and f"; it is not recording; skein why {mine} shows its threads" in r.stderr, r)
refused(f"{mine} is a process, not a trace, and it is not recording", "info", mine)
if os.geteuid() == 0:
    try:
        for command, message in (
                ("ps", "process 1: permission denied"),
                ("info", "1 is a process, not a trace; its trace is unknown: permission denied")):
            message += "; it belongs to another user; run skein as root"
            r = subprocess.run([SKEIN, command, "1"], capture_output=True, text=True, timeout=SECONDS,
                               preexec_fn=lambda: os.setuid(65534))
            expect(f"{command}: process 1, another user's",
                   r.returncode == 2 and r.stderr.startswith(f"skein: {message}") and r.stderr.count("\n") == 1, r)
    except PermissionError:
        pass  # the program itself is in an inaccessible directory

# ---- a terminal ----
def on_terminal(columns, *words, stream="stdout", **environment):
    """Returns the output on a stream that is a terminal of this width."""
    master, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    program = subprocess.Popen(
        [SKEIN, *map(str, words)], stdin=subprocess.DEVNULL,
        **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: terminal},
        env={**{k: v for k, v in os.environ.items() if k != "SKEIN_HYPERLINKS"},
             "TERM": "xterm-256color", **environment})
    os.close(terminal)
    out = b""
    try:
        while piece := os.read(master, 65536):
            out += piece
    except OSError:  # end of output
        pass
    os.close(master)
    program.wait(timeout=SECONDS)
    return out.decode().replace("\r\n", "\n")


def words_of(text):
    return text.split()


os.makedirs("src")
pathlib.Path("src/server.cc").write_text("\n" * 50)
LINK = re.compile("\x1b\\]8;;([^\x1b]*)\x1b\\\\")
for words in (["why", OURS], ["doctor", OURS], ["critical", OURS, "--from", "0"], ["stats", OURS],
              ["info", OURS], ["diff", OURS, MIRAGE]):
    piped = run(*words).stdout
    expect(f"{words} has links only on a terminal", "\x1b" not in piped, piped)
    linked = on_terminal(60, *words)
    text = LINK.sub("", linked)
    expect(f"{words}: the same words", set(words_of(piped)) <= set(words_of(text)), (piped, text))
    expect(f"{words} fits", all(len(line) <= 60 or " " not in line.strip()
                                for line in text.split("\n")), text)
    expect(f"{words} is not broken where it fits",
           on_terminal(500, *words, SKEIN_HYPERLINKS="never") == piped, piped)
linked = on_terminal(200, "why", OURS)
targets = set(LINK.findall(linked)) - {""}
expect("locations are links to files that exist", targets and
       all(re.fullmatch(r"file://[^/]+" + re.escape(os.path.abspath("src/server.cc")) + r"#\d+", t)
           for t in targets), linked)
expect("their text is the location", re.search(r"#22\x1b\\server\.cc:22\x1b\]8;;\x1b\\", linked), linked)
for environment in ({"SKEIN_HYPERLINKS": "never"}, {"TERM": "dumb"}, {"TERM": "linux"}):
    expect(f"no links with {environment}", "\x1b]8" not in on_terminal(200, "why", OURS, **environment))
os.remove("src/server.cc")
expect("no links to files that do not exist", "\x1b]8" not in on_terminal(200, "why", OURS))
os.rmdir("src")

for words in (["doctor", "--list"], ["ps", OURS], ["ps", "--tree", OURS],
              *([command, "--help"] for command in commands)):
    text = on_terminal(60, *words)
    expect(f"{words} fits", text and all(len(line) <= 60 for line in text.split("\n")), text)
    if "ps" not in words or "--help" in words:
        expect(f"{words}: the same words", words_of(text) == words_of(run(*words).stdout), text)
for words in (["why", "/etc"], ["no-such-command"], ["html", OURS, "-o", "page.html"]):
    text = on_terminal(60, *words, stream="stderr")
    expect(f"messages of {words} fit", text and all(len(line) <= 60 for line in text.split("\n")), text)

# ---- recorded processes ----
def listed():
    return {p["pid"]: p for p in json.loads(run("ps", "--json").stdout)["processes"]}


expect("this process is not listed", mine not in listed())
p = start([program, "wait"], env=dict(os.environ, SKEIN_TRACE=os.path.abspath("live")))
until(lambda: os.path.exists("ready"), "the program is ready")
found = listed()
expect("a recorded process is listed", p.pid in found and
       found[p.pid]["trace"] == os.path.abspath("live") and
       found[p.pid]["program"] == os.path.basename(program)[:15], found)
text = run("ps").stdout
expect("as text", re.search(rf"^ *{p.pid}  \S+ +{re.escape(os.path.abspath('live'))}$", text, re.M),
       text)
refused(f"{p.pid} is a process, not a trace; its trace is {os.path.abspath('live')}", "info", p.pid)
completion = f"""
source {source}/tools/completion/skein.bash
COMP_WORDS=(skein ps ''); COMP_CWORD=2; _skein; echo "${{COMPREPLY[@]}}"
COMP_WORDS=(skein why '{str(p.pid)[:-1]}'); _skein; echo "${{COMPREPLY[@]}}"
COMP_WORDS=(skein info ''); _skein; echo "${{COMPREPLY[@]}}"
COMP_WORDS=(skein help w); _skein; echo "${{COMPREPLY[@]}}"
"""
lines = subprocess.run(["bash", "-c", completion], capture_output=True, text=True, timeout=SECONDS,
                       env=dict(os.environ, PATH=f"{os.path.dirname(SKEIN)}:{os.environ['PATH']}"),
                       check=True).stdout.split("\n")
expect("completion of a process", str(p.pid) in lines[0].split() and "live" in lines[0].split(), lines)
expect("of a part of its number", str(p.pid) in lines[1].split(), lines)
expect("not where no process is taken", str(p.pid) not in lines[2].split(), lines)
expect("of the command after help", lines[3].split() == ["why"], lines)
p.send_signal(signal.SIGTERM)
p.wait(timeout=SECONDS)
expect("it is gone from the list", p.pid not in listed())
print("passed")
