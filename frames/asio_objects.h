// The timers and sockets of Asio in the memory of a process, which its operations wait for.
//
// An I/O object of Asio (1.12 and later, and Boost's) begins with the address of its service, whose
// virtual table leads to the service's name; the object's state follows (asio/detail/
// io_object_impl.hpp, deadline_timer_service.hpp, reactive_socket_service_base.hpp). This holds in
// programs without symbols, too, but not with -fno-rtti.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frames/memory_cache.h"
#include "target/target.h"

namespace skein {

struct AsioObject {
  static constexpr int64_t never = INT64_MAX;
  enum class Kind : uint8_t { Timer, Socket, Descriptor, Signals, Resolver, Channel };
  enum class Clock : uint8_t { Steady, System, Other };

  Kind kind = Kind::Timer;
  Clock clock = Clock::Other;  // of a timer
  int64_t expires = 0;         // of a timer: ns of its clock, or `never`; unknown for another clock
  int32_t descriptor = -1;     // of a socket, an acceptor, a pipe
  uint64_t address = 0;
};

std::string_view name(AsioObject::Kind kind);  // "timer"; stable, for JSON

class AsioObjects {
 public:
  // Both must outlive it.
  AsioObjects(const Target& target, MemoryCache& memory) : target_(target), memory_(memory) {}

  // The object whose address one of the words is: those of the frame of a coroutine that waits for
  // it. Nothing: there is none. O(words).
  std::optional<AsioObject> find(std::span<const uint64_t> words);
  // Whether the object of an event loop is at this address.
  bool is_scheduler(uint64_t address);

 private:
  bool may_be_object(uint64_t address) const;
  std::optional<AsioObject> at(uint64_t address);
  const std::string& name_of_type(uint64_t virtual_table);

  const Target& target_;
  MemoryCache& memory_;
  std::unordered_map<uint64_t, std::string> names_ = {};  // by virtual table; mangled
};

}  // namespace skein
