#!/usr/bin/env python3
"""Finds words in user-visible text that should be replaced by the terms of docs/glossary.md.

It checks the documents (outside code), man pages, Debian's package descriptions, comments in public
headers, string literals in C++, TypeScript and Python, the output of `skein --help`, and the
comments and column names in the tables of `skein query` and `skein export csv`.

usage: words_test.py SOURCE [SKEIN]
       words_test.py --self-test"""
import functools
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import tokenize

# A regular expression (case-insensitive), and advice for a replacement.
BANNED = {
    r"t(old|ells?|elling)": "reported, recorded, prints: data and programs do not speak",
    r"ask(s|ed|ing)?": "requested, query: programs do not ask",
    r"sa(y|ys|id|ying)": "reports, prints, contains: data and programs do not speak",
    r"somebody|someone|anybody|anyone|nobody": "a task, no task, a reader: name the subject",
    r"whom": "name the task",
    r"meanwhile": "while another task runs",
    r"likewise": "repeat the noun",
    r"besides": "in addition to",
    r"of (its|their|one's) own": "its, separate",
    r"as (it|they) lies?": "without conversion",
    r"at hand": "available",
    r"mend(s|ed|ing)?": "fix",
    r"alike": "similar",
    r"plainly": "name the property",
    r"what is": "name the subject",
}
# Stricter rules for tables: their comments have little context, and their names are interface.
BANNED_IN_TABLES = BANNED | {
    r"who(se)?": "the task",
    r"(go|goes|went|gone) on": "resume, continue; of a task that becomes another: successor",
    r"(is|was|were) (t)?here": "available, in the trace",
    r"ones|of one that|the \w+ one": "repeat the noun",
    r"remarks?": "label",
    r"open": "live, pending",
    r"awaited": "target",
    r"made": "created",
}
BANNED_AS_COLUMNS = BANNED_IN_TABLES | {
    r"ready": "runnable_ns; ready is an event",
    r"began|begin": "start_ns",
    r"ended": "end_ns",
    r"became": "becomes",
    r"time|start|end|duration|since|runnable|running": "a time has its unit in the name: time_ns",
}

# Prefix of the path, the text in which a word is allowed, and the reason.
ALLOWED = [
    ("bench/", "'ask'", "the name of a group of benchmarks, those of trace/ask"),
    ("bench/run", "ask (questions", "the name of this group in the usage"),
    ("tests/cli/doctor_test.py", "trace/ask/doctor", "a folder"),
]

PUBLIC = ("record/include", "format/include")
PROSE = ("*.md", "docs/*.md")
SKIPPED = ("build", "docs/plans", "tests/words")


def words_in(text, banned):
    """Yields (offset, word, advice) of each banned word."""
    for match in pattern_of(tuple(banned)).finditer(re.sub(r"\s", " ", text)):
        yield match.start(), match[0], list(banned.values())[int(match.lastgroup[1:])]


@functools.cache
def pattern_of(words):
    return re.compile("|".join(rf"(?P<w{i}>\b(?:{word})\b)" for i, word in enumerate(words)), re.I)


def literals_and_comments(text):
    """Yields (kind, offset, text) of the string literals and comments of C++ or TypeScript. Joins
    adjacent literals like the compiler does. Ignores the file names of #include."""
    token = re.compile(r'''
        (?P<comment>//(?:[^\n\\]|\\.)*|/\*.*?\*/)
      | (?P<include>^[ \t]*\#[ \t]*include[^\n]*)
      | (?:u8|[uUL])?R"(?P<mark>[^()\s\\]*)\((?P<raw>.*?)\)(?P=mark)"
      | "(?P<text>(?:[^"\\\n]|\\.)*)"
      | `(?P<template>(?:[^`\\]|\\.)*)`
      | (?<![0-9a-fA-F])'(?P<character>(?:[^'\\\n]|\\.)*)'
    ''', re.X | re.S | re.M)
    last, literal = 0, None
    for match in token.finditer(text):
        if literal and text[last:match.start()].strip() and not match["comment"]:
            yield literal
            literal = None
        for kind in "raw", "text", "template", "character":
            if match[kind] is not None:
                part = match[kind] if kind == "raw" else re.sub(r"\\[nrt]|\$\{\w+\}", " ", match[kind])
                literal = ("literal", literal[1], literal[2] + part) if literal else \
                    ("literal", match.start(), part)
        if match["comment"]:
            if literal and text[last:match.start()].strip():
                yield literal
                literal = None
            yield "comment", match.start(), match[0]
        last = match.end()
    if literal:
        yield literal


