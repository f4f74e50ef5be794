// Reads a trace directory of skein's format, constructed from the input:
//
//   u8 flags          bit 0: the input up to the first NUL is the metadata, else it is valid;
//                     bit 1: there is none
//   then chunks:      u8 name, u16 size, bytes
//   name              bit 7: the packet's magic, uuid and version are corrected; the other bits are
//                     the number of a file
//
// The resulting columns must be usable without bounds checks.
#include <skein/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/cursor.h"
#include "fuzz/model.h"
#include "trace/read/ctf/directory.h"

using namespace skein;

namespace {

constexpr std::string_view metadata =
    "/* CTF 1.8 */env{tracer_name=skein;tracer_major=2;};clock{freq=156250000;};";

void repair(std::vector<uint8_t>& chunk, uint8_t uuid) {
  if (chunk.size() < sizeof(format::PacketHeader)) return;
  const auto set = [&](size_t offset, uint32_t value) {
    std::memcpy(chunk.data() + offset, &value, sizeof value);
  };
  set(0, format::kPacketMagic);
  std::memset(chunk.data() + offsetof(format::PacketHeader, uuid), uuid, 16);
  set(offsetof(format::PacketHeader, format_version), format::kVersion);
}

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const Trace& trace) {
  const Events& events = trace.events;
  for (size_t i = 0; i < events.size(); i++) {
    require(i == 0 || events.time[i - 1] <= events.time[i]);
    require(events.text[i] < trace.strings.size());
    require(events.location[i] < trace.locations.size());
    require(events.executor[i] < trace.executors.size());
    require(static_cast<size_t>(events.kind[i]) < event_kinds);
    if (events.kind[i] == EventKind::Create) require(events.task[i] != 0);
  }
  check_model(trace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Cursor input({data, size});
  MemoryFiles files;
  const uint8_t flags = input.u8();
  if (flags & 1) {
    const std::string_view text = input.text();
    if (input.failed()) return 0;
    files.add("t/metadata", text);
  } else if (!(flags & 2)) {
    files.add("t/metadata", metadata);
  }
  while (input.remaining() >= 3) {
    const uint8_t name = input.u8();
    const size_t wanted = input.u16();
    const auto bytes = input.bytes(std::min(wanted, input.remaining()));
    std::vector<uint8_t> chunk(bytes.begin(), bytes.end());
    if (name & 0x80) repair(chunk, flags & 2);
    files.add("t/c" + std::to_string(name & 0x7F), std::move(chunk));
  }
  if (const auto trace = ctf::read(files, "t")) check(*trace);
  return 0;
}
