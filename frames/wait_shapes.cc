#include "frames/wait_shapes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace skein {

namespace {

using Kind = WaitObject::Kind;

struct KnownType {
  std::string_view name;
  Kind kind;
};
constexpr KnownType known_types[] = {
    {"cppcoro::async_mutex", Kind::Lock},
    {"cppcoro::async_manual_reset_event", Kind::Event},
    {"cppcoro::async_auto_reset_event", Kind::Event},
    {"cppcoro::single_consumer_event", Kind::Event},
    {"cppcoro::single_consumer_async_auto_reset_event", Kind::Event},
    {"cppcoro::async_latch", Kind::Counter},
    {"cppcoro::sequence_barrier", Kind::Queue},
    {"cppcoro::single_producer_sequencer", Kind::Queue},
    {"cppcoro::multi_producer_sequencer", Kind::Queue},
    {"cppcoro::detail::when_all_counter", Kind::WhenAll},
    {"cppcoro::static_thread_pool", Kind::Executor},
    {"cppcoro::io_service", Kind::Executor},
    {"coro::mutex", Kind::Lock},
    {"coro::shared_mutex", Kind::Lock},
    {"coro::event", Kind::Event},
    {"coro::condition_variable", Kind::Condition},
    {"coro::semaphore", Kind::Semaphore},
    {"coro::queue", Kind::Queue},
    {"coro::ring_buffer", Kind::Queue},
    {"coro::latch", Kind::Counter},
    {"coro::detail::when_all_latch", Kind::WhenAll},
    {"coro::thread_pool", Kind::Executor},
    {"coro::scheduler", Kind::Executor},
    {"concurrencpp::async_lock", Kind::Lock},
    {"concurrencpp::async_condition_variable", Kind::Condition},
    {"concurrencpp::details::result_state", Kind::Result},
    {"concurrencpp::details::result_state_base", Kind::Result},
    {"concurrencpp::details::shared_result_state", Kind::Result},
    {"folly::coro::Mutex", Kind::Lock},
    {"folly::coro::SharedMutexFair", Kind::Lock},
    {"folly::coro::Baton", Kind::Event},
    {"folly::coro::detail::Barrier", Kind::WhenAll},
    {"folly::Executor", Kind::Executor},
    {"seastar::internal::promise_base", Kind::Result},
    {"skein::mutex", Kind::Lock},
    {"skein::semaphore", Kind::Semaphore},
    {"skein::condition", Kind::Condition},
    {"skein::channel", Kind::Queue},
    {"seastar::promise", Kind::Result},
};

// Awaiters that are no members of the type that they wait for.
constexpr std::pair<std::string_view, std::string_view> known_awaiters[] = {
    {"cppcoro::async_mutex_lock_operation", "cppcoro::async_mutex"},
    {"cppcoro::async_mutex_scoped_lock_operation", "cppcoro::async_mutex"},
    {"cppcoro::async_manual_reset_event_operation", "cppcoro::async_manual_reset_event"},
    {"cppcoro::async_auto_reset_event_operation", "cppcoro::async_auto_reset_event"},
    {"cppcoro::sequence_barrier_wait_operation_base", "cppcoro::sequence_barrier"},
    {"cppcoro::sequence_barrier_wait_operation", "cppcoro::sequence_barrier"},
    {"coro::detail::lock_operation_base", "coro::mutex"},
    {"coro::detail::lock_operation", "coro::mutex"},
    {"coro::detail::acquire_operation", "coro::semaphore"},
    {"coro::detail::shared_lock_operation", "coro::shared_mutex"},
    {"concurrencpp::details::async_lock_awaiter", "concurrencpp::async_lock"},
    {"concurrencpp::details::cv_awaiter", "concurrencpp::async_condition_variable"},
    {"concurrencpp::awaitable", "concurrencpp::details::result_state"},
    {"concurrencpp::resolve_awaitable", "concurrencpp::details::result_state"},
};

constexpr std::string_view exclusive_locks[] = {"cppcoro::async_mutex", "coro::mutex",
                                                "concurrencpp::async_lock", "folly::coro::Mutex",
                                                "skein::mutex"};

struct KnownGuard {
  std::string_view name;
  GuardShape shape;
};
const KnownGuard known_guards[] = {
    {"cppcoro::async_mutex_lock", {}},
    {"coro::scoped_lock", {}},
    {"concurrencpp::scoped_async_lock", {.owns = 8}},
    {"skein::mutex::guard", {}},
    {"std::unique_lock", {.owns = 8}},
    {"std::lock_guard", {}},
};

const KnownType* find_type(std::string_view name) {
  const auto* at = std::find_if(std::begin(known_types), std::end(known_types),
                                [&](const KnownType& one) { return one.name == name; });
  return at == std::end(known_types) ? nullptr : at;
}

// Of the type without its namespaces.
std::string lower_case(std::string_view type) {
  const size_t scope = type.rfind("::");
  std::string last(scope == std::string_view::npos ? type : type.substr(scope + 2));
  for (char& c : last) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return last;
}

// The last argument of a template's, without references; nothing: the brackets do not match.
std::optional<std::string_view> last_argument(std::string_view name, size_t begin, size_t* end) {
  size_t last = begin + 1;
  int depth = 0;
  for (size_t i = begin; i < name.size(); i++) {
    const char c = name[i];
    if (c == '(' || c == '{' || c == '[' || c == '<') depth++;
    if (c == ')' || c == '}' || c == ']') depth--;
    if (c == '>' && name[i - 1] != '-') depth--;
    if (c == ',' && depth == 1) last = i + 1;
    if (depth != 0) continue;
    *end = i + 1;
    std::string_view argument = name.substr(last, i - last);
    while (argument.starts_with(' ')) argument.remove_prefix(1);
    while (argument.ends_with('&') || argument.ends_with(' ')) argument.remove_suffix(1);
    return argument;
  }
  return {};
}

}  // namespace

