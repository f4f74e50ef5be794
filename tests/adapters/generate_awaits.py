"""Writes C++ coroutines whose promise has a random set of await_transform overloads, and that await
operands of many types: the set selects, converts, binds or copies them. Used by
generate_promises.py, for its Item."""
import random

PRELUDE = r"""
// clang 14 takes a constrained const Box<T>& for better than a Box<T>, and skein/coroutine.h does not: a documented limit.
// For other compilers they are ambiguous.
#if defined(__clang__) && __clang_major__ < 16
#define CONSTRAINED(...)
#else
#define CONSTRAINED(...) __VA_ARGS__
#endif
#include <concepts>
#include <type_traits>
#if __has_builtin(__builtin_source_location)
#include <source_location>
#define AT , std::source_location at = std::source_location::current()
#else
#define AT
#endif

struct Sub : Item { using Item::Item; };
template <class T>
struct Box : Item { using Item::Item; };
struct Other {
  Item item;
  Other(const Item& i) : item(i) {}
  Other(const char*) : item(9) {}
};
struct Makes {  // converts by a function
  int n;
  operator Item() const { return Item(n); }
};
enum Number : int { kSeven = 7 };
void show(const Item& v) { std::printf("item%d ", v.n); }
void show(const Other& v) { std::printf("other%d ", v.item.n); }
void show(const Makes& v) { std::printf("makes%d ", v.n); }
void show(const Item* v) { std::printf("pointer%d ", v->n); }
void show(double v) { std::printf("number%g ", v); }
void show(const char* v) { std::printf("text%s ", v); }

// Shows the operand before and after the coroutine is suspended. A trivial object that was taken by
// value is shown only in the call: its lifetime ends there.
template <class T>
struct Seen {
  T* at;
  bool await_ready() noexcept { return print("a"), false; }
  void await_suspend(std::coroutine_handle<>) noexcept { print("s"); }
  int await_resume() noexcept { return print("r"), 1; }
  void print(const char* when) { std::printf("%s:", when); if (at) show(*at); }
};
struct SeenAny {
  const void* at;
  void (*show_at)(const void*);
  bool await_ready() noexcept { return print("a"), false; }
  void await_suspend(std::coroutine_handle<>) noexcept { print("s"); }
  int await_resume() noexcept { return print("r"), 1; }
  void print(const char* when) { std::printf("%s:", when); if (at) show_at(at); }
};
template <class T>
struct Wrapped {
  T* at;
  ~Wrapped() { std::printf("~wrapped "); }
  Seen<T> operator co_await() { return {at}; }
};
// P: the parameter's type.
template <class P>
using Object = std::remove_reference_t<P>;
template <class P>
Object<P>* kept(Object<P>& v) {
  show(v);
  return std::is_reference_v<P> || !std::is_trivially_copyable_v<P> ? std::addressof(v) : nullptr;
}
template <class P>
SeenAny any(Object<P>& v) {
  return {kept<P>(v), [](const void* at) { show(*static_cast<Object<P>*>(const_cast<void*>(at))); }};
}
template <class C>
void run_until(const char* name, int stop, C make) {
  std::printf("%s, %d: ", name, stop);
  {
    auto c = make();
    for (int i = 0; i < stop && !c.own.handle.done(); ++i) c.own.handle.resume();
    std::printf("| ");
  }
  std::printf("\n");
}
"""

RESULTS = {  # result type and expression
    "named": ("Seen<Object<@P>>", "Seen<Object<@P>>{kept<@P>(v)}"),
    "auto": ("auto", "Seen<Object<@P>>{kept<@P>(v)}"),
    "wrapped": ("Wrapped<Object<@P>>", "Wrapped<Object<@P>>{kept<@P>(v)}"),
    "same": ("SeenAny", "any<@P>(v)"),
}
REFERENCES = ("@", "@&", "const @&", "@&&", "const @&&")
PLAIN = ([r.replace("@", t) for t in ("Item", "Other", "Box<int>", "Makes", "double") for r in REFERENCES]
         + ["const long&", "long", "const char*", "const char* const&", "const char*&&", "const Sub&"])
