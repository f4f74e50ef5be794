#!/usr/bin/env python3
"""action_test.py SOURCE: the composite action for GitHub is valid YAML with the keys that GitHub requires, passes no
input to a shell, and its script starts `skein check` with the inputs."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

folder = pathlib.Path(sys.argv[1]) / ".github/actions/check"


def expect(what, condition, detail=""):
    if not condition:
        print(f"FAILED: {what}: {detail}")
        sys.exit(1)


text = (folder / "action.yml").read_text()
variables = dict(re.findall(r"^ +(SKEIN_INPUT_\w+): \$\{\{ inputs\.([\w-]+) \}\}$", text, re.M))
for line in text.splitlines():
    if line.strip().startswith("run:"):
        expect("no expression in a script", "${{" not in line, line)

with tempfile.TemporaryDirectory() as scratch:
    fake = pathlib.Path(scratch) / "skein"
    fake.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    fake.chmod(0o755)

    def words(**inputs):
        environment = {f"SKEIN_INPUT_{name}": value for name, value in inputs.items()}
        expect("known inputs", set(environment) <= set(variables) | {"SKEIN_INPUT_KEEP"}, environment)
        run = subprocess.run([folder / "run"], capture_output=True, text=True,
                             env={"PATH": f"{scratch}:{os.environ['PATH']}"} | environment)
        expect("the script", run.returncode == 0, run)
        return run.stdout.splitlines()

    start = ["check", "--github", "--timeout", "30s", "--jobs", "1"]
    expect("a command", words(COMMAND="./a b\n$(touch x)\n") == [*start, "--", "./a b", "$(touch x)"],
           words(COMMAND="./a b\n$(touch x)\n"))
    expect("ctest", words(CTEST="build", ARGUMENTS="-L\nunit", COMMAND="ignored") ==
           [*start, "--ctest", "build", "--", "-L", "unit"])
    expect("all options", words(COMMAND="t", TIMEOUT="1s", JOBS="4", BUDGETS="f count < 5\ng max < 1 hops\n",
                                FAIL_ON="never-started", JUNIT="a b.xml", KEEP="/k", CASES="true", CATCH_CRASHES="true") ==
           ["check", "--github", "--timeout", "1s", "--jobs", "4", "--budget", "f count < 5", "--budget",
            "g max < 1 hops", "--fail-on", "never-started", "--junit", "a b.xml", "--keep", "/k", "--catch-crashes",
            "--cases", "--", "t"])
    expect("nothing was evaluated", not pathlib.Path("x").exists())
    install = subprocess.run([folder / "install"], capture_output=True, text=True,
                             env={"PATH": f"{scratch}:{os.environ['PATH']}"})
    expect("an installed skein is used", install.returncode == 0 and install.stdout == "", install)

try:
    import yaml
except ImportError:
    print("skipped: no python3-yaml")
    sys.exit(77)
action = yaml.safe_load(text)
expect("keys", {"name", "description", "inputs", "runs"} <= set(action), action)
expect("a composite action", action["runs"]["using"] == "composite" and len(action["runs"]["steps"]) == 3)
for step in action["runs"]["steps"]:
    expect("a step runs or uses", ("run" in step) != ("uses" in step), step)
    expect("a script has a shell", "run" not in step or step["shell"] == "bash", step)
for name, declared in action["inputs"].items():
    expect(f"input {name}", isinstance(declared.get("description"), str) and isinstance(declared.get("default"), str),
           declared)
expect("each input is used", set(variables.values()) | {"artifact"} == set(action["inputs"]), variables)
