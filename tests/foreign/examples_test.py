#!/usr/bin/env python3
"""examples_test.py LIBRARY --source .. --build .. --scratch .. --boost .. --cxx ..: builds the examples of
a Debian library with coroutines as published, and again with `skein --cmake`. Each must do the same: with
recording off, in ring mode and in log mode. Compared are the output, what a client on the loopback interface
receives, and the exit code. The only change is the port number, to a free one."""
import argparse
import contextlib
import dataclasses
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import typing

import clients
from foreign_test import MODES, check_traces, run

TIMEOUT = 60.0


@dataclasses.dataclass(frozen=True)
class Example:
    """`{port}`, `{peer}` and `{root}` in `arguments` are ports and the folder of a web server."""
    sources: str                 # in the library's folder; empty: its CMake files build it
    name: str = ""               # of the program; default: that of the first source
    arguments: str = ""
    links: str = ""
    input: str = ""
    client: typing.Callable[[int], str] | None = None   # talks to the program at {port}
    server: typing.Callable | None = None               # the program talks to it at {peer}
    until: str = ""              # regular expression: the program is ended after this output
    omit: str = ""               # regular expression: lines of the output that depend on the time
    stop: int = signal.SIGTERM   # ends a program with a client, or `until`
    wrapper: str = ""

    def program(self):
        return self.name or pathlib.Path(self.sources.split()[0]).stem


@dataclasses.dataclass(frozen=True)
class Library:
    folder: str          # with the examples
    package: str         # contains them
    cmake: str           # before the programs
    examples: tuple[Example, ...]
    ports: str = ""      # regular expression of the port numbers in sources


def echo_servers(folder, *names):
    return tuple(Example(f"{folder}/{name}.cpp", client=clients.echo, stop=signal.SIGINT) for name in names)


def chat_server(folder):
    return Example(f"{folder}/chat_server.cpp", arguments="{port}", client=clients.chat)


