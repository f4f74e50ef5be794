#include "frames/asio_functions.h"

#include <cctype>

namespace skein {

namespace {

bool is_within_asio(std::string_view name, std::string_view rest) {
  constexpr std::string_view boost = "boost::";
  if (name.starts_with(boost)) name.remove_prefix(boost.size());
  constexpr std::string_view asio = "asio::";
  return name.starts_with(asio) && name.substr(asio.size()).starts_with(rest);
}

}  // namespace

// A template's name begins with its return type.
bool is_spawn_entry(std::string_view name) {
  return is_within_asio(name, "awaitable<") &&
         name.find("asio::detail::co_spawn_entry_point<") != std::string_view::npos;
}

Spawned spawned(std::string_view name) {
  if (name.find("asio::experimental::detail::parallel_group_op_handler<") !=
          std::string_view::npos ||
      name.find("asio::experimental::detail::ranged_parallel_group_op_handler<") !=
          std::string_view::npos)
    return Spawned::InGroup;
  return name.find("asio::detail::awaitable_handler<") != std::string_view::npos
             ? Spawned::Awaited
             : Spawned::Detached;
}

bool is_result_wrapper(std::string_view name) {
  return is_within_asio(name, "awaitable<") &&
         name.find("asio::experimental::awaitable_operators::detail::awaitable_wrap<") !=
             std::string_view::npos;
}

std::string started_operation(std::string_view name) {
  if (!is_within_asio(name, "")) return {};
  if (name.find("asio::async_result<") == std::string_view::npos ||
      name.find(">::initiate<") == std::string_view::npos)
    return {};
  constexpr std::string_view prefix = "::initiate_";
  const size_t begin = name.find(prefix, name.find(">::initiate<"));
  if (begin == std::string_view::npos) return "operation";
  size_t end = begin + prefix.size();
  while (end < name.size() &&
         (std::isalnum(static_cast<unsigned char>(name[end])) || name[end] == '_'))
    end++;
  const std::string_view operation =
      name.substr(begin + prefix.size(), end - begin - prefix.size());
  if (operation == "async_move_accept") return "async_accept";
  // Of the overloads: async_read_buffer_sequence, async_read_until_delim_v2, ...
  for (const std::string_view of :
       {"async_read_until", "async_read_at", "async_write_at", "async_read", "async_write"})
    if (operation.starts_with(of) && operation.substr(of.size()).starts_with('_') &&
        !operation.substr(of.size()).starts_with("_some"))
      return std::string(of);
  return std::string(operation);
}

}  // namespace skein
