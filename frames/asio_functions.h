// Coroutines of Asio's own between those of the program: the entry point that co_spawn() creates,
// those that start an operation with use_awaitable, and those of the operators && and ||.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skein {

// `name` is demangled. Boost.Asio's or that of standalone Asio.
bool is_spawn_entry(std::string_view name);

// Of an entry point: what its end completes. A group is of several that are waited for together,
// as by the operators && and ||.
enum class Spawned : uint8_t { Detached, Awaited, InGroup };
Spawned spawned(std::string_view name);

// The coroutine that the operators && and || put around one with a result.
bool is_result_wrapper(std::string_view name);

// "async_wait" of "boost::asio::async_result<..>::initiate<..::initiate_async_wait, ..>"; an empty
// text if the coroutine starts no operation.
std::string started_operation(std::string_view name);

}  // namespace skein
