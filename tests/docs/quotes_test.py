#!/usr/bin/env python3
"""Quotes in the docs equal the source exactly. The targets of their links exist, and so do the
files that CONTRIBUTING.md names under "Where to add".

usage: quotes_test.py SOURCE"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
failures, quotes, links = [], 0, 0
for page in [*source.glob("*.md"), *source.glob("docs/*.md")]:
    text = page.read_text()
    for name, quoted in re.findall(r"<!-- quoted from (\S+) -->\n```\w*\n(.*?)```", text, re.S):
        quotes += 1
        if quoted not in (source / name).read_text():
            failures.append(f"{page.name}: what it quotes is not in {name}:\n{quoted}")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" in target:
            continue
        links += 1
        if not (page.parent / target).exists():
            failures.append(f"{page.name}: link to {target}, which is not there")
section = (source / "CONTRIBUTING.md").read_text().partition("## Where to add")[2].partition("\n## ")[0]
paths = re.findall(r"`((?:[\w.-]+/)+[\w.-]*|\w+\.md)`", section)
for path in paths:
    is_test = path.count("/") == 1 and not path.endswith("/") and "." not in path  # a ctest name
    if not is_test and not list(source.glob(path.replace("NAME", "*"))):
        failures.append(f"CONTRIBUTING.md: {path}, which is not there")

for failure in failures:
    print(failure)
print(f"{quotes} quotes, {links} links, {len(paths)} paths")
sys.exit(bool(failures) or 0 in (quotes, links, len(paths)))
