#!/usr/bin/env python3
"""Writes a C++ program with many coroutine promises: each combination of a final or non-final
class, overloads of yield_value, return_value and await_transform, allocation functions, alignment
and deduced return types; and for every fourth of them, one with random overloads of await_transform
(see generate_awaits.py). The program prints what each coroutine does: the selected overloads, the
values, and each construction, copy, move and destruction, in order. The output must not depend on
skein.

generate_promises.py SHARE INDEX: the combinations whose number modulo SHARE is INDEX."""
import itertools
import sys

import generate_awaits

PRELUDE = r"""
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <utility>

bool print_moves = true;
// A value that prints its life. It is not trivially copyable, and converts from int.
struct Item {
  int n;
  Item() : n(0) { std::printf("+0 "); }
  Item(int i) : n(i) { std::printf("+%d ", n); }
  Item(int a, int b) : n(10 * a + b) { std::printf("+%d ", n); }
  Item(const Item& o) : n(o.n) { std::printf("copy%d ", n); }
  Item(Item&& o) noexcept : n(o.n) { o.n = -1; if (print_moves) std::printf("move%d ", n); }
  Item& operator=(const Item& o) { n = o.n; std::printf("=copy%d ", n); return *this; }
  Item& operator=(Item&& o) noexcept { n = o.n; o.n = -1; std::printf("=move%d ", n); return *this; }
  ~Item() { if (print_moves || n != -1) std::printf("-%d ", n); }
};
// Prints the yielded or awaited item when the coroutine is suspended and when it resumes.
struct Watch {
  const Item* item;
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) noexcept { print("s"); }
  int await_resume() noexcept { print("r"); return 1; }
  void print(const char* when) { if (item) std::printf("%s%d ", when, item->n); }
};
template <class P>
struct Owner {
  std::coroutine_handle<P> handle;
  Owner(std::coroutine_handle<P> h) : handle(h) {}
  Owner(Owner&& o) noexcept : handle(std::exchange(o.handle, nullptr)) {}
  ~Owner() { if (handle) handle.destroy(); }
};
template <class C>
void run(const char* name, C make) {
  std::printf("%s: ", name);
  {
    auto c = make();
    for (int i = 0; i < 20 && c.own.handle && !c.own.handle.done(); ++i) {
      try { c.own.handle.resume(); } catch (int e) { std::printf("threw%d ", e); }
    }
    std::printf("| ");
  }
  std::printf("\n");
}
"""

# name: (members, statements of the coroutine)
WATCH = "{{ std::printf(\"{0} \"); return Watch{{{1}}}; }}"
def yields(kind, parameter, watched="&v"):
    return f"  @R yield_value({parameter}) {WATCH.format(kind, watched)}\n"
PLAIN = "  co_yield 1;\n  Item a{2};\n  co_yield a;\n  co_yield Item{3};\n"
CONST = PLAIN + "  const Item b{4};\n  co_yield b;\n"
BRACES = "  co_yield {5, 6};\n"
TEMPLATE = "  template <class U> @R yield_value(U&&) { std::printf(\"template \"); return Watch{nullptr}; }\n"
YIELDS = {
    "none": ("", ""),
    "value": (yields("value", "Item v"), CONST + BRACES),
    "lvalue": (yields("lvalue", "Item& v"), "  Item a{2};\n  co_yield a;\n"),
    "rvalue": (yields("rvalue", "Item&& v"), "  co_yield 1;\n  co_yield Item{3};\n" + BRACES),
    "const": (yields("const", "const Item& v"), CONST + BRACES),
    "lvalue_rvalue": (yields("lvalue", "Item& v") + yields("rvalue", "Item&& v"), PLAIN + BRACES),
    "const_rvalue": (yields("const", "const Item& v") + yields("rvalue", "Item&& v"), CONST + BRACES),
    "template": (TEMPLATE, CONST),
    "template_rvalue": (TEMPLATE + yields("rvalue", "Item&& v"), CONST + BRACES),
    "other": (yields("const", "const Item& v") + yields("pointer", "const char* v", "nullptr"),
              CONST + '  co_yield "text";\n'),
    "private": (yields("const", "const Item& v") + " private:\n" + yields("pointer", "int* v", "nullptr")
                + " public:\n", CONST),
}
def returns(kind, parameter):
    return f"  void return_value({parameter}) {{ std::printf(\"{kind} \"); result = std::move(v).n; }}\n"
RETURN_TEMPLATE = ("  template <class U> requires std::is_constructible_v<Item, U&&>\n"
                   "  void return_value(U&&) { std::printf(\"template \"); }\n")
