#!/usr/bin/env python3
"""Completion at a zsh prompt: a command, an option, a process, a file.

    zsh_test.py SKEIN SOURCE PROGRAM
"""
import os
import pty
import shutil
import signal
import subprocess
import sys

from common import SECONDS, SKEIN, expect, start, until, work_in_new_folder

if shutil.which("zsh") is None:
    print("skipped: no zsh")
    sys.exit(77)
source, program = (os.path.abspath(argument) for argument in sys.argv[2:4])
folder = work_in_new_folder("zsh")

# Logs the words that compadd adds.
ZSHRC = f"""
fpath=({source}/tools/completion $fpath)
autoload -Uz compinit && compinit -u -D
compadd() {{
  local -a matches
  if [[ ${{argv[(i)-[ADO]]}} -gt $# ]]; then
    builtin compadd -A matches "$@"
    print -rl -- $matches >> found
  fi
  builtin compadd "$@"
}}
complete-line() {{
  BUFFER=$(<line); CURSOR=$#BUFFER
  zle complete-word
  print -r -- "$BUFFER" > completed
  BUFFER=exit; zle accept-line
}}
zle -N zle-line-init complete-line
"""
os.mkdir("zsh")
with open("zsh/.zshrc", "w") as file:
    file.write(ZSHRC)


def complete(line):
    """Returns the completed line and the offered words."""
    with open("line", "w") as file:
        file.write(line)
    for name in ("found", "completed"):
        open(name, "w").close()
    terminal, side = pty.openpty()
    shell = start(["zsh", "-d", "-i"], stdin=side, stdout=side, stderr=side, start_new_session=True,
                  env=dict(os.environ, ZDOTDIR="zsh", TERM="dumb",
                           PATH=f"{os.path.dirname(SKEIN)}:{os.environ['PATH']}"))
    os.close(side)
    output = b""
    try:
        while piece := os.read(terminal, 4096):
            output += piece
    except OSError:  # zsh has ended
        pass
    os.close(terminal)
    shell.wait(timeout=SECONDS)
    with open("completed") as completed, open("found") as found:
        made = completed.read().rstrip("\n")
        expect(f"zsh completes '{line}'", made, output)
        return made, found.read().split()


expect("a command", complete("skein wh")[0] == "skein why ")
expect("a command after help", complete("skein help wh")[0] == "skein help why ")
made, found = complete("skein ")
expect("every command", {"record", "why", "ps", "export"} <= set(found), found)
expect("an option", complete("skein info --js")[0] == "skein info --json ")
expect("an option of a format", "--table" in complete("skein export csv --")[1])
open("trace", "w").close()
expect("a file", complete("skein info tr")[0] == "skein info trace ")

process = start([program, "wait"], env=dict(os.environ, SKEIN_TRACE=os.path.abspath("live")))
until(lambda: os.path.exists("ready"), "the program is ready")
found = complete(f"skein why {str(process.pid)[:-1]}")[1]
expect("a process", str(process.pid) in found, found)
found = complete("skein info ")[1]
expect("no process where none is taken", "live" in found and str(process.pid) not in found, found)
process.send_signal(signal.SIGTERM)
process.wait(timeout=SECONDS)
print("passed")
