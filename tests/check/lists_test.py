#!/usr/bin/env python3
"""lists_test.py SKEIN: tests of CTest, and test cases of GoogleTest, Catch2 and doctest."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from common import can_compile, can_trace, check, compile_program, expect, explains

if not can_trace():
    print("skipped: no g++, or ptrace is forbidden")
    sys.exit(77)

FRAMEWORKS = {
    "gtest": ("#include <gtest/gtest.h>\n", ["-lgtest", "-lgtest_main"],
              {"Queue.Pushes": "passed", "Queue.Fails": "FAILED", "Queue.Hangs": "TIMEOUT", "Queue.Skips": "skipped",
               "Queue.LeavesEarly": "FAILED",
               "Queue.DISABLED_Skipped": "skipped",
               "All/Sizes.Works/0": "passed", "All/Sizes.Works/1": "passed",
               "Odd/unsigned int-suite.Takes:*?": "passed"}),
    "catch2": ("#include <catch2/catch.hpp>\n", [],
               {"one, two [three] *": "passed", "~tilde": "passed", "~": "passed", "[],": "passed", "-dash first": "passed",
                "- dash": "passed", "exclude:x": "passed", "#hash": "passed", "*fails": "passed",
                r'quoted \"\\\"': "passed", "fails": "FAILED", "hangs": "TIMEOUT"}),
    "doctest": ("#include <doctest/doctest.h>\n", [],
                {"one, two": "passed", r"*a\\b,c?": "passed", "-dash": "passed", "FAILS": "passed", "(no name)": "passed",
                 "disabled": "skipped", "fails": "FAILED", "hangs": "TIMEOUT"}),
}
LISTS = r"""
cmake_minimum_required(VERSION 3.20)
project(tests LANGUAGES NONE)
enable_testing()
add_test(NAME good COMMAND echo fine)
add_test(NAME bad COMMAND sh -c "echo its words; exit 3")
add_test(NAME hangs COMMAND ${PROGRAM})
set_tests_properties(hangs PROPERTIES TIMEOUT 1 ENVIRONMENT "A=b c")
add_test(NAME reversed COMMAND false)
set_tests_properties(reversed PROPERTIES WILL_FAIL ON)
add_test(NAME skipped COMMAND sh -c "exit 77")
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME matches COMMAND sh -c "echo 12 apples; exit 1")
set_tests_properties(matches PROPERTIES PASS_REGULAR_EXPRESSION "[0-9]+ apples")
add_test(NAME matches_not COMMAND echo 12 pears)
set_tests_properties(matches_not PROPERTIES PASS_REGULAR_EXPRESSION "[0-9]+ apples")
add_test(NAME in_folder COMMAND sh -c "test \$PWD = /usr && test \"\$A\" = 'b c' && test \$B = x" WORKING_DIRECTORY /usr)
set_tests_properties(in_folder PROPERTIES ENVIRONMENT "A=b c" ENVIRONMENT_MODIFICATION "B=set:x")
add_test(NAME disabled COMMAND false)
set_tests_properties(disabled PROPERTIES DISABLED ON)
add_test(NAME missing COMMAND /nonexistent/program)
add_test(NAME needs_files COMMAND true WORKING_DIRECTORY /usr)
set_tests_properties(needs_files PROPERTIES REQUIRED_FILES "bin;/usr/bin")
add_test(NAME lacks_files COMMAND true)
set_tests_properties(lacks_files PROPERTIES REQUIRED_FILES "/usr/bin;bin/none" WILL_FAIL ON)
add_test(NAME hangs_later COMMAND sh -c "echo is ready; exec ${PROGRAM}")
set_tests_properties(hangs_later PROPERTIES TIMEOUT_AFTER_MATCH "1;is r(eady|un)" TIMEOUT 1000)
add_test(NAME ends_later COMMAND sh -c "echo is ready; sleep 0.2")
set_tests_properties(ends_later PROPERTIES TIMEOUT_AFTER_MATCH "100;is ready")
add_test(NAME grouped COMMAND true)
add_test(NAME grouped_too COMMAND true)
set_tests_properties(grouped grouped_too PROPERTIES RESOURCE_GROUPS "1,gpus:1")
add_test(NAME use COMMAND sh -c "test -e started")
set_tests_properties(use PROPERTIES FIXTURES_REQUIRED server)
add_test(NAME stop COMMAND sh -c "rm started")
set_tests_properties(stop PROPERTIES FIXTURES_CLEANUP server)
add_test(NAME start COMMAND sh -c "sleep 0.2; touch started")
set_tests_properties(start PROPERTIES FIXTURES_SETUP server)
add_test(NAME start_fails COMMAND false)
set_tests_properties(start_fails PROPERTIES FIXTURES_SETUP broken)
add_test(NAME needs_it COMMAND true)
set_tests_properties(needs_it PROPERTIES FIXTURES_REQUIRED broken)
"""
EXPECTED = {"good": "passed", "bad": "FAILED", "hangs": "TIMEOUT", "reversed": "passed", "skipped": "skipped",
            "matches": "passed", "matches_not": "FAILED", "in_folder": "passed", "disabled": "skipped",
            "needs_files": "passed", "lacks_files": "NOT RUN", "hangs_later": "TIMEOUT", "ends_later": "passed",
            "grouped": "passed", "grouped_too": "passed", "missing": "NOT RUN", "use": "passed", "stop": "passed", "start": "passed", "start_fails": "FAILED",
            "needs_it": "NOT RUN"}


def results(text):
    return {match[2]: match[1] for match in
            re.finditer(r"^ *\d+/\d+ (passed|FAILED|TIMEOUT|skipped|NOT RUN) +[\d.]+ s  (.*?)(?:: .*)?$", text, re.M)}


with tempfile.TemporaryDirectory(prefix="skein-check-test-") as folder:
    folder = pathlib.Path(folder)
    for name, (header, libraries, expected) in FRAMEWORKS.items():
        if not can_compile(header):
            print(f"no {name}")
            continue
        program = compile_program(name, folder, *libraries)
        run = check("--cases", "--timeout", "3s", "--jobs", "2", "--junit", folder / "junit.xml", "--", program)
        expect(f"{name}: results", results(run.stdout) == expected, run)
        expect(f"{name}: the hang", explains(run.stdout, f"{name}.cc"), run.stdout)
        expect(f"{name}: exit code", run.returncode == 1, run)
        suite = xml.etree.ElementTree.parse(folder / "junit.xml").getroot()[0]
        cases = {case.get("name"): [child.tag for child in case] for case in suite}
        expect(f"{name}: cases in JUnit", set(cases) == {re.sub(r"\\(.)", r"\1", case) for case in expected}, cases)
        failures = sum(verdict in ("FAILED", "TIMEOUT") for verdict in expected.values())
        expect(f"{name}: failures in JUnit", suite.get("failures") == str(failures), suite.attrib)
        skipped = [case for case, verdict in expected.items() if verdict == "skipped"]
        expect(f"{name}: skipped in JUnit", suite.get("skipped") == str(len(skipped)) and
               all(cases[case][0] == "skipped" for case in skipped), cases)
        disabled = [case for case in expected if "disabled" in case.lower()]
        summary = f"{len(expected)} tests, {failures} failed" + (f", {len(skipped)} skipped" if skipped else "") + (
            f" ({len(disabled)} disabled)" if disabled else "") + "."
        expect(f"{name}: the summary", summary in run.stdout, run.stdout)
        if name == "catch2":
            run = check("--cases", "--", program, "[twins]")
            expect("names that differ by case", results(run.stdout) == {"twin": "NOT RUN", "Twin": "NOT RUN", "only": "passed"}, run)
            selected = check("--cases", "--", program, "only,\\~tilde")
            expect("several patterns", results(selected.stdout) == {"only": "passed", "~tilde": "passed"}, selected)
            expect("why", "no filter of Catch2 selects only this test case: it selects 'Twin', too\n" in run.stdout, run)
        if name == "gtest":
            expect("one that leaves early", "it ended the program in its middle, with exit code 0" in run.stdout, run.stdout)
            filtered = ["--cases", "--", program, "--gtest_filter=*DISABLED*"]
            run = check(*filtered)
            expect("only disabled ones", (run.returncode, len(results(run.stdout))) == (0, 1), run)
            for variables, words in (({}, ["--gtest_also_run_disabled_tests"]),
                                     ({"GTEST_ALSO_RUN_DISABLED_TESTS": "1"}, [])):
                run = check(*filtered, *words, env=os.environ | variables)
                expect("a disabled one runs", results(run.stdout) == {"Queue.DISABLED_Skipped": "FAILED"}, run)
    run = check("--cases", "--", "true")
    expect("a program without test cases", run.returncode == 2 and "lists no test cases" in run.stderr, run)

    run = check("--", "sh", "-c", 'test "$0 $1 $2" = "[tag] [a,b] []"', "[tag]", "[a,b]", "[]")
    expect("arguments in brackets", run.returncode == 0, run)
    run = check("--cases", "--", folder / "nonexistent")
    expect("a program that does not exist", run.returncode == 2 and
           "nonexistent: it cannot be executed: No such file or directory" in run.stderr, run)
    run = check("--cases", "--", folder)
    expect("a folder", run.returncode == 2 and "it cannot be executed: Permission denied" in run.stderr, run)

    program = compile_program("coroutine", folder)
    (folder / "CMakeLists.txt").write_text(LISTS)
    tree = folder / "tree"
    subprocess.run(["cmake", "-S", folder, "-B", tree, f"-DPROGRAM={program}"], check=True, stdout=subprocess.DEVNULL)
    for jobs in (1, 4):
        run = check("--ctest", tree, "--jobs", jobs)
        expect(f"ctest with {jobs} jobs", results(run.stdout) == EXPECTED, run)
        expect("the hang", explains(run.stdout, "coroutine.cc"), run.stdout)
        expect("the output of a test that failed", "its words" in run.stdout and "fine" not in run.stdout, run.stdout)
        expect("exit code", run.returncode == 1, run)
        expect("why", "lacks_files: its required file 'bin/none' does not exist\n" in run.stdout and
               "hangs_later: it did not end within 1.00 s after its output matched 'is r(eady|un)'\n" in run.stdout,
               run.stdout)
        expect("an unknown property", run.stderr.count("RESOURCE_GROUPS") == 1 and
               "test 'grouped' and 1 other test: skein does not know the property RESOURCE_GROUPS" in run.stderr, run.stderr)
        if jobs == 1:  # as ctest itself
            ctest = subprocess.run(["ctest", "--test-dir", tree], capture_output=True, text=True).stdout
            failed = set(re.findall(r"^\s*\d+ - (\S+) \((?!Skipped|Disabled)", ctest, re.M))
            own = {name for name, verdict in EXPECTED.items() if verdict not in ("passed", "skipped")}
            expect("ctest agrees", failed == own, (failed, ctest))
    run = check("--ctest", tree, "--", "-R", "^(good|reversed)$")
    expect("chosen tests", run.returncode == 0 and results(run.stdout) == {"good": "passed", "reversed": "passed"}, run)
    run = check("--ctest", folder / "nothing")
    expect("no build tree", run.returncode == 2, run)
    run = check("--ctest", tree, "--", "-R", "no such test")
    expect("no tests", run.returncode == 2 and "lists no tests" in run.stderr, run)
