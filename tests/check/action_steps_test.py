#!/usr/bin/env python3
"""action_steps_test.py SKEIN SOURCE: executes the steps of the composite action as GitHub's runner does: inputs and
expressions replaced, variables set, each script with `bash --noprofile --norc -eo pipefail` in the workspace."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from common import SECONDS, SKEIN, can_trace, compile_program, expect, explains

try:
    import yaml
except ImportError:
    print("skipped: no python3-yaml")
    sys.exit(77)
if not can_trace():
    print("skipped: no g++, or ptrace is forbidden")
    sys.exit(77)

FOLDER = pathlib.Path(sys.argv[2]).resolve() / ".github/actions/check"
ACTION = yaml.safe_load((FOLDER / "action.yml").read_text())
FALSY = ("", None, False, 0)


class Runner:
    """One use of the action, with `with:` as `given`."""

    def __init__(self, scratch, **given):
        self.inputs = {name: declared["default"] for name, declared in ACTION["inputs"].items()}
        given = {name.replace("_", "-"): value for name, value in given.items()}
        expect("known inputs", set(given) <= set(self.inputs), given)
        self.inputs |= given
        self.workspace, self.temp = scratch / "workspace", scratch / "temp"
        self.workspace.mkdir(exist_ok=True)
        self.temp.mkdir(exist_ok=True)
        self.has_failed = False
        self.output = ""
        self.uploads = []  # of actions/upload-artifact: name and path

    def value(self, expression):
        """Of an expression: the few forms that the action has. && and || return one of their operands, as in GitHub."""
        expression = expression.strip()
        for operator, stops_at in (("||", False), ("&&", True)):
            parts = expression.split(operator)
            if len(parts) > 1:
                result = None
                for part in parts:
                    result = self.value(part)
                    if (result in FALSY) == stops_at:
                        break
                return result
        if match := re.fullmatch(r"(.+?)\s*(!=|==)\s*(.+)", expression):
            equal = self.value(match[1]) == self.value(match[3])
            return equal if match[2] == "==" else not equal
        if match := re.fullmatch(r"format\('([^']*)', *(.+)\)", expression):
            return match[1].replace("{0}", self.value(match[2]))
        if match := re.fullmatch(r"'([^']*)'", expression):
            return match[1]
        if match := re.fullmatch(r"inputs\.([\w-]+)", expression):
            return self.inputs[match[1]]
        return {"github.action_path": str(FOLDER), "runner.temp": str(self.temp), "failure()": self.has_failed,
                "success()": not self.has_failed}[expression]

    def text(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(self.value(match[1])), text)

    def run(self):
        for step in ACTION["runs"]["steps"]:
            condition = step.get("if", "success()").strip()
            condition = condition.removeprefix("${{").removesuffix("}}")
            if self.value(condition) in FALSY or ("failure()" not in condition and self.has_failed):
                continue
            if "uses" in step:
                expect("the only other action", step["uses"].startswith("actions/upload-artifact@"), step)
                self.uploads.append({name: self.text(value) for name, value in step["with"].items()
                                     if isinstance(value, str)})
                continue
            script = self.temp / "step.sh"
            script.write_text(self.text(step["run"]))
            environment = os.environ | {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(self.workspace),
                                        "RUNNER_TEMP": str(self.temp), "CI": "true",
                                        "PATH": f"{pathlib.Path(SKEIN).parent}:{os.environ['PATH']}"}
            environment |= {name: self.text(value) for name, value in step.get("env", {}).items()}
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.workspace,
                                  env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
            self.output += done.stdout
            self.has_failed = self.has_failed or done.returncode != 0
        return self


with tempfile.TemporaryDirectory(prefix="skein-check-test-") as folder:
    folder = pathlib.Path(folder)
    program = compile_program("coroutine", folder)
    good = Runner(folder, command="sh\n-c\necho \"$0 $1\"\na b\n$(touch x)", junit="results.xml").run()
    expect("a good test", not good.has_failed and "a b $(touch x)" in good.output, good.output)
    expect("its results", (good.workspace / "results.xml").exists())
    expect("nothing was evaluated", not (good.workspace / "x").exists())
    expect("nothing is uploaded", good.uploads == [])

    hangs = Runner(folder, command=str(program), timeout="1s").run()
    expect("a hang fails", hangs.has_failed and explains(hangs.output, "coroutine.cc"), hangs.output)
    expect("it is marked in the source", re.search(r"^::error file=.*coroutine\.cc,line=\d+", hangs.output, re.M),
           hangs.output)
    expect("one upload", [one["name"] for one in hangs.uploads] == ["skein-check"], hangs.uploads)
    kept = sorted(path.name for path in pathlib.Path(hangs.uploads[0]["path"]).rglob("*") if path.is_file())
    expect("the uploaded files", kept == ["memory.core", "report.txt"], kept)

    silent = Runner(folder, command=str(program), timeout="1s", artifact="").run()
    expect("without an artifact", silent.has_failed and silent.uploads == [] and "Kept" not in silent.output,
           silent.output)

    (folder / "workspace/build").mkdir()
    (folder / "workspace/build/CTestTestfile.cmake").write_text(
        'add_test(quick "true")\nadd_test(other "false")\nadd_test(hang "%s")\n'
        'set_tests_properties(hang PROPERTIES TIMEOUT 1)\n' % program)
    some = Runner(folder, ctest="build", arguments="-R\n^quick$").run()
    expect("some tests of ctest", not some.has_failed and "1 test, 0 failed" in some.output, some.output)
    every = Runner(folder, ctest="build", jobs="2").run()
    expect("all of them", every.has_failed and "3 tests, 2 failed" in every.output, every.output)
    expect("the reason", explains(every.output, "coroutine.cc"), every.output)
