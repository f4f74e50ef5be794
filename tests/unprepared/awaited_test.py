#!/usr/bin/env python3
"""awaited_test.py SKEIN FOLDER LIBRARY [COMPILER OPTION...]: compiles a program of FOLDER whose coroutines wait for
objects of a library, of skein itself (`skein`) or of the program (`own`, `lost`, `locks`, `hand`, `neighbours`, `cycles`,
`guards`, `tasks`), and compares what it prints
with what skein finds in its memory, and in its core: addresses, types, holders of locks, coroutines that are waited
for together."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skein, folder, library, *variant = sys.argv[1:]
# "folly-installed": the library itself, and not types like those of it.
installed = {"folly-installed": "libfolly", "seastar-installed": "seastar"}.get(library)
library = library.removesuffix("-installed")
# Sources to compile, without those that need more than a compiler.
SOURCES = {
    "own": None,
    "lost": None,
    "locks": None,
    "hand": None,
    "neighbours": None,
    "cycles": None,
    "guards": None,
    "tasks": None,
    "skein": None,
    "asio": None,
    "cppcoro": ("cppcoro/include", ["cppcoro/lib/async_mutex.cpp", "cppcoro/lib/async_manual_reset_event.cpp",
                                    "cppcoro/lib/async_auto_reset_event.cpp"]),
    "libcoro": ("libcoro/include", [f"libcoro/src/{name}.cpp" for name in
                                    ("mutex", "event", "condition_variable", "semaphore", "sync_wait",
                                     "detail/task_self_deleting")]),
    "folly": None,
    "seastar": None,
    "concurrencpp": ("concurrencpp/include", ["concurrencpp/source/**/*.cpp"]),
}
# Compiler and options, and whether they describe all types of a frame.
VARIANTS = [("g++ -g -O0", True), ("g++ -g -O2", True), ("g++ -g -O2 -flto", True), ("g++ -g1 -O1", False), ("g++ -O2", False), ("clang++-14 -g -O0", False),
            ("clang++-14 -g -O2", False), ("clang++-19 -g -O0", False), ("clang++-19 -g -O1", False),
            ("clang++-19 -g -O2", False), ("clang++-19 -g -O3", False)]
KNOWN_LOCKS = ("cppcoro::async_mutex", "coro::mutex", "concurrencpp::async_lock", "folly::coro::Mutex",
               "skein::mutex")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def unpack(to):
    """Returns the arguments for a library's headers, and its sources or other arguments that follow the program."""
    root = Path(folder).resolve().parents[2]
    if library == "skein":
        return ["-DSKEIN_DISABLE", f"-I{root}/record/include", f"-I{root}/format/include"], []
    if installed:
        flags = os.environ.get(f"SKEIN_{library.upper()}")
        if flags is None:
            run = subprocess.run(["pkg-config", "--cflags", "--libs", installed], capture_output=True, text=True)
            if run.returncode != 0:
                skip(f"{library} is not installed; set SKEIN_{library.upper()} to the compiler's arguments")
            flags = run.stdout
        return ["-DIS_INSTALLED"], flags.split()
    if SOURCES[library] is None:
        return [], []
    data = Path(os.environ.get("SKEIN_DATA", Path(folder).parents[2].parent / "shared/data"))
    archive = data.parent / "foreign" / f"{library}.tar.xz"
    if not archive.exists():
        skip(f"{archive.name} is not here; set SKEIN_DATA to the folder beside its folder `foreign`")
    subprocess.run(["tar", "-xf", archive, "-C", to], check=True)
    headers, sources = SOURCES[library]
    (to / "generated/coro").mkdir(parents=True)
    (to / "generated/coro/export.hpp").write_text("#define CORO_EXPORT\n")  # libcoro's, by CMake
    return [f"-I{to / headers}", f"-I{to / 'generated'}"], [path for name in sources for path in to.glob(name)]


def short(name):
    return name.rsplit("::", 1)[-1].split("<")[0]


class Truth:
    def __init__(self, lines):
        self.waits, self.held, self.free, self.joins = collections.Counter(), {}, set(), {}
        self.not_held = set()
        self.perhaps = {}
        self.awaits = {}
        self.deadlock, self.lost = collections.Counter(), collections.Counter()
        for kind, *words in (line.split() for line in lines):
            if kind == "waits":
                self.waits[(words[0], int(words[1], 16), words[2])] += 1
            elif kind == "held":
                self.held[int(words[0], 16)] = words[1]
            elif kind == "free":
                self.free.add(int(words[0], 16))
            elif kind == "not_held":
                self.not_held.add((int(words[0], 16), words[1]))
            elif kind == "perhaps":
                self.perhaps[int(words[0], 16)] = words[1]
            elif kind == "joins":
                self.joins[words[0]] = (int(words[1]), int(words[2]))
            elif kind == "deadlock":
                self.deadlock[words[0]] += 1
            elif kind == "awaits":
                self.awaits[words[0]] = words[1]
            elif kind == "lost":
                self.lost[words[0]] += 1


