#!/usr/bin/env python3
"""unmodified_test.py cmake|wrapper|make|meson|bazel --source .. --build .. --scratch .. --cxx ..: builds the
project in tests/install/unmodified, which does not mention skein, from the build tree and from an
installation that was moved: with `skein --cmake`; with skein-c++, by single commands, Make, Meson and Bazel. The
programs print the same as without skein, and the trace has the coroutines of each source."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

import run as ways
from run import text_of

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE / "unmodified"
FUNCTIONS = ["once", "twice", "here"]


def check(program, scratch, functions=FUNCTIONS, environment=os.environ):
    """The program runs as without skein, and its trace has these functions, each once."""
    trace = scratch / f"{program.name}.trace"
    environment = {k: v for k, v in environment.items() if not k.startswith("SKEIN_")}
    assert text_of(program, env=environment) == "5\n"
    assert text_of(program, env={**environment, "SKEIN_TRACE": str(trace)}) == "5\n"
    events = text_of("babeltrace2", trace)
    for function in functions:
        # clang 14 knows no signatures.
        assert f"{function}(" in events or f'"{function}"' in events, f"{program}: no {function}:\n{events}"
    assert events.count("create:") == len(functions), events


def library_folder(skein):
    """The folder of the recorder: beside skein in the build tree, or in the installation."""
    if (skein.parent / "libskein.a").exists():
        return skein.parent
    return next((skein.parent.parent / "lib").rglob("libskein.a")).parent


def install(options):
    # Bazel 4.2.3 splits the folder of the compiler at spaces.
    prefix = options.scratch / ("moved" if options.way == "bazel" else "moved prefix")
    first = options.scratch / "first"
    for component in ("tools", "runtime", "dev"):
        ways.run("cmake", "--install", options.build, "--prefix", first, "--component", component,
                 stdout=subprocess.DEVNULL)
    first.rename(prefix)
    return prefix


def with_cmake(options, skein, name, *settings):
    build = options.scratch / name
    top = text_of(skein, "--cmake").strip()
    ways.run("cmake", "-S", PROJECT, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={options.cxx}",
             f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={top}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *settings,
             stdout=subprocess.DEVNULL)
    ways.run("cmake", "--build", build, "-j2", stdout=subprocess.DEVNULL)
    check(build / "plain", build)
    check(build / "precompiled", build)
    check(build / "fixed", build)
    check(build / "by_interface", build)
    assert "skein/asio_tracking.h" in (build / "CMakeFiles/by_interface.dir/cmake_pch.hxx").read_text()
    text_of(build / "older")
    ways.check_precompiled(build, options.cxx, "main.cc")
    check_exports(options, skein, build)
    return build


def check_superproject(options, skein):
    build = options.scratch / "superproject"
    done = subprocess.run(["cmake", "-S", HERE / "superproject", "-B", build, "-G", "Ninja",
                           f"-DCMAKE_CXX_COMPILER={options.cxx}",
                           f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={text_of(skein, '--cmake').strip()}"],
                          check=True, capture_output=True, text=True)
    assert "skein: traces 2 targets" in done.stdout, done.stdout
    assert "skein:" not in done.stderr, done.stderr
    ways.run("cmake", "--build", build, "-j2", stdout=subprocess.DEVNULL)
    check(build / "inner/generated", build)
    check(build / "inner/interfaces", build)


def check_inherited(options, skein):
    """The recorder of a program suits the options with which it is built, wherever these come from."""
    build = options.scratch / "inherited"
    ways.run("cmake", "-S", HERE / "inherited", "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={options.cxx}",
             f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={text_of(skein, '--cmake').strip()}", stdout=subprocess.DEVNULL)
    compiled, linked = {}, {}  # the words of the commands of each target
    for block in (build / "build.ninja").read_text().split("\n\n"):
        if target := re.search(r"OBJECT_DIR = .*/(\w+)\.dir", block):
            if "CXX_COMPILER__" in block:
                compiled[target[1]] = block.split()
            elif "CXX_EXECUTABLE_LINKER__" in block or "CXX_SHARED_LIBRARY_LINKER__" in block:
                linked[target[1]] = block.split()
    kinds = collections.Counter()
    for target, words in linked.items():
        if "-ffreestanding" in compiled[target] or "-nostdlib" in words:
            kind = set()
        elif "-static" in words or "-static-pie" in words:
            kind = {"libskein.a"}
        else:
            kind = {"libskein.so"}
        if "SONAME" in words and kind:
            kind = {"libskein.so"}
        found = {word.rsplit("/", 1)[-1] for word in words} & {"libskein.a", "libskein.so"}
        assert found == kind, f"{target} is linked with {found}: {words}"
        assert ("skein/asio_tracking.h" in compiled[target]) == bool(kind), f"{target}: {compiled[target]}"
        kinds.update(kind or {"none"})
    assert len(kinds) == 3, kinds


def check_exports(options, skein, build):
    """The installed program runs. Other projects, traced or not, can use the project's libraries, installed or from its
    build tree. No installed CMake file names a path of skein."""
    prefix, libdir = build / "prefix", library_folder(skein)
    ways.run("cmake", "--install", build, "--prefix", prefix, stdout=subprocess.DEVNULL)
    check(prefix / "bin/plain", prefix, environment={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")})
    files = list(prefix.rglob("*.cmake"))
    assert files
    for file in files:
        for path in (libdir, options.scratch, options.source):
            assert str(path) not in file.read_text(), f"{file} names {path}:\n{file.read_text()}"

    top = text_of(skein, "--cmake").strip()
    # As with libskein-dev in a system folder.
    found = {**os.environ, "LIBRARY_PATH": str(libdir), "LD_LIBRARY_PATH": str(libdir)}
    for name, file, traced, environment in (
            ("installed", prefix / "lib/twice.cmake", False, found),
            ("installed-traced", prefix / "lib/twice.cmake", True, found),
            ("built", build / "twice.cmake", False, os.environ),
            ("built-traced", build / "twice.cmake", True, os.environ)):
        user = build / f"user of {name}"
        ways.run("cmake", "-S", PROJECT / "user", "-B", user, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={options.cxx}",
                 f"-DTWICE={file}", *([f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={top}"] if traced else []),
                 stdout=subprocess.DEVNULL)
        ways.run("cmake", "--build", user, "-j2", env=environment, stdout=subprocess.DEVNULL)
        for program in ("with_twice", "with_twice_static", "with_twice_objects"):
            check(user / program, user, FUNCTIONS if traced else ["twice"], environment)


def with_wrapper(options, skein, name):
    out = options.scratch / name
    out.mkdir()
    compiler = skein.parent / "skein-c++"
    os.environ["SKEIN_CXX"] = options.cxx
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    objects = []
    for file in ("main.cc", "once.cc", "twice.cc"):
        objects.append(out / f"{file}.o")
        ways.run(compiler, *flags, "-c", PROJECT / file, "-o", objects[-1])
    in_c = out / "in_c.o"
    ways.run("cc", "-c", PROJECT / "in_c.c", "-o", in_c)
    ways.run(compiler, *objects, in_c, "-o", out / "linked")
    check(out / "linked", out)

    # The same, if the default libraries are named.
    ways.run(compiler, "-nodefaultlibs", *objects, in_c, "-lstdc++", "-lgcc_s", "-lc", "-o", out / "libraries_named")
    check(out / "libraries_named", out)

    # As libtool links a shared library; without the library of C, nothing is added.
    library = ["-shared", "-nostdlib", "-fPIC", *flags, PROJECT / "twice.cc", in_c]
    ways.run(compiler, *library, "-l", "stdc++", "-lm", "-lc", "-lgcc_s", "-Wl,-z,defs", "-o", out / "liblibtool.so")
    ways.run(options.cxx, *objects[:2], out / "liblibtool.so", library_folder(skein) / "libskein.so",
             f"-Wl,-rpath,{out}:{library_folder(skein)}", "-o", out / "with_libtool")
    check(out / "with_libtool", out)
    ways.run(compiler, *library, "-o", out / "libbare.so")
    assert "libskein" not in text_of("readelf", "-d", out / "libbare.so")

    # Everything in one command, from a response file.
    (out / "all.rsp").write_text(
        f'-std=c++20 "{PROJECT}/main.cc" {PROJECT}/once.cc\n{PROJECT}/twice.cc "{in_c}"\n')
    ways.run(compiler, f"@{out}/all.rsp", "-o", out / "from_file")
    check(out / "from_file", out)

    # The same, if that file names another, and the compiler is several words.
    (out / "outer.rsp").write_text(f"@{out}/all.rsp\n-o\n{out}/from_files\n")
    os.environ["SKEIN_CXX"] = f"env TZ=UTC {options.cxx} -O1"
    output = subprocess.run([compiler, f"@{out}/outer.rsp"], check=True, capture_output=True, text=True)
    assert output.stderr == "", output.stderr
    os.environ["SKEIN_CXX"] = options.cxx
    check(out / "from_files", out)

    # A shared library and its program have one recorder.
    ways.run(compiler, *flags, "-fPIC", "-shared", PROJECT / "twice.cc", in_c, "-Wl,-z,defs", "-o", out / "libtwice.so")
    ways.run(compiler, *objects[:2], out / "libtwice.so", f"-Wl,-rpath,{out}", "-o", out / "with_library")
    check(out / "with_library", out)

    # g++ uses its precompiled header.
    ways.run(compiler, *flags, "-x", "c++-header", PROJECT / "task.h", "-o", out / "task.h.gch")
    for find in ([f"-I{out}"], ["-isystem", out], ["-iquote", out], [f"-isystem{out}"]):
        use = [compiler, *flags, *find, "-include", "task.h", "-H", "-c", PROJECT / "main.cc", "-o", out / "main.o"]
        done = subprocess.run(use, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        check_headers(options, done.stderr)
    ways.run(compiler, out / "main.o", *objects[1:], in_c, "-o", out / "with_header")
    check(out / "with_header", out)

    # clang uses its own, of which it knows both suffixes.
    for clang in filter(shutil.which, ("clang++-14", "clang++-19")):
        os.environ["SKEIN_CXX"] = clang
        for suffix in ("gch", "pch"):
            folder = out / f"{clang}-{suffix}"
            folder.mkdir()
            shutil.copy(PROJECT / "task.h", folder)
            ways.run(compiler, *flags, "-x", "c++-header", folder / "task.h", "-o", folder / f"task.h.{suffix}")
            ways.run(compiler, *flags, "-include", folder / "task.h", "-c", PROJECT / "main.cc", "-o", folder / "main.o")
        # After -- everything is a file.
        dashed = folder / "-main.cc"
        shutil.copy(PROJECT / "main.cc", dashed)
        ways.run(compiler, *flags, "-I", PROJECT, "-c", "-o", folder / "dashed.o", "--", dashed.name, cwd=folder)
        ways.run(compiler, "-o", folder / "dashed", "--", folder / "dashed.o", *objects[1:], in_c)
        # The other files are g++'s, for which the headers differ.
        check(folder / "dashed", out)
    os.environ["SKEIN_CXX"] = options.cxx

    # SKEIN_CXX: a path with spaces, alone and as one of several words.
    spaced = out / "with spaces" / "my compiler"
    spaced.parent.mkdir()
    spaced.write_text(f'#!/bin/sh\nexec {options.cxx} "$@"\n')
    spaced.chmod(0o755)
    for name, words in (("alone", str(spaced)), ("among_others", f"env TZ=UTC '{spaced}' -DUNUSED='a  b'")):
        os.environ["SKEIN_CXX"] = words
        ways.run(compiler, "-std=c++20", PROJECT / "main.cc", PROJECT / "once.cc", PROJECT / "twice.cc", in_c, "-o", out / name)
        check(out / name, out)
    # The compiler as the first argument, which is preferred.
    os.environ["SKEIN_CXX"] = "false"
    ways.run(compiler, options.cxx, "-std=c++20", PROJECT / "main.cc", PROJECT / "once.cc", PROJECT / "twice.cc", in_c,
             "-o", out / "named")
    check(out / "named", out)
    os.environ["SKEIN_CXX"] = options.cxx

    check_untouched(compiler, out)


def check_headers(options, output):
    """g++ read a precompiled header: with -H it prints a ! in front of its name."""
    if "clang" not in text_of(options.cxx, "--version"):
        assert "! " in output, output


def with_make(options, skein, name):
    out = options.scratch / name
    out.mkdir()
    compiler = str(skein.parent / "skein-c++").replace(" ", "\\ ")
    os.environ["SKEIN_CXX"] = options.cxx
    ways.run("make", "-f", PROJECT / "Makefile", "-j2", f"CXX={compiler}", cwd=out, stdout=subprocess.DEVNULL)
    for program in ("plain", "precompiled", "with_library"):
        check(out / program, out)
    text_of(out / "older")
    check_headers(options, (out / "precompiled.log").read_text())


def with_meson(options, skein, name):
    out = options.scratch / name
    # Meson splits CXX at spaces; it accepts a list only in a file.
    native = options.scratch / f"{name}.ini"
    native.write_text(f"[binaries]\ncpp = ['{skein.parent}/skein-c++']\n")
    os.environ["SKEIN_CXX"] = options.cxx
    ways.run("meson", "setup", "--native-file", native, out, PROJECT, stdout=subprocess.DEVNULL)
    ways.run("ninja", "-C", out, stdout=subprocess.DEVNULL)
    for program in ("plain_static", "plain_shared", "precompiled"):
        check(out / program, out)
    text_of(out / "older")
    ways.check_precompiled(out, options.cxx, "main.cc", "precompiled.p/", "task_pch.h")


BAZEL_RULES = pathlib.Path("/usr/share/bazel/rules")  # of Debian's packages bazel-rules-*


def with_bazel(options, skein, name):
    """Without network: Bazel would download its rules, which Debian packages."""
    out = options.scratch / name
    shutil.copytree(PROJECT, out)
    (out / "WORKSPACE").touch()
    rules = options.scratch / "rules"
    if not rules.exists():
        shutil.copytree(BAZEL_RULES, rules)
        for file in rules.rglob("*.bzl"):  # Debian 12's rules are newer than its Bazel, 4.2.3
            text = file.read_text()
            if "use_cpp_toolchain" in text:
                text = text.replace(', "use_cpp_toolchain")', ")").replace(
                    "use_cpp_toolchain()", '["@bazel_tools//tools/cpp:toolchain_type"]')
                file.write_text(text)
    environment = {**os.environ, "CC": str(skein.parent / "skein-c++"), "SKEIN_CXX": "gcc"}
    ways.run("bazel", f"--output_user_root={out}.root", "--batch", "build", "--action_env=SKEIN_CXX", "--cxxopt=-std=c++20",
             *[f"--override_repository=rules_{kind}={rules}/{kind}" for kind in ("cc", "java", "proto")],
             "//...", cwd=out, env=environment)
    for program in ("plain", "with_library"):
        check(out / "bazel-bin" / program, out)


def check_untouched(compiler, out):
    """What must not change: C, assembler, preprocessed sources, and queries of the compiler."""
    real = os.environ["SKEIN_CXX"]
    (out / "nothing.s").write_text("nop\n")
    (out / "nothing.ii").write_text("int x;\n")
    (out / "nothing.c").write_text("int x;\n")
    for words in (["--version"], ["-dumpmachine"], ["-print-search-dirs"], ["-v", "-E", "-x", "c", "/dev/null"],
                  ["-E", out / "nothing.ii"], ["-S", "-o", "-", out / "nothing.c"], ["-c", "-o", out / "s.o", out / "nothing.s"],
                  ["-E", "-dM", "-x", "c", "-"], ["-Wl,--version"]):
        results = [subprocess.run([c, *words], capture_output=True, text=True, input="") for c in (real, compiler)]
        first, second = [(r.returncode, r.stdout) for r in results]
        assert first == second, f"{words}: {first}, {second}"
    # The recorder is no argument of a command that does not link, in the long form of the option, too.
    for step in ("-c", "-S", "--compile", "--assemble", "--preprocess"):
        done = subprocess.run([compiler, "-std=c++20", step, PROJECT / "once.cc", "-o", out / "step"],
                              capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", f"{step}: {done.stderr}"
    # A module must begin with its declaration.
    (out / "module.cc").write_text("export module m;\nexport int f() { return 1; }\n")
    if "clang" not in text_of(*real.split(), "--version"):
        ways.run(compiler, "-std=c++20", "-fmodules-ts", "-c", out / "module.cc", "-o", out / "module.o", cwd=out)
    # So does a part of a module; a source that imports one is traced.
    if shutil.which("clang++-19"):
        os.environ["SKEIN_CXX"] = "clang++-19"
        (out / "unit.cppm").write_text("export module unit;\nexport int f();\n")
        (out / "unit.cc").write_text("module;\n#include <coroutine>\nmodule unit;\nint f() { return 1; }\n")
        (out / "user.cc").write_text("import unit;\nint main() { return f() - 1; }\n")
        flags = ["-std=c++20", "-fprebuilt-module-path=."]
        ways.run(compiler, *flags, "--precompile", "unit.cppm", "-o", "unit.pcm", cwd=out)
        for name in ("unit", "user"):
            ways.run(compiler, *flags, "-fmodule-file=unit=unit.pcm", "-c", f"{name}.cc", "-o", f"{name}.o", cwd=out)
        ways.run(compiler, "unit.o", "user.o", "-o", "user", cwd=out)
        ways.run(out / "user")
        assert "skein" in text_of(compiler, *flags, "-M", "user.cc", cwd=out)
        os.environ["SKEIN_CXX"] = real
    # The compiler refuses a response file that names itself, or finds none.
    (out / "itself.rsp").write_text(f"@{out}/itself.rsp\n")
    done = subprocess.run([compiler, f"@{out}/itself.rsp"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "error" in done.stderr, done
    assert "skein/coroutine.h" in text_of(compiler, "-std=c++20", "-M", PROJECT / "once.cc")
    assert "skein" in text_of(compiler, "-std=c++20", "-E", PROJECT / "once.cc")
    path = f"{compiler.parent}:{os.environ['PATH']}"
    failed = subprocess.run([compiler, "--version"], env={**os.environ, "SKEIN_CXX": "env skein-c++", "PATH": path},
                            capture_output=True, text=True)
    assert failed.returncode == 1 and "skein-c++ itself" in failed.stderr, failed


WRAPPED = {"wrapper": with_wrapper, "make": with_make, "meson": with_meson, "bazel": with_bazel}


def main():
    options = ways.options_of(["cmake", *WRAPPED])
    if options.way in ("make", "meson") and shutil.which(options.way) is None:
        print(f"skipped: no {options.way}")
        sys.exit(77)
    if options.way == "bazel" and (shutil.which("bazel") is None or not (BAZEL_RULES / "cc").exists()):
        print("skipped: no Bazel with its rules (Debian: bazel-bootstrap, bazel-rules-cc, -java, -proto)")
        sys.exit(77)
    prefix = install(options)
    for name, skein in (("built", options.build / "skein"), ("installed", prefix / "bin/skein")):
        if options.way in WRAPPED:
            WRAPPED[options.way](options, skein, name)
        else:
            with_cmake(options, skein, name)
            build = with_cmake(options, skein, f"{name}-shared", "-DSHARED=ON")
            assert "libskein.so" in text_of("ldd", build / "libtwice.so")
    if options.way == "cmake":
        check_superproject(options, skein)
        check_inherited(options, skein)


if __name__ == "__main__":
    main()