def python_literals(text):
    """Yields (line, text) of Python's string literals, without the expressions of f-strings."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            is_format = "f" in token.string.split(token.string[-1])[0].lower()
            yield token.start[0], re.sub(r"\{[^{}]*\}", " ", token.string) if is_format else token.string


def without_code(markdown):
    """Returns the prose of a document. Keeps all line breaks."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"^```.*?^```", blank, markdown, flags=re.S | re.M)
    text = re.sub(r"^ {4}.*$", blank, text, flags=re.M)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    text = re.sub(r"`[^`]*`", blank, text)
    return re.sub(r"\]\([^)]*\)", blank, text)


def without_macros(page):
    """Returns the text of a man page without code displays and names of macros."""
    text = re.sub(r"^\.Dl .*$|^\\?\.\\\".*$", "", page, flags=re.M)
    return re.sub(r"^\.\w+ ?|\b(?:Ar|Cm|Fl|Ic|Xr|Ns|Op|Pa|Ql|Ev|Nm)\b", lambda m: " " * len(m[0]), text,
                  flags=re.M)


def descriptions(control):
    return re.sub(r"^(?!Description:| ).*$", "", control, flags=re.M)


class Checker:
    def __init__(self, source):
        self.source, self.found, self.counts = source, [], {}
        self.unused = list(ALLOWED)  # entries that no text has used so far

    def is_allowed(self, path, text, offset):
        for allowed in ALLOWED:
            prefix, phrase, _ = allowed
            if path.startswith(prefix):
                for match in re.finditer(re.escape(phrase), re.sub(r"\s", " ", text)):
                    if match.start() <= offset < match.end():
                        if allowed in self.unused:
                            self.unused.remove(allowed)
                        return True
        return False

    def check(self, path, text, kind, first_line=1, banned=BANNED):
        self.counts[kind] = self.counts.get(kind, 0) + 1
        for offset, word, advice in words_in(text, banned):
            if not self.is_allowed(path, text, offset):
                line = first_line + text.count("\n", 0, offset)
                around = " ".join(text[max(0, offset - 40):offset + 40].split())
                self.found.append(f"{path}:{line}: {kind}: '{word}' in '{around}': {advice}")

    def files(self, *patterns):
        for pattern in patterns:
            for path in sorted(self.source.glob(pattern)):
                name = path.relative_to(self.source).as_posix()
                if path.is_file() and not name.startswith(SKIPPED):
                    yield name, path.read_text(errors="replace")

    def check_documents(self):
        for name, text in self.files(*PROSE):
            self.check(name, without_code(text), "document")
        for name, text in self.files("docs/man/*.1"):
            self.check(name, without_macros(text), "man page")
        for name, text in self.files("debian/control"):
            self.check(name, descriptions(text), "package description")
        for name, text in self.files("cmake/*.pc.in", "view/gtk/*.desktop", "view/web/page/*.html"):
            self.check(name, text, "description")

    def check_sources(self):
        for name, text in self.files("**/*.cc", "**/*.h", "**/*.cpp", "**/*.ts", "**/*.mjs"):
            public = name.startswith(PUBLIC)
            for kind, offset, part in literals_and_comments(text):
                if kind == "literal" or public:
                    self.check(name, part, kind, 1 + text.count("\n", 0, offset))

        for name, text in self.files("**/*.py", "bench/run", "tools/*"):
            if name.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
                for line, part in python_literals(text):
                    self.check(name, part, "literal", line)

    def check_help(self, skein):
        help_of = lambda *words: subprocess.run([skein, *words, "--help"], capture_output=True, text=True,
                                                check=True).stdout
        overview = help_of()
        commands = re.findall(r"^  ([a-z]+)\s", overview, re.M)
        self.check("skein --help", overview, "help")
        for command in commands:
            self.check(f"skein {command} --help", help_of(command), "help")

    def check_schema(self, schema):
        """Checks the schema that `skein query TRACE .schema` prints."""
        for number, line in enumerate(schema.splitlines(), 1):
            declaration, _, comment = line.partition("-- ")
            if comment:
                self.check("skein query .schema", comment, "comment in SQL", number, BANNED_IN_TABLES)
            if name := re.match(r"  (\w+) (?:TEXT|INTEGER)", declaration):
                self.check("skein query .schema", name[1], "SQL column", number, BANNED_AS_COLUMNS)

    def check_tables(self, skein):
        """Checks the tables. Returns False if skein was built without SQLite."""
        trace = self.source / "tests/data/skein/every-event"
        for table in "events", "tasks":
            rows = subprocess.run([skein, "export", "csv", trace, "--table", table], capture_output=True,
                                  text=True, check=True).stdout
            for name in rows.splitlines()[0].split(","):
                self.check(f"skein export csv --table {table}", name, "CSV column", 1, BANNED_AS_COLUMNS)
        query = subprocess.run([skein, "query", trace, ".schema"], capture_output=True, text=True)
        if "built without SQLite" in query.stderr:
            return False
        self.check_schema(query.stdout)
        return True

    def report(self, expected):
        for line in self.found:
            print(line)
        missing = [kind for kind in expected if not self.counts.get(kind)]
        for kind in missing:
            print(f"no {kind} was checked")
        for prefix, phrase, _ in self.unused:  # a rule for text that has been changed
            print(f"ALLOWED has '{phrase}' of {prefix}, which is not in it any more")
        print(", ".join(f"{count} x {kind}" for kind, count in self.counts.items()))
        return bool(self.found or missing or self.unused)