RETURNS = {
    "void": ("  void return_void() { std::printf(\"void \"); }\n", "  if (make_item) co_return;\n"),
    "value": (returns("value", "Item v"), "  if (make_item) co_return Item{7};\n  co_return {8, 9};\n"),
    "rvalue": (returns("rvalue", "Item&& v"), "  if (make_item) co_return 7;\n  co_return {8, 9};\n"),
    "template": (RETURN_TEMPLATE, "  if (make_item) co_return Item{7};\n  Item r{8};\n  co_return r;\n"),
    "template_value": (RETURN_TEMPLATE + returns("value", "Item v"),
                       "  if (make_item) co_return Item{7};\n  co_return {8, 9};\n"),
    "template_rvalue": (RETURN_TEMPLATE + returns("rvalue", "Item&& v"),
                        "  if (make_item) co_return 7;\n  co_return {8, 9};\n"),
}
def awaits(kind, parameter, watched="&v"):
    return f"  @R await_transform({parameter}) {WATCH.format(kind, watched)}\n"
AWAITS = {
    "none": ("", "  co_await Watch{nullptr};\n"),
    "const": (awaits("const", "const Item& v"), "  co_await 1;\n  co_await Item{2};\n"),
    "value": (awaits("value", "Item v"), "  co_await 1;\n  co_await Item{2};\n"),
    "references": (awaits("const", "const Item& v") + awaits("rvalue", "Item&& v"),
                   "  co_await Item{2};\n  const Item w{3};\n  co_await w;\n"),
    "values": (awaits("value", "Item v") + awaits("pointer", "const char* v", "nullptr"),
               "  co_await Item{2};\n  Item w{3};\n  co_await w;\n  co_await std::move(w);\n  co_await \"text\";\n"),
    "template": ("  template <class U> @R await_transform(U&& v) "
                 "{ std::printf(\"template \"); return Watch{std::addressof(v)}; }\n",
                 "  co_await Item{2};\n"),
}
DELETE = "  static void operator delete(void* p) { std::printf(\"delete \"); std::free(p); }\n"
ALLOCATIONS = {
    "default": "",
    "new": "  static void* operator new(std::size_t n) { std::printf(\"new \"); return std::malloc(n); }\n" + DELETE,
    "arguments": "  static void* operator new(std::size_t n, bool b) "
                 "{ std::printf(\"new%d \", b); return std::malloc(n); }\n" + DELETE,
    "fails": "  static void* operator new(std::size_t) noexcept { return nullptr; }\n"
             "  static void* operator new(std::size_t, const std::nothrow_t&) noexcept { return nullptr; }\n"
             "  static void operator delete(void*) {}\n"
             "  static @C get_return_object_on_allocation_failure() { std::printf(\"null \"); return {{nullptr}}; }\n",
}
THROWS = "  if (!make_item) throw 42;\n"


def program(number, final, y, r, a, allocation, alignment, deduced, thrown):
    name = f"C{number}"
    members = (YIELDS[y][0] + RETURNS[r][0] + AWAITS[a][0] + ALLOCATIONS[allocation])
    members = members.replace("@R", "auto" if deduced else "Watch").replace("@C", f"{name}<Item>")
    body = YIELDS[y][1] + AWAITS[a][1] + (THROWS if thrown else "") + RETURNS[r][1]
    title = " ".join(map(str, [number, "final" if final else "open", y, r, a, allocation, alignment,
                               "auto" if deduced else "named", "throws" if thrown else "returns"]))
    return f"""
template <class T>
struct {name} {{
  class alignas({alignment}) promise_type {'final ' if final else ''}{{
   public:
    int result = 0;
{'' if deduced and thrown else '    promise_type() {}' + chr(10)}    ~promise_type() {{ std::printf("=%d ", result); }}
    {name} get_return_object() {{ return {{{{std::coroutine_handle<promise_type>::from_promise(*this)}}}}; }}
    std::suspend_always initial_suspend() {{ return {{}}; }}
    std::suspend_always final_suspend() noexcept {{ return {{}}; }}
    void unhandled_exception() {{ std::printf("unhandled "); throw; }}
{members}  }};
  Owner<promise_type> own;
}};
{name}<Item> f{number}(bool make_item) {{
  (void)make_item;
{body}}}
void test{number}() {{
  run("{title}", [] {{ return f{number}(true); }});
  run("{title}", [] {{ return f{number}(false); }});
}}
"""


def main():
    share, index = int(sys.argv[1]), int(sys.argv[2])
    combinations = itertools.product((False, True), YIELDS, RETURNS, AWAITS, ALLOCATIONS, (8, 16, 32, 64),
                                     (False, True), (False, True))
    chosen = [(n, c) for n, c in enumerate(combinations) if n % share == index]
    print(PRELUDE)
    for n, combination in chosen:
        print(program(n, *combination))
    print(generate_awaits.PRELUDE)
    awaits = [n for n, _ in chosen[::4]]
    for n in awaits:
        print(generate_awaits.program(n, n))
    print("int main() {")
    for n, _ in chosen:
        print(f"  test{n}();")
    for n in awaits:
        print(f"  test_awaits{n}();")
    print("}")


main()
