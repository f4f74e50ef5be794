#!/usr/bin/env python3
"""bad_cases_test.py SKEIN SOURCE [--all] [CASE...]: what cannot be read, or only in part, gets a clear line: processes
that end, of other users, 32-bit ones, in containers, traced by others; cores that are damaged or of other programs; huge
memory. Nothing is invented, and no process is harmed."""
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

skein, source = os.path.abspath(sys.argv[1]), sys.argv[2]
everything = "--all" in sys.argv[3:]
chosen = [word for word in sys.argv[3:] if word != "--all"]
IS_ROOT = os.getuid() == 0
CHAINS = 20
skipped = []


def check(condition, what):
    if not condition:
        sys.exit(f"bad_cases_test: {str(what)[:1000]}")


def run(*words, before=(), **options):
    return subprocess.run([*before, skein, *map(str, words)], capture_output=True, text=True, timeout=120, **options)


def fails(got, words, what):
    check(got.returncode == 2 and words in got.stderr and got.stderr.count("\n") == 1 and not got.stdout,
          f"{what}: {got}")


def found(target, *words):
    got = run("ps", "--json", *words, target)
    check(got.returncode == 0, f"ps {target}: {got}")
    return json.loads(got.stdout)


def complete(target, *words, count=CHAINS):
    """Whether there are all coroutines, and no others."""
    all_of_it = found(target, *words)
    names = [one["function"].rsplit("::", 1)[-1] for one in all_of_it["coroutines"]]
    check(sorted(names) == ["leaf"] * count + ["root"] * count, f"{target}: {len(names)} coroutines")
    check(sum(one["awaits"] is not None for one in all_of_it["coroutines"]) == count, f"{target}: edges")
    return all_of_it


def build(folder, name="program", *options, compiler="g++"):
    program = Path(folder) / name
    subprocess.run([compiler, "-std=c++20", "-g", "-O1", source, "-o", program, *options], check=True)
    return program


@contextlib.contextmanager
def running(*words, before=(), count=CHAINS, size=0):
    process = subprocess.Popen([*before, *map(str, words), str(count), str(size)], stdout=subprocess.PIPE, text=True)
    try:
        check(process.stdout.readline() == "ready\n", f"{words}: not ready")
        yield process
    finally:
        process.kill()
        process.wait()


def gcore(process, folder):
    subprocess.run(["gcore", "-o", folder / "core", str(process.pid)], capture_output=True, check=True)
    return folder / f"core.{process.pid}"