def self_test():
    """Checks texts of each kind with a planted word, and texts with false positives."""
    planted = {
        "README.md": "One line.\n\nThe trace tells it.\n",
        "docs/page.md": "A task is\nof its\nown kind.\n",
        "docs/man/skein-x.1": ".Sh DESCRIPTION\nNobody reads it.\n.It Ql\nx\n",
        "debian/control": "Package: skein\nDescription: to whom it belongs\n",
        "record/include/skein/a.h": "// Somebody calls it.\nint a;\n",
        "cli/a.cc": 'f("it\'s", "what " \n  "is left");\n',
        "cli/b.cc": 'char c = \'"\'; auto s = R"x(say ")x"; int n = 1\'000; // "x\n g("no");\n',
        "view/a.ts": "f(`all ${n} alike`);\n",
        "tests/a.py": "x = f'{told} is told'\n",
    }
    clean = {
        "docs/code.md": "Use `tell` and `ask`.\n\n```\nnobody\n```\n\n    somebody\n\n[x](tell.md)\n",
        "docs/man/skein-y.1": ".Sh DESCRIPTION\n.Dl skein ask\nIt works.\n",
        "debian/control": "Package: told\nDescription: task\n",
        "tests/b.py": "# nobody\nx = f'{told} is reported'\n",
        "cli/c.cc": '#include "ask/tell.h"\n// nobody: a comment in a private file\nint told = f("essay");\n',
    }
    for files, expected in ((planted, True), (clean, False)):
        with tempfile.TemporaryDirectory(prefix="skein-words-") as name:
            root = pathlib.Path(name)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            checker = Checker(root)
            checker.check_documents()
            checker.check_sources()
            found = {line.split(":")[0] for line in checker.found}
            wanted = set(files) if expected else set()
            if found != wanted or len(checker.found) != len(wanted):
                sys.exit(f"FAILED: found {checker.found}, expected {sorted(wanted)}")
    for schema, found in (
            ("CREATE TABLE task(  -- tasks\n  id INTEGER,  -- as in event.task\n"
             "  end_ns INTEGER  -- ns; NULL: live\n);\n", 0),
            ("CREATE TABLE wait(  -- waits\n  task INTEGER,  -- id of who waited\n"
             "  ready INTEGER,  -- when it went on\n  time INTEGER  -- ns\n);\n", 4)):
        checker = Checker(pathlib.Path("."))
        checker.check_schema(schema)
        if len(checker.found) != found:
            sys.exit(f"FAILED: found {checker.found} in {schema}")
    print("passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    checker = Checker(pathlib.Path(sys.argv[1]).resolve())
    checker.check_documents()
    checker.check_sources()
    expected = ["document", "man page", "package description", "literal"]
    if len(sys.argv) > 2:
        checker.check_help(sys.argv[2])
        expected += ["help", "CSV column"]
        if checker.check_tables(sys.argv[2]):
            expected += ["SQL column", "comment in SQL"]
    sys.exit(checker.report(expected))


main()
