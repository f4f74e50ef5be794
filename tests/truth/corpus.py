"""The programs in this folder (case.h), and their recordings."""
import collections
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
SECONDS = int(os.environ.get("SKEIN_TEST_SECONDS", "60"))

Case = collections.namedtuple("Case", "program name text truth")


def read_cases():
    """The cases of each file; of a fault `truth` has its kinds, functions, places, objects and words."""
    marks = {}
    for path in sorted([*FOLDER.rglob("*.cc"), *FOLDER.rglob("*.h")]):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            for mark in re.findall(r"// @(\w+)", line):
                last = number
                if re.match(r"\S.*\{\s*//", line):  # a function: g++ locates a coroutine at its closing brace
                    last = lines.index("}", number) + 1
                marks.setdefault(mark, []).extend(f"{path.name}:{at}" for at in range(number, last + 1))
    cases = []
    for path in sorted(FOLDER.rglob("*.cc")):
        for comment, name in re.findall(r"((?:^//.*\n)*)^TRUTH_CASE\((\w+)\)", path.read_text(), re.MULTILINE):
            lines = [line[2:].strip() for line in comment.splitlines()]
            truth = None
            for i, line in enumerate(lines):
                if line.startswith("truth:"):
                    fields = [field.strip() for field in " ".join(lines[i:])[6:].split(";")]
                    truth = {"kinds": fields[0].split("|")}
                    for field in fields[1:]:
                        key, _, value = field.partition(" ")
                        truth[key] = value.split() if key in ("in", "at") else value
                    truth["at"] = [place for mark in truth.get("at", []) for place in marks[mark]]
                    lines = lines[:i]
                    break
            if truth is None and "truth:" in comment:
                sys.exit(f"{path.name}: {name}: `truth:` must begin a line")
            cases.append(Case(path.stem, name, " ".join(lines), truth))
    return cases


class Run:
    """A recorded program."""

    def __init__(self, skein, program, name, milliseconds, noise=0, *options):
        self.folder = tempfile.TemporaryDirectory(prefix="skein-truth-")
        self.trace = os.path.join(self.folder.name, "trace")
        pid = os.path.join(self.folder.name, "pid")
        self.recorder = subprocess.Popen(
            [skein, "record", "-o", self.trace, *options, "--", "sh", "-c", f'echo $$ > {pid}; exec "$0" "$@"',
             str(program), name, str(milliseconds), str(noise)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + SECONDS
        while not (os.path.exists(pid) and (text := open(pid).read().strip())):
            assert time.monotonic() < end, "it never started"
            time.sleep(0.005)
        self.pid = int(text)

    def wait(self):
        try:
            _, self.errors = self.recorder.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.errors = "it hangs"
            self.kill_program()
            self.recorder.wait()
        return self.recorder.returncode

    def kill_program(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def is_alive(self):
        return self.recorder.poll() is None

    def kill(self):
        self.kill_program()
        self.wait()
