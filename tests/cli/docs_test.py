#!/usr/bin/env python3
"""Every subcommand has a man page that names each of its long options, and completion offers it.

usage: docs_test.py SKEIN SOURCE"""
import os
import re
import shutil
import subprocess
import sys
import pathlib

skein, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
failures = []


def output(*words):
    return subprocess.run([str(skein), *words], capture_output=True, text=True, check=True).stdout


def options_of(*words):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", output(*words, "--help").split("Options:")[1]))


FORMATS = re.findall(r"^  ([a-z]+) ", output("export", "--help").split("Formats:")[1], re.M)
assert len(FORMATS) >= 4, FORMATS
FORMS = {"export": [["export", form] for form in FORMATS]}  # commands with subcommands
commands = re.findall(r"^  ([a-z][a-z-]*)\s", output("--help").split("Record:")[1], re.M)
assert len(commands) >= 4, commands
commands.remove("help")  # skein help COMMAND is skein COMMAND --help
files = sorted(file.stem for file in (source / "cli/command").glob("*.cc"))
if files != sorted(commands):
    failures.append(f"cli/command has {files}, the program {commands}")
overview = (source / "docs/man/skein.1").read_text()
for command in commands:
    page = source / f"docs/man/skein-{command}.1"
    if not page.exists():
        failures.append(f"{page.name} is missing")
        continue
    text = page.read_text()
    options = set().union(*(options_of(*form) for form in FORMS.get(command, [[command]])))
    for option in options - {"--help"}:
        if f"Fl -{option[2:]}" not in text:
            failures.append(f"{page.name} does not name {option}")
    for option in re.findall(r"\bFl -([a-z][a-z-]*)", text):
        if f"--{option}" not in options:
            failures.append(f"{page.name} names --{option}, which is not there")
    if f"skein-{command} 1" not in overview:
        failures.append(f"skein.1 does not name skein-{command}")
    if shutil.which("mandoc"):
        lint = subprocess.run(["mandoc", "-Tlint", "-Werror", str(page)], capture_output=True, text=True)
        failures += lint.stdout.splitlines()

# Formats that skein writes.
documented = {
    "skein-export.1": re.findall(r"^\.It Cm (\w+)$", (source / "docs/man/skein-export.1").read_text(), re.M),
    "exchange.md": re.findall(r"^\| `(\w+)` \|", (source / "docs/exchange.md").read_text(), re.M)}
for name, formats in documented.items():
    if sorted(formats) != sorted(FORMATS):
        failures.append(f"{name} has the formats {formats}, `skein export` {FORMATS}")

# Formats that skein reads, from its error message: "an FXT file (...), a Chrome JSON file".
advice = subprocess.run([str(skein), "info", str(source / "README.md")], capture_output=True, text=True,
                        check=False).stderr
READ = re.findall(r"\ban? ([\w -]+?) file\b", advice.partition("; expected ")[2])
assert len(READ) >= 3, advice
places = {page.name: re.search(r"trace is a directory recorded by skein, (.*?)standard input",
                               page.read_text(), re.S) for page in (source / "docs/man").glob("*.1")}
texts = {name: found[1] for name, found in places.items() if found}
assert len(texts) >= 4, texts
texts["exchange.md"] = (source / "docs/exchange.md").read_text().partition("## Reading")[2].split("##")[0]
for name, text in texts.items():
    failures += [f"{name} does not name the format {form}" for form in READ if form not in text]

# Completion, invoked like the shell does.
forms = [form for c in commands for form in FORMS.get(c, [[c]])]
script = f"""
source {source}/tools/completion/skein.bash
complete_words() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _skein; echo "${{COMPREPLY[@]}}"; }}
complete_words skein ''
complete_words skein record --
complete_words skein record --mode ''
complete_words skein export ''
complete_words skein record -o x -- {skein.name}
""" + "".join(f"complete_words skein {' '.join(form)} --\n" for form in forms)
environment = dict(os.environ, PATH=f"{skein.parent}:{os.environ['PATH']}")
lines = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment,
                       check=True).stdout.splitlines()
for command in commands:
    if command not in lines[0].split():
        failures.append(f"bash completion does not offer {command}")
if "--size" not in lines[1].split():
    failures.append(f"bash completion of record options: {lines[1]}")
if lines[2].split() != ["ring", "log"]:
    failures.append(f"bash completion of --mode: {lines[2]}")

if lines[3].split() != FORMATS:
    failures.append(f"bash completion of export: {lines[3]}")
if skein.name not in lines[4].split():
    failures.append(f"bash completion of the program to record: {lines[4]}")
for form, line in zip(forms, lines[5:], strict=True):
    if set(line.split()) != options_of(*form):
        failures.append(f"bash completion of the options of {' '.join(form)}: {line}")

for failure in failures:
    print(failure)
sys.exit(bool(failures))