std::optional<std::string> wrapped_awaiter(std::string_view name) {
  constexpr std::string_view wrappers[] = {"StackAwareViaIfAsyncAwaiter<",
                                           "ViaIfAsyncAwaiter<",
                                           "WithAsyncStackAwaiter<",
                                           "TryAwaiter<",
                                           "ResultAwaiter<",
                                           "ValueOnlyAwaiterBase<",
                                           "__traced_awaiter_for<"};
  for (const std::string_view wrapper : wrappers) {
    const size_t begin = name.find(wrapper);
    if (begin == std::string_view::npos) continue;
    const std::string_view scope = name.substr(0, begin);
    // With clang and without exceptions, names of the hooks are in one more namespace.
    const bool is_hook = wrapper.starts_with("__traced") && scope.ends_with("::") &&
                         scope.find("skein::__detail::") != std::string_view::npos;
    if (!is_hook && !scope.ends_with("folly::coro::") && !scope.ends_with("folly::coro::detail::"))
      continue;
    size_t end = 0;
    const auto argument = last_argument(name, begin + wrapper.size() - 1, &end);
    std::string_view rest = argument ? name.substr(end) : "";
    if (rest.starts_with("::__type")) rest.remove_prefix(std::string_view("::__type").size());
    const bool is_it =
        argument && !argument->empty() && (rest.empty() || rest.starts_with("::await_"));
    if (!is_it) continue;
    if (auto inner = wrapped_awaiter(*argument)) return inner;
    return without_template_arguments(*argument);
  }
  return {};
}

bool is_awaiter_of(const ObjectType& type, const std::string& awaiter) {
  if (type.is_a(awaiter)) return true;
  return !type.arguments.empty() && type.name.starts_with("folly::") &&
         wrapped_awaiter(type.name + type.arguments) == awaiter;
}

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, 10> names = {
      "",      "lock",    "event",    "condition", "semaphore",
      "queue", "counter", "when all", "result",    "executor"};
  return names[static_cast<size_t>(kind)];
}

bool is_to_object(const ObjectType& awaiter, const TypedPointer& pointer) {
  return !pointer.to.empty() && !awaiter.is_a(pointer.to) && !pointer.to.starts_with("std::") &&
         !pointer.to.starts_with("skein::__detail::");
}

bool is_program_type(std::string_view awaiter) {
  for (const char* begin : {"std::", "boost::asio::", "asio::", "skein::__detail::"})
    if (awaiter.starts_with(begin)) return false;
  return !awaiter.empty();
}

