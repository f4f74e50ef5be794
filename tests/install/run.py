#!/usr/bin/env python3
"""Builds the programs of tests/install/consumer in one of the four ways, and runs them."""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CONSUMER = HERE / "consumer"
EXPECTED = {
    "record": ["create:", '"a label"', '"work_in_c"', "resolve:"],
    "coroutine": ["create:", "suspend:", "twice"],
    "precompiled": ["create:", "suspend:", "twice"],
    "asio": ["create:", "handler", "resume:"],
    "by_interface": ["create:", "handler", "resume:"],
}


def run(*command, **keywords):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **keywords)


def text_of(*command, **keywords):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **keywords)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def check_precompiled(build, cxx, file, objects="/precompiled.dir/", header="cmake_pch.hxx"):
    """g++ reads the precompiled header of the target `precompiled`. (With -H it prints a ! in front of one
    that it reads.)"""
    if "clang" in text_of(cxx, "--version"):
        return
    found = 0
    for command in json.loads((build / "compile_commands.json").read_text()):
        if objects not in command["command"] or not command["file"].endswith(file):
            continue
        words = shlex.split(command["command"])
        del words[words.index("-o"):words.index("-o") + 2]
        done = subprocess.run([*words, "-H", "-fsyntax-only"], cwd=command["directory"], capture_output=True,
                              text=True)
        assert done.returncode == 0, done.stderr
        assert any(line.startswith("!") and header in line for line in done.stderr.splitlines()), \
            f"the precompiled header is not used:\n{done.stderr}"
        found += 1
    assert found == 1, f"{file} of precompiled is compiled {found} times"


def install(options):
    """Installs, then moves the prefix: no installed file may contain the original path."""
    first, prefix = options.scratch / "first", options.scratch / "prefix"
    run("cmake", "--install", options.build, "--prefix", first, stdout=subprocess.DEVNULL)
    first.rename(prefix)
    for file in prefix.rglob("*"):
        if file.suffix in (".cmake", ".pc"):
            text = file.read_text()
            for place in (first, options.build, options.source):
                assert str(place) not in text, f"{file} names {place}"
    return prefix


def cmake_project(options, *settings):
    build = options.scratch / "build"
    run("cmake", "-S", CONSUMER, "-B", build, "-G", "Ninja",
        f"-DCMAKE_CXX_COMPILER={options.cxx}", f"-DASIO={has_asio(options)}",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *settings, stdout=subprocess.DEVNULL)
    run("cmake", "--build", build, "-j2", stdout=subprocess.DEVNULL)
    check_precompiled(build, options.cxx, "coroutine.cc")
    return build


def find_package(options):
    return cmake_project(options, f"-DCMAKE_PREFIX_PATH={install(options)}", "-DWAY=find_package")


def add_subdirectory(options):
    build = cmake_project(options, f"-DSKEIN={options.source}", "-DWAY=add_subdirectory")
    assert not (build / "skein" / "skein").exists(), "the tools are not built inside a project"
    return build


def pkg_config(options):
    file = next(install(options).rglob("skein.pc"))
    environment = {**os.environ, "PKG_CONFIG_PATH": str(file.parent)}

    def compile(program, module, *sources):
        # As users write it: in a shell, unquoted.
        run("sh", "-ec", f'{options.cxx} -std=c++20 -Wall -Werror {" ".join(map(str, sources))} '
            f'$(pkg-config --cflags --libs {module}) -o {options.scratch / program}',
            env=environment)

    run("sh", "-ec", f"cc -Wall -Wextra -Werror -c {CONSUMER}/from_c.c $(pkg-config --cflags skein) "
        f"-o {options.scratch}/from_c.o", env=environment)
    compile("record", "skein", CONSUMER / "record.cc", options.scratch / "from_c.o")
    compile("coroutine", "skein_coroutine", CONSUMER / "coroutine.cc")
    if has_asio(options):
        compile("asio", "skein_asio", CONSUMER / "asio.cc")
    return options.scratch


def one_header(options):
    out, include = options.scratch, options.scratch / "include"
    (include / "skein").mkdir(parents=True)
    run(options.source / "tools/amalgamate", "-o", include / "skein" / "skein.h")
    (out / "implementation.cc").write_text(
        "#include <skein/skein.h>\n#define SKEIN_IMPLEMENTATION\n#include <skein/skein.h>\n")
    compile = [options.cxx, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{include}"]
    refuse_to_link(options, compile)
    run(*compile, "-O2", "-c", out / "implementation.cc", "-o", out / "implementation.o")
    run("cc", "-Wall", "-Wextra", "-Werror", f"-I{include}", "-c", CONSUMER / "from_c.c", "-o",
        out / "from_c.o")
    run(*compile, CONSUMER / "record.cc", out / "from_c.o", out / "implementation.o", "-o",
        out / "record")
    traced = [*compile, "-include", "skein/skein.h", "-DSKEIN_COROUTINE"]
    run(*traced, CONSUMER / "coroutine.cc", out / "implementation.o", "-o", out / "coroutine")
    if has_asio(options):
        run(*traced, "-DSKEIN_ASIO", "-DASIO_CUSTOM_HANDLER_TRACKING=<skein/skein.h>",
            CONSUMER / "asio.cc", out / "implementation.o", "-o", out / "asio")
    return out


def refuse_to_link(options, compile):
    """A program without the implementation does not link, even if it uses nothing of the header."""
    for suffix, compiler in ((".cc", compile), (".c", ["cc", *compile[2:]])):
        source = options.scratch / f"unimplemented{suffix}"
        source.write_text("#include <skein/skein.h>\nint main(void) { return 0; }\n")
        for flags in ([], ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]):
            done = subprocess.run([*map(str, compiler), *flags, source, "-o", options.scratch / "unimplemented"],
                                  capture_output=True, text=True)
            assert done.returncode != 0 and "SKEIN_IMPLEMENTATION" in done.stderr, done.stderr


def has_asio(options):
    probe = subprocess.run([options.cxx, "-E", "-x", "c++", "-"], text=True, capture_output=True,
                           input="#include <asio/version.hpp>\n")
    return probe.returncode == 0


WAYS = {way.__name__: way for way in (find_package, pkg_config, add_subdirectory, one_header)}


def options_of(choices):
    """Parses the command line and creates an empty scratch folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=choices)
    for name in ("source", "build", "scratch"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    shutil.rmtree(options.scratch, ignore_errors=True)
    options.scratch.mkdir(parents=True)
    return options


def main():
    options = options_of(WAYS)
    folder = WAYS[options.way](options)
    for program, words in EXPECTED.items():
        if (folder / program).exists():
            trace = options.scratch / f"{program}-trace"
            run(folder / program, trace)
            check(trace, words)


def check(trace, words):
    """An independent reader finds the program's actions in the trace."""
    text = subprocess.run(["babeltrace2", trace], check=True, capture_output=True, text=True).stdout
    for word in words:
        assert word in text, f"{word} is not in {trace}:\n{text}"
    print(trace.name, text.count("\n"), "events", flush=True)


if __name__ == "__main__":
    main()
