// Which way an operation of a socket moves bytes, by its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace skein {

enum class Direction : uint8_t { None, Sends, Receives };

inline Direction direction_of(std::string_view operation) {
  return operation.starts_with("socket.async_send")      ? Direction::Sends
         : operation.starts_with("socket.async_receive") ? Direction::Receives
                                                         : Direction::None;
}

}  // namespace skein