class Comparison:
    failures = 0  # of all comparisons

    def __init__(self, name, truth, found, status):
        self.name, self.truth, self.found, self.status = name, truth, found, status
        # What is constant, such as a global lock that is inlined, is in no frame.
        is_optimised_clang = "clang" in name and "-O0" not in name
        self.has_guards = ("-g -O0" in name and not (library == "skein" and "clang" in name)) or (
            " -g " in name and (library == "locks" or (library == "libcoro" and not is_optimised_clang)))
        self.by_frame = {one["frame"]: one for one in found["coroutines"]}

    def check(self, condition, what):
        if not condition:
            print(f"awaited_test: {self.name}: {what}", file=sys.stderr)
            Comparison.failures += 1

    def function(self, frame):
        return short(self.by_frame[frame]["function"])

    def run(self, is_complete):
        objects = {one["address"]: one for one in self.found["awaited_objects"]}
        waits = collections.Counter()
        for one in self.found["coroutines"]:
            awaited = objects.get(one["awaited_object"])
            channel = one["object"] if one["object"] and one["object"]["kind"] == "channel" else None
            if channel:
                (receiver,) = (other for other in self.found["coroutines"] if other["awaits"] == one["frame"])
                waits[(short(receiver["function"]), channel["address"], "channel")] += 1
            elif awaited and awaited["kind"] != "when all":
                waits[(short(one["function"]), awaited["address"], awaited["type"])] += 1
                self.check(one["frame"] in awaited["waiters"], f"{one} is no waiter of {awaited}")
        # Addresses of libraries' own coroutines, which the program does not know, may be added.
        functions = {function for function, _, _ in self.truth.waits}
        known = collections.Counter({key: count for key, count in waits.items() if key[0] in functions})
        if is_complete:
            self.check(known == self.truth.waits, f"waits {known - self.truth.waits}, not {self.truth.waits - known}")
        else:
            places = collections.Counter()
            for (function, address, _), count in self.truth.waits.items():
                places[(function, address)] += count
            types = {(address, kind) for _, address, kind in self.truth.waits}
            for (function, address, kind), count in known.items():
                if kind == "seastar::promise":  # without types, the object that it belongs to is unknown
                    continue
                if kind == "skein::semaphore" and (address, "skein::mutex") in types:
                    continue  # what clang 19 describes is the semaphore in it, which has no holder
                self.check(count <= places[(function, address)], f"{function} does not wait for {address:#x}")
                self.check(kind is None or (address, kind) in types, f"{address:#x} is no {kind}")
            print(f"{self.name}: {sum(known.values())} of {sum(places.values())} objects")
        self.check_holders(objects, is_complete or self.has_guards)
        self.check_joins(is_complete)
        for one in self.found["coroutines"]:
            if (other := self.truth.awaits.get(short(one["function"]))) and (is_complete or one["awaits"]):
                self.check(self.awaited(one) == other, f"{one} does not await {other}")
        self.check_errors(is_complete)

    def check_holders(self, objects, has_holders):
        for address, one in objects.items():
            holders = [self.function(holder["frame"]) for holder in one["holders"] if holder["probable"]]
            expected = [self.truth.held[address]] if address in self.truth.held else []
            self.check(holders == expected or (not holders and not has_holders), f"{one} held by {holders}")
            self.check(address not in self.truth.free or not holders, f"{one} is not held, or not probably")
            # A lock of the program may be held, or released, in a way that skein does not know.
            is_known = one["type"] in KNOWN_LOCKS
            self.check(is_known or not any(holder["certain"] for holder in one["holders"]), f"{one} is of the program")
            if address in self.truth.perhaps and " -g " in self.name and one["type"]:
                names = {self.function(holder["frame"]) for holder in one["holders"]}
                self.check(names == {self.truth.perhaps[address]}, f"{one} perhaps held by {names}")
            for holder in one["holders"]:
                name = self.function(holder["frame"])
                self.check((address, name) not in self.truth.not_held, f"{name} does not hold {one}")

    def check_joins(self, is_complete):
        joined = collections.defaultdict(list)
        for one in self.found["coroutines"]:
            if one["joined_by"]:
                joined[self.function(self.outer(one["joined_by"]))].append(one["state"])
        found = {name: (sum(state != "has ended" for state in states), len(states)) for name, states in joined.items()}
        # The last task that is left is known by the type of what counts it.
        expected = {name: open_and_all for name, open_and_all in self.truth.joins.items()
                    if is_complete or open_and_all != (1, 1) or name in found}
        # Of those that have ended, optimised code shows fewer. Without types, nothing shows that an object counts tasks.
        if not is_complete:
            found = {name: expected[name] if name in expected and of[0] == expected[name][0] else of
                     for name, of in found.items()}
        self.check(found == expected or (not is_complete and not found), f"joins {found}, not {expected}")

    def awaited(self, one):
        """The function of the program that it awaits, without Asio's coroutines between."""
        while one["awaits"]:
            one = self.by_frame[one["awaits"]]
            if not one["operation"] and "co_spawn_entry_point" not in one["full_name"]:
                return short(one["function"])
        return None

    def outer(self, frame):
        """The coroutine of the program that waits with Asio's operators."""
        if "operator" not in self.by_frame[frame]["full_name"].split("(")[0]:
            return frame
        (waiter,) = (one["frame"] for one in self.found["coroutines"] if one["awaits"] == frame)
        return waiter

    def check_errors(self, is_complete):
        errors = collections.Counter()
        lost = collections.Counter()
        for chain in self.found["chains"]:
            if chain["error"] or chain["verdict"] == "perhaps a deadlock":
                names = [self.function(frame) for frame in chain["frames"]]
                errors[next((name for name in names if name in self.truth.deadlock), names[0])] += chain["count"]
            if chain["verdict"] == "unreferenced":
                lost[self.function(chain["frames"][-1])] += chain["count"]
        self.check(errors == self.truth.deadlock or (not is_complete and not errors - self.truth.deadlock),
                   f"deadlocks {errors}")
        self.check(self.status == any(chain["error"] for chain in self.found["chains"]), f"exit status {self.status}")
        if self.name.endswith("core") or self.name.endswith("stopped"):
            # Without debug information, a function that clang has put into another one has no coroutine.
            self.check(lost == self.truth.lost, f"unreferenced {lost}, not {self.truth.lost}")
        else:
            self.check(not lost, f"unreferenced {lost}, though registers are unknown")