TS = "asio/example/cpp17/coroutines_ts"
CPP20 = "asio/example/cpp20"
BEAST = "beast/example"
INCLUDE_BOOST = "include_directories(SYSTEM ${boost}/usr/include)\n"
BEAST_SETTINGS = """
find_package(OpenSSL REQUIRED)
include_directories(${examples}/beast)
add_compile_options(-include algorithm "SHELL:-include list")  # an example omits them
"""
ASIO_PORTS = r"\b(55555|54321)\b"
QCORO = """
set(QT_VERSION_MAJOR 6)
find_package(Qt6 REQUIRED COMPONENTS Core Concurrent DBus Network)
find_package(QCoro6 REQUIRED COMPONENTS Coro Core DBus Network)
foreach(part Core DBus Network)
  add_library(QCoro6${part} ALIAS QCoro6::${part})
endforeach()
set(CMAKE_AUTOMOC ON)
set(QCORO_WITH_QTDBUS ON)
set(QCORO_QT_HAS_COMPAT_ABI ON)
add_subdirectory(${examples} examples)
"""
RANGES = "add_compile_definitions(__cpp_coroutines=201703L)  # which g++ does not define\n"
PONG = '^Received response: "PONG!"\n'
LIBRARIES = {
    "asio_1.22": Library("/usr/share/doc/libasio-dev/examples/cpp17/coroutines_ts", "libasio-doc", "", (
        chat_server("."),
        *echo_servers(".", "echo_server", "echo_server_with_default", "echo_server_with_as_single_default",
                      "echo_server_with_as_tuple_default", "refactored_echo_server")), ASIO_PORTS),
    "boost_asio_1.74": Library("usr/share/doc/libboost1.74-doc/examples/libs", "libboost1.74-doc",
                               "add_compile_options(-include utility)  # Boost omits it\n", (
        chat_server(TS), *echo_servers(TS, "echo_server", "echo_server_with_default", "refactored_echo_server")),
        ASIO_PORTS),
    "boost_asio_1.81": Library("usr/share/doc/libboost1.81-doc/examples/libs", "libboost1.81-doc", INCLUDE_BOOST, (
        chat_server(f"{CPP20}/coroutines"),
        *echo_servers(f"{CPP20}/coroutines", "echo_server", "echo_server_with_default",
                      "echo_server_with_as_single_default", "echo_server_with_as_tuple_default",
                      "echo_server_with_deferred", "echo_server_with_deferred_default", "refactored_echo_server"),
        Example(f"{CPP20}/coroutines/timeout.cpp", client=clients.echo),
        Example(f"{CPP20}/channels/throttling_proxy.cpp", arguments="127.0.0.1 {port} 127.0.0.1 {peer}",
                client=clients.echo, server=clients.serve_echo),
        Example(" ".join(f"{CPP20}/type_erasure/{name}.cpp" for name in ("main", "sleep", "stdin_line_reader")),
                name="type_erasure", input="".join(f"line {n}\n" for n in range(10)))), ASIO_PORTS),
    "boost_beast_1.81": Library("usr/share/doc/libboost1.81-doc/examples/libs", "libboost1.81-doc",
                                INCLUDE_BOOST + BEAST_SETTINGS, (
        Example(f"{BEAST}/http/server/awaitable/http_server_awaitable.cpp",
                arguments="127.0.0.1 {port} {root} 1", client=clients.http_get),
        Example(f"{BEAST}/http/client/awaitable/http_client_awaitable.cpp",
                arguments="127.0.0.1 {peer} /", server=clients.serve_http),
        Example(f"{BEAST}/websocket/server/awaitable/websocket_server_awaitable.cpp",
                arguments="127.0.0.1 {port} 1", client=clients.web_socket, until="^Error in session: .*\n"),
        Example(f"{BEAST}/websocket/client/awaitable/websocket_client_awaitable.cpp",
                arguments="127.0.0.1 {peer} hello", server=clients.serve_web_socket),
        Example(f"{BEAST}/advanced/server-flex-awaitable/advanced_server_flex_awaitable.cpp",
                arguments="127.0.0.1 {port} {root} 1", links="OpenSSL::SSL", client=clients.all_protocols,
                omit="^(detect|read|write): .*\n"))),
    # Without network-example, which needs the public network.
    "qcoro_qt6": Library("/usr/share/doc/qcoro-doc/examples", "qcoro-doc", QCORO, (
        Example("", "await-sync-string"), Example("", "await-async-string", omit="^Tick\n"),
        Example("", "chained-example"), Example("", "timer-example", omit="^.*timer tick!\n"),
        Example("", "future-example", omit="^Calculated result.*\n"),
        Example("", "iodevice-example", until="^Received pong: PONG: PING #3.*\n"),
        Example("", "dbustest", wrapper="dbus-run-session --", omit="^(.*Tick!|dbus-daemon.*)\n", until=PONG),
        Example("", "dbustest-coro", wrapper="dbus-run-session --", omit="^(.*Tick!|dbus-daemon.*)\n", until=PONG)), r"\b6666\b"),
    # These have coroutines, but no examples: the programs are skein's. (Boost.Outcome 1.74 does not compile.)
    "boost_outcome_1.81": Library("{source}/tests/foreign/examples", "", INCLUDE_BOOST, (Example("outcome.cc"),)),
    "range_v3": Library("{source}/tests/foreign/examples", "librange-v3-dev", RANGES, (Example("range_generator.cc"),)),
}


def free_ports(count):
    """Below those that the kernel gives to clients."""
    with contextlib.ExitStack() as stack:
        found, port = [], 20000 + os.getpid() % 10000
        while len(found) < count:
            port += 1
            peer = stack.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                peer.bind(("127.0.0.1", port))
                found.append(port)
    return found


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def unpack(options, library, port):
    """Copies the examples, with the port. Packages of Boost conflict with each other: they are only unpacked."""
    folder = pathlib.Path(library.folder.format(source=options.source))
    if INCLUDE_BOOST in library.cmake:
        if subprocess.run([options.source / "tools/fetch-boost-1.81", options.boost]).returncode != 0:
            skip("no Boost 1.81")
    if not folder.is_absolute():
        if subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", library.package],
                          cwd=options.scratch).returncode != 0:
            skip(f"cannot download {library.package}")
        archive = next(options.scratch.glob(f"{library.package}_*.deb"))
        run("dpkg-deb", "-x", archive, options.scratch)
        folder = options.scratch / folder
    elif library.package and "ok installed" not in subprocess.run(
            ["dpkg-query", "-W", "-f=${Status}", library.package], capture_output=True, text=True).stdout:
        skip(f"{library.package} is not installed")
    copy = options.scratch / "examples"
    shutil.copytree(folder, copy)
    for source in copy.rglob("*.cpp"):
        if library.ports:
            source.write_bytes(re.sub(library.ports.encode(), str(port).encode(), source.read_bytes()))