std::string object_of_awaiter(std::string_view awaiter) {
  for (const auto& [name, object] : known_awaiters)
    if (name == awaiter) return std::string(object);
  if (awaiter.starts_with("folly::") && find_type(awaiter) != nullptr) return std::string(awaiter);
  // "coro::queue::awaiter", "cppcoro::single_consumer_event::operator co_await::awaiter"
  std::string_view around = awaiter;
  for (size_t end = around.rfind("::"); end != std::string_view::npos; end = around.rfind("::")) {
    around = around.substr(0, end);
    if (find_type(around) != nullptr) return std::string(around);
  }
  return "";
}

std::string object_of_pointer(std::string_view awaiter, std::string_view pointee) {
  constexpr std::pair<std::string_view, std::string_view> bases[] = {
      {"skein::semaphore", "skein::mutex"}};
  for (const auto& [base, derived] : bases)
    if (pointee == base && object_of_awaiter(awaiter) == derived) return std::string(derived);
  return std::string(pointee);
}

Kind kind_of_type(std::string_view type) {
  if (const KnownType* known = find_type(type)) return known->kind;
  constexpr std::pair<std::string_view, Kind> words[] = {
      {"mutex", Kind::Lock},          {"condition", Kind::Condition},
      {"semaphore", Kind::Semaphore}, {"queue", Kind::Queue},
      {"channel", Kind::Queue},       {"event", Kind::Event},
      {"latch", Kind::Counter},       {"barrier", Kind::Counter},
      {"executor", Kind::Executor},   {"thread_pool", Kind::Executor},
      {"scheduler", Kind::Executor}};
  const std::string last = lower_case(type);
  for (const auto& [word, kind] : words)
    if (last.find(word) != std::string::npos) return kind;
  for (const char* other : {"clock", "block", "unlock"})
    if (last.ends_with(other)) return Kind::Unknown;
  return last.ends_with("lock") && last != "lock" ? Kind::Lock : Kind::Unknown;
}

Kind kind_of_awaiter(std::string_view awaiter) {
  const size_t scope = awaiter.rfind("::");
  const Kind around =
      scope == std::string_view::npos ? Kind::Unknown : kind_of_type(awaiter.substr(0, scope));
  return around != Kind::Unknown ? around : kind_of_type(awaiter);
}

bool may_count_tasks(Kind kind) {
  return kind == Kind::Unknown || kind == Kind::Counter || kind == Kind::WhenAll;
}

bool is_name_of_join(std::string_view type) {
  std::string name(type);  // with the classes around it
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view words[] = {"join",   "when_all", "whenall", "wait_all", "waitall",
                                        "latch",  "group",    "barrier", "nursery",  "gather",
                                        "counter"};
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  });
}

bool is_name_of_send(std::string_view awaiter) {
  // A class of the function "send" as well.
  const size_t scope = awaiter.rfind("::");
  const std::string name =
      lower_case(awaiter) +
      (scope == std::string_view::npos ? "" : ' ' + lower_case(awaiter.substr(0, scope)));
  for (const char* word : {"send", "push", "write", "produce"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

bool is_name_of_unlocker(std::string_view type) {
  const std::string name = lower_case(type);
  for (const char* word : {"unlock", "unguard", "relock", "release"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

bool is_name_of_guard(std::string_view type) {
  if (is_name_of_unlocker(type)) return false;
  const std::string name = lower_case(type);
  for (const char* other : {"deadlock", "block", "clock"})
    if (name.ends_with(other)) return false;
  for (const char* last : {"guard", "lock", "lockholder", "lock_holder"})
    if (name.ends_with(last)) return true;
  return false;
}

namespace {

bool may_have_several_holders(const std::string& name) {
  for (const char* word : {"shared", "rw", "read", "recursive"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

bool is_plain_lock(std::string_view type) {
  return !may_have_several_holders(lower_case(type)) && kind_of_type(type) == Kind::Lock;
}

bool is_lock_with_guards(std::string_view type) {
  const std::string name = lower_case(type);
  if (may_have_several_holders(name)) return false;
  for (const char* word : {"lock", "mutex", "latch", "critical"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

bool is_exclusive_lock(std::string_view type) {
  return std::find(std::begin(exclusive_locks), std::end(exclusive_locks), type) !=
         std::end(exclusive_locks);
}

std::optional<GuardShape> guard_shape(std::string_view type) {
  for (const KnownGuard& one : known_guards)
    if (one.name == type) return one.shape;
  return {};
}

}  // namespace skein