def explain(target, *options):
    run = subprocess.run([skein, "why", "--json", *options, str(target)], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"awaited_test: skein why {target}: {run.stderr}")
    return json.loads(run.stdout), run.returncode


def run_variant(command, is_complete, scratch, headers, sources):
    program = scratch / "program"
    subprocess.run([*command, "-std=c++20", "-w", f"-I{folder}", *headers, Path(folder) / f"{library}.cc", *sources,
                    "-pthread", "-o", program], check=True)
    process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
    try:
        truth = Truth(iter(process.stdout.readline, "ready\n"))
        name = " ".join([library, *command])
        Comparison(f"{name}, process", truth, *explain(process.pid)).run(is_complete)
        Comparison(f"{name}, stopped", truth, *explain(process.pid, "--stop")).run(is_complete)
        if shutil.which("gcore"):
            core = scratch / "core"
            subprocess.run(["gcore", "-o", core, str(process.pid)], capture_output=True, check=True)
            Comparison(f"{name}, core", truth, *explain(f"{core}.{process.pid}")).run(is_complete)
            (scratch / f"core.{process.pid}").unlink()
        text = subprocess.run([skein, "why", str(process.pid)], capture_output=True, text=True).stdout
        if is_complete and truth.awaits.get("waits_for_itself") and "It waits for its own end: a deadlock." not in text:
            sys.exit(f"awaited_test: {name}: {text}")
        for address in truth.held if is_complete else []:
            if not re.search(rf"at {address:#x}, (?:probably )?held by (?:itself|(?:another )?\S*{truth.held[address]})", text):
                sys.exit(f"awaited_test: {name}: {text}")
    finally:
        process.kill()
        process.wait()


def main():
    wanted = " ".join(variant)
    variants = [(text, is_complete) for text, is_complete in VARIANTS if not variant or text == wanted]
    if not variants:
        variants = [(wanted, False)]
    if library == "skein":  # of code that is all inlined, g++ describes few lines
        variants = [(text, is_complete and text.endswith("-O0")) for text, is_complete in variants]
    with tempfile.TemporaryDirectory() as folder_name:
        scratch = Path(folder_name)
        headers, sources = unpack(scratch)
        ran = 0
        for text, is_complete in variants:
            command = text.split()
            if not shutil.which(command[0]) or (library in ("libcoro", "seastar") and command[0] == "clang++-14"):
                print(f"{text}: skipped")
                continue
            run_variant(command, is_complete, scratch, headers, sources)
            ran += 1
    if ran == 0:
        skip("no compiler")
    sys.exit(Comparison.failures != 0)


main()
