#!/usr/bin/env python3
"""macros_test.py SOURCE COMPILER...: a program's macros do not break the headers that skein includes before its
sources, and configure the standard library. Every identifier in them that is not reserved, a keyword, public, or used by the standard headers that they
include, is defined as a macro with the value 8, and so are the names that some builds define. Of skein/asio.h, which
Asio includes, the identifiers that Asio's own headers do not use are reserved. Compilers that are not installed are
left out."""
import pathlib
import re
import shutil
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
compilers = [name for name in sys.argv[2:] if shutil.which(name)]
HEADERS = source / "record/include/skein"
FORCED = [HEADERS / "skein.h", HEADERS / "coroutine.h", *sorted((HEADERS / "coroutine").glob("*.h")),
          HEADERS / "asio_tracking.h"]
ASIO = pathlib.Path("/usr/include/boost/asio")
STANDARD = "stddef.h stdint.h version new typeinfo exception source_location coroutine".split()
SKIPPED = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|\b\d[\w'.]*"
                     r"|^\s*#\s*(?:include|error|warning|pragma)\b(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
KEYWORDS = set("""alignas alignof asm auto bool break case catch char class concept const const_cast consteval constexpr
    constinit continue co_await co_return co_yield decltype default defined delete do double else enum explicit extern
    false final float for friend goto if inline int long mutable namespace new noexcept nullptr operator private
    protected public reinterpret_cast requires return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile
    while define elif else endif ifdef ifndef push_macro pop_macro undef""".split())
# The compiler's and the libraries' names of members of promises and awaitables.
PROTOCOL = set("""await_ready await_suspend await_resume await_transform yield_value return_value return_void
    get_return_object get_return_object_on_allocation_failure initial_suspend final_suspend unhandled_exception
    promise_type value_type current attach_thread detach_thread pop_frame executor_with_default""".split())
OF_ASIO = {"awaitable_thread_entry_point", "clock", "is_steady"}  # of another version, or of <chrono>
USUAL = ["-DT=8", "-DA", "-DB=x", "-DE=2.7", "-DF(x)=x", "-DH", "-DP=(", "-DR=)", "-DU={", "-Dtask=}", "-Dkind=,",
         "-Dframe=;", "-Dready=true", "-DPromise=0", "-Dlinux=1", "-Dunix=1", "-Dmin(a,b)=((a)<(b)?(a):(b))",
         "-Dmax(a,b)=((a)>(b)?(a):(b))", "-Dhidden=1", "-Dnoinline=inline", "-Dused=", "-Dcold=hot"]
PROGRAM = """#include <coroutine>
struct zq {
  struct promise_type {
    zq get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int) { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  bool await_ready() { return true; }
  void await_suspend(std::coroutine_handle<>) {}
  void await_resume() {}
};
template <class Zt>
struct zs {
  struct promise_type final {
    zs get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(Zt) {}
    void unhandled_exception() {}
    zq await_transform(zq&& z) { return static_cast<zq&&>(z); }
    zq await_transform(int) { return {}; }
  };
};
zq zf() {
  co_await zq();
  co_yield 1;
}
zs<int> zg() {
  co_await zq();
  co_return 1;
}
int main() {
  zf();
  zg();
}
"""
CONFIGURED = """#define _GLIBCXX_DEBUG
#undef _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <coroutine>
#include <unistd.h>
#include <vector>
static_assert(__is_same(std::vector<int>, std::__debug::vector<int>));
int asprintf;  // no function
"""


def names(text):
    return set(re.findall(r"[A-Za-z_]\w*", SKIPPED.sub(" ", text)))


def own(path):
    """The names in a header that a macro of the program may break."""
    return {name for name in names(path.read_text()) if not re.match(r"_[A-Z]|__|skein|SKEIN|(BOOST_)?ASIO_", name)} - KEYWORDS


def compile(compiler, options, program):
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{HEADERS.parent}", *options,
               "-include", "skein/asio_tracking.h", "-x", "c++", "-"]
    done = subprocess.run(command, input=program, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")


def main():
    if not compilers:
        print("skipped: none of these compilers is installed")
        sys.exit(77)
    public = set(re.findall(r"\b(\w+)(?:\[\d+\])?;", " ".join(re.findall(r"struct skein_\w+ {(.*?)}", SKIPPED.sub(
        " ", (HEADERS / "skein.h").read_text()), re.DOTALL))))
    assert {"id", "file", "directory"} <= public, public
    for compiler in compilers:
        read = "".join(f"#include <{name}>\n" for name in STANDARD)
        standard = names(subprocess.run([compiler, "-std=c++20", "-E", "-dD", "-P", "-x", "c++", "-"], input=read,
                                        capture_output=True, text=True, check=True).stdout)
        broken = set.union(*map(own, FORCED)) - public - PROTOCOL - standard
        broken = [f"-D{name}=8" for name in sorted(broken)]
        for traced in (["-include", "skein/coroutine.h"], [f"-I{HEADERS}/wrappers"]):
            compile(compiler, traced + broken, PROGRAM)
            compile(compiler, traced + USUAL, PROGRAM)
        compile(compiler, [f"-I{HEADERS}/wrappers"], CONFIGURED + PROGRAM)
        print(f"{compiler}: {len(broken)} names, {len(USUAL)} usual macros")
    if ASIO.exists():
        used = set.union(*(names(path.read_text(errors="replace")) for path in ASIO.rglob("*.[hi]pp")))
        left = own(HEADERS / "asio.h") - used - names((HEADERS / "skein.h").read_text()) - OF_ASIO
        if left:
            sys.exit(f"skein/asio.h: not reserved: {' '.join(sorted(left))}")


if __name__ == "__main__":
    main()
