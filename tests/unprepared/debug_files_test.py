#!/usr/bin/env python3
"""debug_files_test.py SKEIN SOURCE: programs that were stripped, with their symbols and debug information in each kind
of other file, of another build, and without any. `skein ps` must find names and lines, or report what they lack."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

skein, source = (str(Path(argument).resolve()) for argument in sys.argv[1:])
for tool in ("g++", "objcopy", "strip", "xz", "nm", "readelf"):
    if not shutil.which(tool):
        print(f"skipped: no {tool}")
        sys.exit(77)


def check(condition, what):
    if not condition:
        sys.exit(f"debug_files_test: {what}")


def call(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def short(name):
    return name.rsplit("::", 1)[-1].split("<")[0]


def build_id(program):
    text = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    return re.search(r"Build ID: (\w+)", text)[1]


@contextmanager
def running(*command):
    """Yields the process and the lines at which its coroutines wait, which it prints."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    try:
        waits = collections.Counter()
        for line in iter(process.stdout.readline, "end\n"):
            if not line:
                break
            name, number = line.split()
            waits[name, int(number)] += 1
        yield process, waits
    finally:
        process.kill()
        process.wait()


def ps(process, environment):
    run = subprocess.run([skein, "ps", "--json", str(process.pid)], capture_output=True, text=True,
                         env={**os.environ, "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", **environment})
    return run.returncode, json.loads(run.stdout) if run.returncode == 0 else run.stderr


def unnamed(process, environment, what):
    """The warnings of a program without symbols: its coroutines have addresses."""
    code, found = ps(process, environment)
    check(code == 0, f"{what}: {found}")
    check(all(re.fullmatch(r"server\+0x[0-9a-f]+", one["function"]) for one in found["coroutines"]), f"{what}: names")
    return " ".join(found["warnings"])


def expect(process, waits, what, lines=True, environment={}, warning=None):
    code, found = ps(process, environment)
    check(code == 0, f"{what}: {found}")
    kept = [one for one in found["coroutines"] if short(one["function"]) not in ("not_started", "has_ended")]
    names = collections.Counter(short(one["function"]) for one in kept)
    expected = collections.Counter()
    for (name, _), count in waits.items():
        expected[name] += count
    check(names == expected, f"{what}: {names}, not {expected}")
    at = collections.Counter((short(one["function"]), one["line"]) for one in kept)
    if lines:
        check(at == waits, f"{what}: {at}, not {waits}")
    said = " ".join(found["warnings"])
    if warning is None:
        check("has no" not in said and "could not be read" not in said, f"{what}: {said}")
    else:
        for part in warning:
            check(part in said, f"{what}: no '{part}' in {said}")


class Build:
    """A program in a separate folder, and its debug file, which is not beside it."""

    def __init__(self, folder, name, *options, compiler="g++"):
        self.folder = Path(folder) / name
        self.folder.mkdir()
        self.program, self.debug = self.folder / "server", Path(folder) / f"{name}.debug"
        subprocess.run([compiler, "-std=c++20", *options, "-Wl,--build-id", source, "-o", self.program], check=True,
                       cwd=self.folder)
        self.id = build_id(self.program)

    def strip(self):
        call("objcopy", "--only-keep-debug", self.program, self.debug)
        call("strip", "--strip-all", self.program)
        return self

    def link(self, to):
        to.parent.mkdir(exist_ok=True)
        shutil.copy(self.debug, to)
        call("objcopy", f"--add-gnu-debuglink={to}", self.program)


def test_missing(folder):
    one = Build(folder, "missing", "-g", "-O1").strip()
    with running(one.program) as (process, _):
        said = unnamed(process, {"DEBUGINFOD_CACHE_PATH": f"{folder}/cache"}, "none")
        for part in ("has no symbols", one.id, f"/usr/lib/debug/.build-id/{one.id[:2]}/{one.id[2:]}.debug",
                     "some may be missing", "-dbgsym", f"debuginfod-find debuginfo {one.id}",
                     "DEBUGINFOD_URLS", "without -s"):
            check(part in said, f"none: no '{part}' in {said}")
        check(said.count(str(one.program)) == 1, f"none: more than a note: {said}")