TEMPLATES = ["T", "T&", "T&&", "const T&", "T*", "Box<T>", "Box<T>&", "Box<T>&&", "const Box<T>&"]
CONSTRAINTS = ["", "requires std::is_class_v<std::remove_cvref_t<T>> ",
               "requires(!std::is_class_v<std::remove_cvref_t<T>>) ", "requires std::same_as<T, Box<int>> "]
OPERANDS = ["Item{1}", "item", "fixed", "std::move(item)", "Sub{2}", "sub", "Makes{3}", "makes", "Box<int>{4}",
            "box", "std::move(box)", "Box<char>{5}", '"text"', "text", "6", "number", "kSeven", "'c'", "1.5f",
            "2.5", "real", "std::move(real)", "Other{\"x\"}", "&item"]
OBJECTS = {"Item", "Other", "Box<int>", "T", "Box<T>"}  # may be taken by value, with an address


def overload(choice, parameter, template, style):
    """The text of one overload, and whether it takes objects by value with a qualifier."""
    result, value = (part.replace("@P", parameter) for part in RESULTS[style])
    before, after = choice.choice([("", "")] * 6 + [("", " const"), ("", " noexcept"), ("static ", ""), ("", " &")])
    at = choice.random() < 0.1
    constraint = choice.choice(CONSTRAINTS) if template else ""
    if parameter == "const Box<T>&" and constraint:
        constraint = f"CONSTRAINED({constraint}) "
    head = f"template <class T> {constraint}" if template else ""
    text = (f"    {head}{before}{result} await_transform({parameter} v{' AT' if at else ''}){after} "
            f"{{ std::printf(\"({parameter}) \"); return {value}; }}\n")
    return text, parameter in OBJECTS and (at or before + after not in ("", " noexcept"))


def program(number, seed):
    """A promise, its coroutine and test: random, but the same for the same seed."""
    choice = random.Random(seed)
    templates = choice.sample(TEMPLATES, choice.choice([0, 0, 1, 1, 2, 3]))
    plain = choice.sample(PLAIN, choice.choice([1, 2, 3, 4]))
    style = choice.choice([[s] for s in RESULTS] + [list(RESULTS)])
    name = f"A{number}"
    made = [overload(choice, p, p in templates, choice.choice(style)) for p in templates + plain]
    if not templates and "double" not in plain and choice.random() < 0.4:
        # Only the coroutine can call these. The other is the only one of its form, a documented limit.
        head = f"   private:\n    template <class C> friend C await_all{number}();\n"
        made = [(f"    Seen<double> await_transform(double v) {{ return {{nullptr}}; }}\n{head}", False)] + made
    # A documented limit: then a temporary that is taken by value may be moved once more.
    by_value = not OBJECTS.isdisjoint(templates + plain)
    moves = not any(odd for _, odd in made) and not (by_value and templates)
    final = choice.random() < 0.2
    operands = choice.sample(OPERANDS, 10)
    body = "".join(f"  if constexpr (requires(P& p) {{ p.await_transform({o}); }}) co_await {o};\n" for o in operands)
    title = f"awaits {seed}{' final' if final else ''}"
    return f"""
template <class C>
C await_all{number}();
struct {name} {{
  struct promise_type {'final ' if final else ''}{{
    {name} get_return_object() {{ return {{{{std::coroutine_handle<promise_type>::from_promise(*this)}}}}; }}
    std::suspend_always initial_suspend() {{ return {{}}; }}
    std::suspend_always final_suspend() noexcept {{ return {{}}; }}
    void unhandled_exception() {{ throw; }}
    void return_void() {{}}
{''.join(text for text, _ in made)}  }};
  Owner<promise_type> own;
}};
template <class C>
C await_all{number}() {{
  using P = typename C::promise_type;
  Item item{{11}};
  const Item fixed{{12}};
  Sub sub{{13}};
  Box<int> box{{14}};
  Makes makes{{15}};
  const char* text = "pointer";
  int number = 16;
  double real = 17;
  (void)item, (void)fixed, (void)sub, (void)box, (void)makes, (void)text, (void)number, (void)real;
{body}  co_return;
}}
void test_awaits{number}() {{
  print_moves = {str(moves).lower()};
  run_until("{title}", 100, await_all{number}<{name}>);
  run_until("{title}", {choice.randrange(1, 11)}, await_all{number}<{name}>);
  print_moves = true;
}}
"""
