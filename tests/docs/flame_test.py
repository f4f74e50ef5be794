#!/usr/bin/env python3
"""The pictures in docs/flame.md are what `skein flame` draws of the folded stacks beside them, and the page names its
formats and options.

usage: flame_test.py SKEIN SOURCE [--renew]"""
import pathlib
import re
import subprocess
import sys

skein, source = sys.argv[1], pathlib.Path(sys.argv[2])
for name, title in ("flame", "server"), ("await", "030-asio: suspended time by logical stack"):
    picture = source / f"docs/pictures/{name}.svg"
    drawn = subprocess.run([skein, "flame", picture.with_suffix(".folded"), "--countname", "ns", "--title", title],
                           capture_output=True, text=True, check=True).stdout
    if "--renew" in sys.argv:
        picture.write_text(drawn)
    assert picture.read_text() == drawn, f"{picture} differs; {sys.argv[0]} {skein} {source} --renew"
text = (source / "docs/flame.md").read_text()
options = set(re.findall(r"--[a-z]+", subprocess.run([skein, "flame", "--help"], capture_output=True, text=True).stdout))
options |= {"--hash", "--cp"}
for option in re.findall(r"`(--[a-z]+)`", text):
    assert option in options, option