def write_project(options, library):
    lines = ["cmake_minimum_required(VERSION 3.24)", "project(examples CXX)", "set(CMAKE_CXX_STANDARD 20)",
             f"set(boost {options.boost})", f"set(examples {options.scratch}/examples)",
             "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)", "find_package(Threads REQUIRED)",
             library.cmake]
    for example in library.examples:
        if example.sources:
            sources = " ".join(f"${{examples}}/{source}" for source in example.sources.split())
            lines += [f"add_executable({example.program()} {sources})",
                      f"target_link_libraries({example.program()} PRIVATE {example.links} Threads::Threads)"]
    (options.scratch / "CMakeLists.txt").write_text("\n".join(lines) + "\n")


def build(options, name, *settings):
    out = options.scratch / name
    output = run("cmake", "-S", options.scratch, "-B", out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                 f"-DCMAKE_CXX_COMPILER={options.cxx}", *settings)
    print(*(line for line in output.splitlines() if "skein" in line), sep="\n", flush=True)
    run("cmake", "--build", out, "-j2")
    return out / "bin"


class Running:
    """A program with its process group, and what it has written so far."""

    def __init__(self, command, environment, text):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        self.output = b""
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.process.stdin.write(text.encode())
        self.process.stdin.close()

    def read(self):
        while data := os.read(self.process.stdout.fileno(), 65536):
            with self.changed:
                self.output += data
                self.changed.notify_all()

    def wait_for(self, pattern):
        with self.changed:
            self.changed.wait_for(lambda: re.search(pattern, self.text(), re.MULTILINE), TIMEOUT)

    def text(self):
        return self.output.decode(errors="replace")

    def end(self, stop):
        """Returns the exit code; a text if the program does not end."""
        if stop:
            os.killpg(self.process.pid, stop)
        try:
            return self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            return "does not end"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.reader.join(TIMEOUT)


def behaviour(options, example, program, environment, ports):
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith("SKEIN_")}, **environment,
                   "QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8"}
    port, peer = ports
    arguments = example.arguments.format(port=port, peer=peer, root=options.scratch / "root").split()
    command = [*example.wrapper.split(), str(program), *arguments]
    received = ""
    with clients.server(peer, example.server) if example.server else contextlib.nullcontext():
        running = Running(command, environment, example.input)
        try:
            if example.client:
                received = example.client(port)
        except (OSError, ValueError, http.client.HTTPException) as error:
            received = f"the client failed: {error}"
        finally:
            if example.until:
                running.wait_for(example.until)
            code = running.end(example.stop if example.client or example.until else 0)
    output = running.text()
    if example.until and (found := re.search(example.until, output, re.MULTILINE)):
        output = output[:found.end()]
    if example.omit:
        output = re.sub(example.omit, "", output, flags=re.MULTILINE)
    return f"exit code {code}\n{output}\n{received}"


def works(example, result):
    return ("the client failed" not in result and "does not end" not in result and len(result) > 16 and
            (not example.until or re.search(example.until, result, re.MULTILINE)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=LIBRARIES)
    for name in ("source", "build", "scratch", "boost"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    library = LIBRARIES[options.library]
    shutil.rmtree(options.scratch, ignore_errors=True)
    (options.scratch / "root").mkdir(parents=True)
    (options.scratch / "root/index.html").write_text(clients.PAGE)
    ports = free_ports(2)
    unpack(options, library, ports[0])
    write_project(options, library)
    plain = build(options, "plain")
    top = run(options.build / "skein", "--cmake").strip()
    traced = build(options, "traced", f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={top}")

    problems = []
    expected = {}
    for example in library.examples:
        expected[example] = behaviour(options, example, plain / example.program(), {}, ports)
        if not works(example, expected[example]):
            problems.append(f"without skein: {example.program()}: {expected[example]}")
    print(f"without skein: {len(expected) - len(problems)} of {len(expected)} examples work", flush=True)
    for name, mode in MODES.items():
        folder = options.scratch / f"traces-{name}"
        folder.mkdir()
        environment = {"SKEIN_TRACE": f"{folder}/%p,mode={mode}"} if mode else {}
        same = 0
        for example in library.examples:
            results = [behaviour(options, example, traced / example.program(), environment, ports)]
            while results[-1] != expected[example] and len(results) < 3:
                results.append(behaviour(options, example, traced / example.program(), environment, ports))
            if results[-1] != expected[example]:
                problems.append(f"{name}: {example.program()}: {results[-1]}\n\nwithout skein: {expected[example]}")
                continue
            same += 1
            if len(results) > 1:
                print(f"  unstable: {example.program()}: {results[0]}", flush=True)
        print(f"{name}: {same} of {len(expected)} examples do the same", flush=True)
        if mode:
            check_traces(options, folder)
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