def test_links(folder):
    for name, place in (("beside", "server.debug"), ("below", ".debug/server.debug")):
        one = Build(folder, name, "-g", "-O1").strip()
        one.link(one.folder / place)
        with running(one.program) as (process, waits):
            expect(process, waits, f"debug link {name}")
            if name == "beside":  # the core and a binary that is deleted
                if shutil.which("gcore"):
                    call("gcore", "-o", one.folder / "core", process.pid)
                    found = json.loads(subprocess.run([skein, "ps", "--json", f"{one.folder}/core.{process.pid}"],
                                                      capture_output=True, text=True, check=True).stdout)
                    check(any(each["line"] for each in found["coroutines"]), "core: no lines")
                one.program.unlink()
                expect(process, waits, "deleted program")


def test_compressed(folder):
    one = Build(folder, "compressed", "-g", "-O1").strip()
    call("objcopy", "--compress-debug-sections=zlib", one.debug)
    one.link(one.folder / "server.debug")
    with running(one.program) as (process, waits):
        expect(process, waits, "compressed debug file")
    one = Build(folder, "compressed_program", "-g", "-gz=zlib", "-O1")
    with running(one.program) as (process, waits):
        expect(process, waits, "compressed sections in the program")


def test_cache(folder):
    one = Build(folder, "cached", "-g", "-O1").strip()
    cache = Path(folder) / "debuginfod_client" / one.id
    cache.mkdir(parents=True)
    (cache / "debuginfo").touch()
    with running(one.program) as (process, waits):
        said = unnamed(process, {"XDG_CACHE_HOME": folder}, "negative entry")
        check("has no symbols" in said and "not used" not in said, f"negative entry of debuginfod: {said}")
        shutil.copy(one.debug, cache / "debuginfo")
        expect(process, waits, "debuginfod's cache", environment={"XDG_CACHE_HOME": folder})
        expect(process, waits, "debuginfod's cache", environment={"DEBUGINFOD_CACHE_PATH": f"{folder}/debuginfod_client"})


def test_other_build(folder):
    one = Build(folder, "one", "-g", "-O1").strip()
    other = Build(folder, "other", "-g", "-O1", "-DOTHER").strip()
    call("objcopy", "--only-keep-debug", Build(folder, "third", "-g", "-O2").program, one.debug)
    one.link(one.folder / "server.debug")
    with running(one.program) as (process, _):
        said = unnamed(process, {}, "wrong build id")
        check("of another build" in said and "has no symbols" in said, f"wrong build id: {said}")
    # Without build ids, the checksum decides.
    for program in (other.program, other.debug):
        call("objcopy", "--remove-section=.note.gnu.build-id", program)
    other.link(other.folder / "server.debug")
    with running(other.program) as (process, waits):
        expect(process, waits, "checksum")
    with open(other.folder / "server.debug", "ab") as file:
        file.write(b"\0")
    with running(other.program) as (process, waits):
        said = unnamed(process, {}, "wrong checksum")
        check("checksum" in said, f"wrong checksum: {said}")


def test_embedded(folder):
    """As Fedora does it: find-debuginfo's -m."""
    one = Build(folder, "embedded", "-g", "-O1")
    symbols = subprocess.run(["nm", "--format=sysv", "--defined-only", one.program], capture_output=True, text=True,
                             check=True).stdout
    keep = Path(folder) / "keep"
    keep.write_text("".join(line.split("|")[0].strip() + "\n" for line in symbols.splitlines() if "|FUNC" in
                            line.replace(" ", "") or "FUNC" in line))
    one.strip()
    small = Path(folder) / "mini"
    call("objcopy", "-S", "--remove-section=.comment", f"--keep-symbols={keep}", one.debug, small)
    call("xz", small)
    call("objcopy", "--add-section", f".gnu_debugdata={small}.xz", one.program)
    with running(one.program) as (process, waits):
        expect(process, waits, ".gnu_debugdata", lines=False, warning=["has no debug information", one.id, "with -g"])


def test_other_root(folder):
    """A process in a container: /proc/PID/root. Static, too: without .eh_frame_hdr."""
    one = Build(folder, "root", "-g", "-O1", "-static").strip()
    debug = one.folder / f"usr/lib/debug/.build-id/{one.id[:2]}/{one.id[2:]}.debug"
    debug.parent.mkdir(parents=True)
    shutil.copy(one.debug, debug)
    (one.folder / "dev").mkdir()
    (one.folder / "dev/null").touch()  # the program writes to it
    enter = ["chroot"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "chroot"]
    try:
        with running(*enter, one.folder, "/server") as (process, waits):
            if not waits:
                print("another root: skipped, no permission")
                return
            expect(process, waits, "another root")
    except FileNotFoundError:
        print("another root: skipped, no chroot")


