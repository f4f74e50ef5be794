#!/usr/bin/env python3
"""Runs a program on a separate screen.

    on_screen.py PROGRAM [ARGUMENT...]
"""
import subprocess
import sys

from screen import run

run(lambda screen, scratch: subprocess.run(sys.argv[1:], env=screen.environment, check=True))
