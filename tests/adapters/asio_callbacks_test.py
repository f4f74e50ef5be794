#!/usr/bin/python3
"""asio_callbacks_test.py PROGRAM GNU|Clang: an operation with a callback is located by it: by the
function that it is written in (g++), or by its file and line (Clang)."""
import pathlib
import sys

from trace import equal, record

trace = record([sys.argv[1]])
equal("output", trace.output, "job\nfunction\nlambda\nabc\n")
lines = pathlib.Path(__file__).with_name("asio_callbacks.cc").read_text().splitlines()


def line_of(text):
    line, = [number for number, content in enumerate(lines, 1) if text in content]
    return line


def place(task):
    # The function without its parameters; boost/asio/impl/read.hpp is not the program's.
    function = task.function.split("(")[0]
    return function or f"{pathlib.Path(task.file).name}:{task.line}"


def expected(function, text):
    return function if sys.argv[2] == "GNU" else f"asio_callbacks.cc:{line_of(text)}"


operations = [t for t in trace.tasks.values() if t.kind in ("timer", "io", "handler")]
awaited = [t for t in operations if "states_location" in t.function]
if sys.argv[2] == "GNU":  # Boost 1.74 has no coroutines with clang
    equal("a location in a coroutine is not that of other operations", len(awaited), 1)
operations = [t for t in operations if t not in awaited]
found = {}
for task in operations:
    found.setdefault(task.name.split("(")[0], set()).add(place(task))
equal("timers", found.pop("deadline_timer.async_wait"),
      {expected("app::Link::retry", "line: retry"), "app::Link"})
# async_read takes one or two receives; its callback begins one line below.
equal("receives", found.pop("socket.async_receive"),
      {expected("app::Link::read", "[self = shared_from_this()](error_code, std::size_t) {")})
equal("sends", found.pop("socket.async_send"), {expected("app::Link::read", 'net::buffer("abc"')})
# A function pointer has no name: the operation has no location.
equal("posts", set().union(*found.values()), {expected("main", "line: main"), "app::Job", ":0"})