def state(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def case_ends_midway(folder):
    """Killed at any instant of the search: all of its coroutines, or an error, never a part of them."""
    program = build(folder)
    count = 3000
    with running(program, count=count, size=20) as process:
        run("ps", process.pid)  # lines into the cache
        start = time.monotonic()
        run("ps", process.pid)
        took = time.monotonic() - start
    reasons = set()
    for _ in range(200 if everything else 25):
        with running(program, count=count, size=20) as process:
            reader = subprocess.Popen([skein, "ps", "--json", str(process.pid)], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
            time.sleep(random.uniform(0, 1.2 * took))
            process.kill()
            if random.random() < 0.5:
                process.wait()  # otherwise it is a zombie
            out, err = reader.communicate(timeout=60)
        if reader.returncode == 0:
            check(len(json.loads(out)["coroutines"]) == 2 * count, f"a part: {out[:300]}")
            reasons.add("complete")
        else:
            check(reader.returncode == 2 and re.search("ended while its memory was read|no such process|has ended|"
                                                       "no memory", err), f"ends midway: {err}")
            reasons.add(err.split(": ", 2)[-1])
    print("ends midway:", sorted(reasons))


def case_no_process(folder):
    fails(run("ps", 2**22 + 1), "no such process", "no process")
    ended = subprocess.Popen(["true"])
    while state(ended.pid) != "Z":
        time.sleep(0.01)
    fails(run("ps", ended.pid), "it has ended, and its parent has not waited for it", "a zombie")
    ended.wait()
    if state(2) and os.readlink("/proc/self/ns/pid") and Path("/proc/2/comm").read_text() == "kthreadd\n":
        fails(run("ps", 2), "a thread of the kernel", "a thread of the kernel")


def case_text_file(folder):
    """A file that is neither a trace nor anything else that is read."""
    text = Path(folder) / "notes.txt"
    text.write_text("no trace\n")
    for command in "ps", "why", "show":
        fails(run(command, text), "expected the id of a process, a core file, or a trace: a directory", command)
    fails(run("info", text), "not a trace; expected a directory", "info")
    fails(run("info", text), ", perf.data, or -", "info")
    # These need a recording.
    for command in ["why", text], ["doctor", text], ["critical", text], ["diff", text, text]:
        fails(run(*command), "(.json.gz), or -", command[0])


def case_32_bit(folder):
    code = folder / "small.s"
    code.write_text(".globl _start\n_start: movl $29, %eax\n int $0x80\n jmp _start\n")  # pause()
    program = folder / "small"
    made = subprocess.run(["gcc", "-m32", "-nostdlib", "-static", code, "-o", program], capture_output=True)
    if made.returncode != 0:
        return skipped.append("32-bit: no assembler")
    try:
        process = subprocess.Popen([program])
    except OSError:
        return skipped.append("32-bit: the kernel has no 32-bit programs")
    time.sleep(0.1)
    for command in ("ps", "why", "show"):
        fails(run(command, process.pid), "a 32-bit program; skein reads 64-bit programs only", command)
    check(process.poll() is None, "the 32-bit process has ended")
    process.kill()
    process.wait()


def case_sanitizers(folder):
    for name in ("address", "thread"):
        with running(build(folder, f"with-{name}", f"-fsanitize={name}")) as process:
            start = time.monotonic()
            complete(process.pid)
            check(time.monotonic() - start < 20, f"{name} takes {time.monotonic() - start} s")


def case_without_coroutines(folder):
    process = subprocess.Popen(["sleep", "1000"])
    time.sleep(0.1)
    got = run("ps", process.pid)
    process.kill()
    process.wait()
    fails(got, "not recording", "a program without coroutines")


def case_huge(folder):
    code = folder / "huge.cc"
    code.write_text(Path(source).read_text().replace('#include <unistd.h>', '#include <sys/mman.h>\n#include <unistd.h>')
                    .replace('  std::puts("ready");', """\
  char* huge = static_cast<char*>(mmap(nullptr, 200UL << 30, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (huge == MAP_FAILED) return 1;
  for (size_t i = 0; i < 1000; i++) huge[(i * 199 << 30) / 1000] = 1;
  std::puts("ready");"""))
    program = folder / "huge"
    subprocess.run(["g++", "-std=c++20", "-g", "-O1", code, "-o", program], check=True)
    with running(program) as process:
        memory = resident(process.pid)
        start = time.monotonic()
        complete(process.pid)
        complete(process.pid, "--stop")
        check(time.monotonic() - start < 60, f"200 GiB take {time.monotonic() - start} s")
        # 1000 parts of 4 MiB have a page, from which on they are read; a sample of them, and the small heap.
        got = run("ps", "--json", "--search-limit", "100M", process.pid)
        sample = json.loads(got.stdout)
        check(got.returncode == 0 and re.search(r"it has written (1\.9|2)[\d.]* GiB: reading [\d.]+ MiB of it", got.stderr), got.stderr)
        check(any("coroutines are missing" in one for one in sample["warnings"]), sample["warnings"])
        check(len(sample["coroutines"]) == 2 * CHAINS, f"of a sample {len(sample['coroutines'])}")
        check(not any(one["certain"] for one in sample["coroutines"]), "certain, in a sample")
        check(resident(process.pid) < memory + 8000, f"reading gave it pages: {memory}, {resident(process.pid)} KiB")
        fails(run("ps", "--search-limit", "1k", process.pid), "--search-limit: invalid size", "a tiny limit")


def resident(pid):
    """KiB."""
    return int(re.search(r"VmRSS:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())[1])


def case_other_user(folder):
    if not IS_ROOT or not shutil.which("setpriv"):
        return skipped.append("other user: needs root")
    os.chmod(folder, 0o755)
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all",
              "--bounding-set=-all"]
    copy = folder / "skein"
    shutil.copy(skein, copy)
    with running(build(folder)) as process:
        for words in (["ps"], ["why"], ["ps", "--stop"], ["core", "-o", "/dev/null"], ["show"]):
            got = subprocess.run([*nobody, copy, words[0], str(process.pid), *words[1:]], capture_output=True, text=True,
                                 timeout=60)
            check(got.returncode == 2 and got.stderr.count("\n") == 1 and
                  re.search("permission.* it belongs to another user; run skein as root", got.stderr), f"{words}: {got}")
        check(state(process.pid) == "S", "its state")


def case_traced(folder):
    with running(build(folder)) as process:
        gdb = shutil.which("gdb")
        if not gdb:
            return skipped.append("traced: no gdb")
        debugger = subprocess.Popen([gdb, "-q", "-p", str(process.pid), "-ex", "echo attached\\n"],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in debugger.stdout:
                if "attached" in line:
                    break
            fails(run("ps", "--stop", process.pid), "another program such as a debugger traces it; leave out --stop",
                  "traced")
            complete(process.pid)
        finally:
            debugger.kill()
            debugger.wait()


def case_stopped(folder):
    with running(build(folder)) as process:
        os.kill(process.pid, signal.SIGSTOP)
        while state(process.pid) != "T":
            time.sleep(0.01)
        complete(process.pid)
        complete(process.pid, "--stop")
        time.sleep(0.1)
        check(state(process.pid) == "T", f"after --stop it is {state(process.pid)}, not stopped")


def case_deleted(folder):
    shared = folder / "libshared.so"
    options = ["-shared", "-fPIC", "-Dmain=run"]
    build(folder, "libshared.so", *options)
    main = folder / "main.cc"
    main.write_text("int run(int, char**);\nint main(int count, char** words) { return run(count, words); }\n")
    subprocess.run(["g++", "-g", main, shared, "-o", folder / "main", f"-Wl,-rpath,{folder}"], check=True)
    program = build(folder)
    with running(program) as process, running(folder / "main") as of_library:
        complete(process.pid)
        complete(of_library.pid)
        program.unlink()
        shared.unlink()
        complete(process.pid)
        shutil.copy("/bin/true", program)  # another program has its name
        complete(process.pid)
        if IS_ROOT:
            complete(of_library.pid)
        else:
            got = run("ps", of_library.pid)
            check("run skein as root" in got.stdout + got.stderr, got)
        if shutil.which("gcore"):
            core = gcore(process, folder)
            got = run("ps", core)
            check("build id" in got.stdout + got.stderr, f"a core of a deleted program: {got}")


def case_wrong_program(folder):
    if not shutil.which("gcore"):
        return skipped.append("wrong program: no gcore")
    program = build(folder)
    with running(program) as process:
        core = gcore(process, folder)
    complete(core)
    build(folder, "program", "-O2", "-DOTHER")
    got = run("ps", core)
    check(got.returncode == 2 and "build id" in got.stderr and "install the version that was running" in got.stderr, got)
    got = run("why", core)
    check(got.returncode == 2 and "Whether there are coroutines in its memory is unknown" in " ".join(got.stdout.split()),
          got)
    program.unlink()
    got = run("ps", core)
    check(got.returncode == 2 and "copy it there from the machine" in got.stderr, f"no program: {got}")


def case_damaged_cores(folder):
    """Cut short or damaged anywhere: an error, a warning, or all coroutines; no crash and no invention."""
    if not shutil.which("gcore"):
        return skipped.append("damaged cores: no gcore")
    with running(build(folder)) as process:
        original = gcore(process, folder).read_bytes()
    path = folder / "damaged"
    for i in range(400 if everything else 30):
        random.seed(i)
        data = bytearray(original)
        is_cut = i % 2 == 0
        if is_cut:
            del data[random.randrange(len(data)):]
        else:
            head = random.choice([64, 2000, len(data)])
            for _ in range(random.choice([1, 8, 200])):
                data[random.randrange(head) - (0 if i % 4 == 1 else head)] = random.randrange(256)
        path.write_bytes(data)
        for words in (["ps", "--json"], ["why"], ["core", "-o", folder / "small"]):
            got = run(words[0], path, *words[1:])
            check(got.returncode in (0, 1, 2), f"seed {i}: {words}: {got.returncode} {got.stderr[-300:]}")
            if words[0] == "ps" and got.returncode == 0:
                all_of_it = json.loads(got.stdout)
                count = len(all_of_it["coroutines"])
                check(count <= 2 * CHAINS, f"seed {i}: {count} coroutines")
                if is_cut:
                    check(count == 2 * CHAINS or any("cut short" in one for one in all_of_it["warnings"]),
                          f"seed {i}: {count} coroutines without a warning")
            if words[0] == "ps" and got.returncode == 2:
                check(got.stderr.count("\n") == 1 and len(got.stderr) < 2000, f"seed {i}: {got.stderr}")


def case_container(folder):
    """A process with its own root directory, or in a mount namespace that hides its files from others."""
    if not IS_ROOT or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        return skipped.append("container: needs root")
    program = build(folder, "outside", "-static")
    inside = folder / "root"
    (inside / "opt").mkdir(parents=True)
    shutil.copy(program, inside / "opt/server")
    program.unlink()
    with running("/opt/server", before=["chroot", inside]) as process:
        complete(process.pid)
    script = f"mount -t tmpfs none {inside} && mkdir {inside}/opt && mv {folder}/hidden {inside}/opt/server && " \
             f"exec chroot {inside} /opt/server {CHAINS} 0"
    (inside / "opt/server").rename(folder / "hidden")
    with running("unshare", "-m", "sh", "-c", script) as process:
        check(not (inside / "opt/server").exists(), "the file is not hidden")
        complete(process.pid)
        complete(process.pid, "--stop")
        snapshot = folder / "snapshot"
        check(run("core", process.pid, "-o", snapshot).returncode == 0, "core of a container")
        complete(snapshot)


cases = {name.removeprefix("case_"): function for name, function in list(globals().items()) if name.startswith("case_")}
for name, function in cases.items():
    if chosen and name not in chosen:
        continue
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="skein-bad-") as scratch:
        function(Path(scratch))
    print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
for line in skipped:
    print("skipped:", line)
