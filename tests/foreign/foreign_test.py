#!/usr/bin/env python3
"""foreign_test.py LIBRARY --source .. --build .. --scratch .. --cxx ..: builds a public library and its
tests as published, and again with `skein --cmake`. The configure step must find the same, and each test
must have the same result: with recording off, in ring mode and in log mode."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

# Folder of the top-level CMakeLists.txt, settings, and tests that are not run.
LIBRARIES = {
    "cppcoro": ("cppcoro", ["-DBUILD_TESTING=ON"], None),
    # Without the parts that need c-ares and OpenSSL.
    "libcoro": ("libcoro", ["-DLIBCORO_FEATURE_NETWORKING=OFF", "-DLIBCORO_FEATURE_TLS=OFF"], None),
    "concurrencpp": ("concurrencpp/test", [], None),
}
MOST_FOR_WHY = 500e6  # bytes of a trace: more takes minutes
MODES = {"off": None, "ring": "ring", "log": "log"}


def run(*command, **keywords):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **keywords)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout[-20000:]}")
    return done.stdout


def find_archive(source, library):
    """Skips the test if it is not here."""
    data = pathlib.Path(os.environ.get("SKEIN_DATA", source.parent / "shared/data"))
    archive = data.parent / "foreign" / f"{library}.tar.xz"
    if not archive.exists():
        print(f"skipped: {archive.name} is not here; set SKEIN_DATA to the folder beside its folder `foreign`")
        sys.exit(77)
    return archive


def unpack(options):
    archive = find_archive(options.source, options.library)
    shutil.rmtree(options.scratch, ignore_errors=True)
    options.scratch.mkdir(parents=True)
    run("tar", "-xf", archive, "-C", options.scratch)


def build(options, name, *settings):
    folder, own, _ = LIBRARIES[options.library]
    out = options.scratch / name
    output = run("cmake", "-S", options.scratch / folder, "-B", out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                 f"-DCMAKE_CXX_COMPILER={options.cxx}", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON", *own, *settings)
    print(*(line for line in output.splitlines() if "skein" in line), sep="\n", flush=True)
    run("cmake", "--build", out, "-j2")
    return out


def findings(out):
    """What the configure step found: the variables in the cache."""
    text = (out / "CMakeCache.txt").read_text().replace(str(out), "BUILD")
    return {name: value for name, value in re.findall(r"^([^#/\n][^:\n]*):\w+=(.*)$", text, re.MULTILINE)
            if name != "CMAKE_PROJECT_TOP_LEVEL_INCLUDES"}


def run_tests(options, out, environment, only=None):
    """Returns the result of each test case: `run`, or how it failed."""
    report = out / "report.xml"
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith("SKEIN_")}, **environment}
    if options.library == "libcoro":  # one program: its own report has the cases
        command = [out / "test/libcoro_test", "--reporter", f"junit::out={report}", *([f'"{only}"'] if only else [])]
    else:
        command = ["ctest", "--test-dir", out, "--timeout", "600", "-j2", "--output-junit", report,
                   *(["-R", f"^{re.escape(only)}$"] if only else [])]
    report.unlink(missing_ok=True)
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True,
                          errors="replace", timeout=3600)
    if not report.exists():
        return {"the program": f"exit code {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"}
    results = {}
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        failures = [child.get("message") or child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        # concurrencpp's tests report an exception, and go on.
        failures += re.findall("terminated with an exception.*", case.findtext("system-out") or "")
        results[case.get("name")] = "; ".join(failures) or "passed"
    return results


def check(options, name, expected, out, plain, environment):
    """Each case has the expected result, if need be at the third try: some tests depend on the time. Or it has other
    results without skein, too, at one of 30 tries: on a busy machine, some of cppcoro's tests fail every fifth time."""
    results = run_tests(options, out, environment)
    passed = sum(result == "passed" for result in results.values())
    print(f"{name}: {passed} of {len(results)} cases passed", flush=True)
    different = sorted(case for case in {*expected, *results} if expected.get(case) != results.get(case))
    for case in list(different):
        for _ in range(2):
            if run_tests(options, out, environment, case).get(case) == expected.get(case):
                print(f"  unstable: {case}: {results.get(case)}")
                different.remove(case)
                break
        else:
            if any(run_tests(options, plain, {}, case).get(case) != expected.get(case) for _ in range(30)):
                print(f"  unstable without skein, too: {case}: {results.get(case)}")
                different.remove(case)
    return [f"{name}: {case}: {results.get(case)}, without skein: {expected.get(case)}" for case in different]


def check_traces(options, folder):
    """The traces are readable and have coroutines, and `why` finds no error in a test that passed: a library's
    tests end by themselves. Prints what they lost. Returns the problems."""
    coroutines = losses = unread = 0
    problems = []
    traces = sorted(folder.iterdir())
    for trace in traces:
        done = subprocess.run([options.build / "skein", "info", "--json", trace], capture_output=True, text=True)
        if "more than --memory allows" in done.stderr:  # a log of libcoro's tests has hundreds of millions of events
            print(f"  {trace.name}: not read, too large for this machine's memory")
            unread += 1
            continue
        assert done.returncode == 0, f"{trace}: {done.stderr}"
        losses += "lost:" in done.stderr
        coroutines += '"create"' in done.stdout and '"resume"' in done.stdout
        if size_of(trace) > MOST_FOR_WHY:
            continue
        asked = subprocess.run([options.build / "skein", "why", trace], capture_output=True, text=True)
        if asked.returncode != 0:
            problems.append(f"why {trace.name}: exit code {asked.returncode}\n{asked.stdout[:3000]}{asked.stderr}")
    print(f"  {len(traces)} traces, {coroutines} with tasks that ran, {losses} with losses", flush=True)
    assert coroutines > 0 or unread > 0, f"no coroutine in {len(traces)} traces"
    return problems


def size_of(trace):
    return sum(file.stat().st_size for file in [trace, *trace.glob("*")] if file.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=LIBRARIES)
    for name in ("source", "build", "scratch"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    unpack(options)

    plain = build(options, "plain")
    top = run(options.build / "skein", "--cmake").strip()
    traced = build(options, "traced", f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={top}")
    first, second = findings(plain), findings(traced)
    assert first == second, f"the configure step found {sorted(set(first.items()) ^ set(second.items()))}"

    expected = run_tests(options, plain, {})
    passed = [case for case, result in expected.items() if result == "passed"]
    print(f"without skein: {len(passed)} of {len(expected)} cases passed", flush=True)
    assert len(passed) > 10, expected
    problems = []
    for name, mode in MODES.items():
        folder = options.scratch / f"traces-{name}"
        folder.mkdir()
        environment = {"SKEIN_TRACE": f"{folder}/%p,mode={mode}"} if mode else {}
        problems += check(options, name, expected, traced, plain, environment)
        if mode:
            problems += check_traces(options, folder)
        shutil.rmtree(folder)
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