def test_static(folder):
    one = Build(folder, "static", "-g", "-O1", "-static")
    with running(one.program) as (process, waits):
        expect(process, waits, "static")


def test_dwz(folder):
    if not shutil.which("dwz"):
        print("dwz: skipped")
        return
    one, two = (Build(folder, name, "-g", "-O1").strip() for name in ("dwz1", "dwz2"))
    common = Path(folder) / "common"
    call("dwz", "-m", common, one.debug, two.debug)
    if not common.exists():
        print("dwz: skipped, it found nothing in common")
        return
    one.link(one.folder / "server.debug")
    with running(one.program) as (process, waits):
        expect(process, waits, "dwz")
        common.unlink()
        expect(process, waits, "dwz, common file missing", lines=False)


def test_split(folder):
    for compiler in ("g++", "clang++-14", "clang++-19"):
        if not shutil.which(compiler):
            continue
        one = Build(folder, f"split-{compiler}", "-g", "-gsplit-dwarf", "-O1", compiler=compiler)
        dwo = [path for path in one.folder.iterdir() if path.suffix == ".dwo"]
        check(dwo, f"{compiler} -gsplit-dwarf: no .dwo in {list(one.folder.iterdir())}")
        with running(one.program) as (process, waits):
            expect(process, waits, f"{compiler} -gsplit-dwarf")
            for path in dwo:
                path.rename(path.with_suffix(".away"))
            os.mkfifo(dwo[0])  # libdw would wait for a writer
            expect(process, waits, f"{compiler} -gsplit-dwarf, .dwo missing", lines=False,
                   warning=[dwo[0].name, "-gsplit-dwarf"])


def test_package(folder):
    """A .dwp file: without the .dwo files, and of another build."""
    unused = Path(folder) / "unused.cc"
    unused.write_text("int unused(int x) { return x * 2; }")
    for compiler, version, tool in (("clang++-14", 4, "llvm-dwp-14"), ("clang++-19", 5, "llvm-dwp-14"),
                                    ("g++", 4, "dwp")):
        name = f"{compiler} -gdwarf-{version} and {tool}"
        if not shutil.which(compiler) or not shutil.which(tool):
            print(f"{name}: skipped")
            continue
        options = ("-g", f"-gdwarf-{version}", "-gsplit-dwarf", "-O1")
        one = Build(folder, f"package-{compiler}-{version}", *options, unused, compiler=compiler)
        call("timeout", 60, tool, "-e", one.program, "-o", f"{one.program}.dwp")
        dwo = [path for path in one.folder.iterdir() if path.suffix == ".dwo"]
        check(len(dwo) == 2, f"{name}: {dwo}")
        with running(one.program) as (process, waits):
            options = ["ps", "--locals", "--json", str(process.pid)]
            expected = json.loads(subprocess.run([skein, *options], capture_output=True, text=True).stdout)
            for path in dwo:
                path.unlink()
            expect(process, waits, name)
            found = json.loads(subprocess.run([skein, *options], capture_output=True, text=True).stdout)
            check(found == expected, f"{name}: {found}, not {expected}")
            other = Build(folder, f"other-{compiler}-{version}", "-g", f"-gdwarf-{version}", "-gsplit-dwarf", "-O2",
                          "-DOTHER", compiler=compiler)
            call("timeout", 60, tool, "-e", other.program, "-o", f"{one.program}.dwp")
            expect(process, waits, f"{name} of another build", lines=False, warning=["of another build", ".dwp"])
            Path(f"{one.program}.dwp").write_bytes(b"\x7fELF")
            expect(process, waits, f"{name}, damaged", lines=False, warning=[".dwp"])


for test in [value for name, value in list(globals().items()) if name.startswith("test_")]:
    with tempfile.TemporaryDirectory() as temporary:
        os.chmod(temporary, 0o755)
        test(temporary)
        print(f"{test.__name__}: passed", flush=True)
