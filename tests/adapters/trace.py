"""Reads a trace as tasks and their histories, through babeltrace2, to check what was recorded.

    trace = record(["program", "argument"])       # runs it untraced and traced; compares the output
    for task in trace.of("client"): ...

It does not use skein's reader, so that it is independent of its errors.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import bt2
except ImportError:
    print("skipped: no babeltrace2 for this python (Debian: python3-bt2)")
    sys.exit(77)


# Runs the programs of a cross build.
EMULATOR = os.environ.get("SKEIN_EMULATOR", "").split()


OBJECT_KINDS = ("alarm", "socket", "descriptor", "signals", "resolver", "strand", "async_channel")  # operations use them


class Task:
    def __init__(self, number):
        self.id = number
        self.kind = self.name = self.function = self.file = ""
        self.line = 0
        self.parent = None  # a Task; None: created outside any task
        self.end = None     # "resolve", "fail", "cancel"
        self.reason = ""
        self.io = []
        self.labels = []
        self.uses = None    # the id of an object
        self.expires = None # ticks after its creation
        self.steps = []     # ("resume", waker Task or None), ("suspend", on, line), ("ready", ...)

    def __repr__(self):
        return f"<{self.id} {self.kind} {self.name or self.function}:{self.line} {self.end}>"

    def waits(self, line=None):
        """Returns [target, line, waker] of each suspension."""
        found = []
        for step in self.steps:
            if step[0] == "suspend":
                found.append([step[1], step[2], None])
            elif step[0] == "resume" and found and found[-1][2] is None:
                found[-1][2] = step[1]
        return [w for w in found if line is None or w[1] == line]


class Trace:
    def __init__(self, directory):
        self.tasks = {}
        self.events = []  # (name, payload) of all streams, by time
        self.counts = {}
        strings, places = {0: ""}, {0: (0, "", 0, 0, 0)}
        for message in bt2.TraceCollectionMessageIterator(str(directory)):
            if type(message) is not bt2._EventMessageConst:
                continue
            event = message.event
            fields = dict(event.payload_field.items()) if event.payload_field is not None else {}
            if event.name == "string":
                strings[int(fields["id"])] = str(fields["text"])
            elif event.name == "place":
                kind = fields["kind"].labels[0] if fields["kind"].labels else "?"
                places[int(fields["id"])] = (int(fields["name"]), kind, int(fields["file"]),
                                             int(fields["function"]), int(fields["line"]))
            else:
                plain = {k: (str(v) if isinstance(v, bt2._StringFieldConst) else int(v))
                         for k, v in fields.items()}
                self.events.append((event.name, plain, event.stream.id))
        self.strings = strings
        current = {}
        self.objects = {}   # by id: the kind
        self.cancels = []   # (the id of an object, the Task that cancelled its operations or None)
        self.discarded = [] # the Tasks whose failure is dropped
        self.socket_bytes = {} # by the id of a socket: what the kernel has counted, as tuples
        self.connections = {} # by the id of a socket: the fields of the event
        self.closed = []    # ids of objects
        self._next = {}     # by stream: what the next operation uses, and when it expires
        for name, fields, stream in self.events:
            self.counts[name] = self.counts.get(name, 0) + 1
            self._apply(name, fields, stream, current, strings, places)

    def task(self, number):
        if number == 0 or number >> 48 == 0x8000:  # the address of an object
            return None
        return self.tasks.setdefault(number, Task(number))

    def _apply(self, name, f, stream, current, strings, places):
        now = current.get(stream, 0)
        if name == "create_awaited":
            self._apply("create_under", f, stream, current, strings, places)
            name, f = "await", {"task": f["parent"], "on": f["task"]}
        if name == "resource" and places[f["place"]][1] in OBJECT_KINDS:
            self.objects[f["resource"]] = places[f["place"]][1]
        elif name in ("about", "expires"):
            self._next.setdefault(stream, {})[name] = f["resource" if name == "about" else "duration"]
        elif name == "cancel_uses":
            self.cancels.append((f["resource"], self.task(now)))
        elif name == "socket_bytes":
            self.socket_bytes.setdefault(f["resource"], []).append(
                (f["sent"], f["received"], f["unseen_sent"], f["unseen_received"], f["state"]))
        elif name == "discard":
            self.discarded.append(self.task(f["task"]))
        elif name == "connection":
            self.connections[f["resource"]] = f
        elif name == "resolve" and f["task"] in self.objects:
            self.closed.append(f["task"])
        elif name in ("create", "create_under", "resource"):
            task = self.task(f["resource"] if name == "resource" else f["task"])
            task.parent = self.task(f["parent"] if name == "create_under" else now)
            text, task.kind, file, function, task.line = places[f["place"]]
            task.name, task.file, task.function = strings[text], strings[file], strings[function]
            about = self._next.pop(stream, {})
            task.uses, task.expires = about.get("about"), about.get("expires")
        elif name in ("resume", "resume_by", "switch_to"):
            if name != "switch_to":
                waker = f["waker"] if name == "resume_by" else now
                self.task(f["task"]).steps.append(("resume", self.task(waker)))
            current[stream] = f["task"]
        elif name in ("suspend", "ready"):
            file, line = strings[places[f["place"]][2]], places[f["place"]][4]
            if now:
                self.task(now).steps.append((name, self.task(f["on"]), line, file))
            if name == "suspend":
                current[stream] = 0
        elif name == "await":
            steps = self.task(f["task"]).steps
            for i in reversed(range(len(steps))):
                if steps[i][0] == "suspend":
                    steps[i] = ("suspend", self.task(f["on"])) + steps[i][2:]
                    break
        elif name in ("resolve", "cancel", "fail", "fail_text"):
            task = self.task(f["task"])
            assert task.end is None, f"{task} ends twice"
            task.end = "fail" if name == "fail_text" else name
            task.reason = f.get("text", "")
            if now == task.id:
                current[stream] = 0
        elif name == "io":
            self.task(f["task"]).io.append(f["result"])
        elif name == "label":
            self.task(f["task"]).labels.append(strings[f["string"]])
        elif name == "label_text":
            self.task(f["task"]).labels.append(f["text"])

    def of(self, function):
        """Returns tasks by the unqualified name of their function, as in the source."""
        return [t for t in self.tasks.values() if (t.name or bare(t.function)) == function]

    def named(self, name):
        return [t for t in self.tasks.values() if t.name == name]

    def unended(self):
        return [t for t in self.tasks.values() if t.end is None]


def bare(function):
    """g++ writes `T ns::f(int) [with ...]` or `void ns::f(ns::f(int)::_Z..Frame*)`."""
    return re.split(r"[ :]", function.split("(")[0].strip().replace("{anonymous}", ""))[-1] \
        if not function.startswith("{") else function


def run(command, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("SKEIN_")}
    env.update(environment)
    done = subprocess.run([*EMULATOR, *command], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def record(command, mode="log", any_order=False, **environment):
    """any_order: the order of the program's lines depends on the time."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch) / "trace"
        plain = run(command, **environment)
        traced = run(command, SKEIN_TRACE=f"{directory},mode={mode}", **environment)
        if any_order:
            plain, traced = sorted(plain.splitlines()), sorted(traced.splitlines())
        assert plain == traced, f"the program's output differs when traced:\n{plain}\n{traced}"
        trace = Trace(directory)
        trace.output = traced
        assert "lost" not in trace.counts, trace.counts
        return trace


def line_of(source, marker):
    """Returns the line of the source that ends with this comment; there must be exactly one."""
    found = [n for n, text in enumerate(pathlib.Path(source).read_text().splitlines(), 1)
             if text.rstrip().endswith("// " + marker)]
    assert len(found) == 1, f"{source}: marker {marker!r} at {found}"
    return found[0]


def equal(what, got, wanted):
    assert got == wanted, f"{what}: {got}, expected {wanted}"
