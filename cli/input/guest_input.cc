#include "cli/input/guest_input.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/disk_files.h"
#include "base/escape.h"
#include "base/text.h"
#include "cli/die.h"
#include "target/guest/gdb_arena.h"

namespace skein::cli {

namespace {

struct OpenGuest {
  std::string name;
  std::unique_ptr<GuestMemory> memory;
  std::optional<FoundArena> arena = {};  // nothing: it has yet to be found
};

constexpr std::string_view kGdb = "gdb:";
constexpr std::chrono::seconds kLongestStop{10};

std::unique_ptr<GuestMemory> value_or_die(Result<std::unique_ptr<GuestMemory>> memory) {
  if (!memory) die(2, memory.error().message());
  return *std::move(memory);
}

std::string describe(const Guest& guest) {
  return (guest.name.empty() ? "without a name" : "'" + escaped(guest.name) + "'") + " (PID " +
         std::to_string(guest.pid) + ")";
}

// The names of all guests, for a message.
std::string list(const std::vector<Guest>& guests) {
  if (guests.empty()) return "no QEMU runs on this machine";
  std::string text = "there are ";
  constexpr size_t most = 8;
  for (size_t i = 0; i < guests.size() && i < most; i++)
    text += (i == 0 ? "" : ", ") + describe(guests[i]);
  if (guests.size() > most) text += " and " + std::to_string(guests.size() - most) + " more";
  return text;
}

// "0x12b000", "1224704".
uint64_t address_or_die(const std::string& text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const char* end = text.data() + text.size();
  uint64_t address = 0;
  const auto [stop, error] =
      std::from_chars(text.data() + (is_hex ? 2 : 0), end, address, is_hex ? 16 : 10);
  if (error != std::errc() || stop != end) die(2, "--arena: '" + escaped(text) + "' is no address");
  return address;
}

struct GdbCopy {
  GdbGuestState state = {};
  Result<GdbArena> arena;
};

GdbCopy copy_through(GdbSocket& socket, std::optional<uint64_t> address) {
  socket.set_deadline(GdbSocket::Clock::now() + kLongestStop);
  GdbClient client(socket);
  if (const Result<void> started = client.start(); !started) return {.arena = started.error()};
  const Result<GdbGuestState> state = gdb_guest_state(client);
  if (!state) return {.arena = state.error()};
  if (!state->was_running) socket.guardian()->keep();
  return {.state = *state, .arena = copy_gdb_arena(client, address)};
}

// The guest stands still from the connection to release().
OpenGuest open_gdb_guest(const std::string& text, const std::string& arena) {
  const std::optional<GdbAddress> address = parse_gdb_address(text);
  if (!address) die(2, "'gdb:" + escaped(text) + "' is neither gdb:HOST:PORT nor gdb:/PATH");
  const auto where = arena.empty() ? std::optional<uint64_t>() : address_or_die(arena);
  const GdbSocket::Clock::time_point begin = GdbSocket::Clock::now();
  const auto socket = connect_to_gdb(*address);
  if (!socket) die(2, socket.error().message());
  GdbCopy copy = copy_through(**socket, where);
  const bool is_confirmed = (*socket)->release();
  const auto stopped = std::chrono::nanoseconds(GdbSocket::Clock::now() - begin).count();
  if (!copy.state.was_running)
    std::fprintf(stderr, "skein: the guest was stopped before (%s) and stays so\n",
                 escaped(copy.state.state).c_str());
  else if (is_confirmed)
    std::fprintf(stderr, "skein: the guest stood still for %s\n",
                 duration_text(static_cast<uint64_t>(stopped)).c_str());
  else
    std::fprintf(stderr, "skein: the gdb server has not confirmed that the guest runs again\n");
  if (!copy.arena) {
    Error error = copy.arena.error();
    if (error.file.empty()) error.file = "gdb:" + escaped(text);
    die(2, error.message());
  }
  const std::string base = text.substr(text.rfind('/') + 1);
  return {base.starts_with(':') ? "localhost" + base : base, std::move(copy.arena->memory),
          std::move(copy.arena->found)};
}

OpenGuest open_guest(const std::string& text, const std::string& arena) {
  const std::vector<Guest> guests = find_guests();
  std::vector<Guest> found;
  std::copy_if(guests.begin(), guests.end(), std::back_inserter(found),
               [&](const Guest& guest) { return guest.name == text && !text.empty(); });
  if (found.size() > 1)
    die(2, "'" + escaped(text) + "' names " + std::to_string(found.size()) +
               " guests: " + list(found) + "; use a PID");
  const bool is_gdb = found.empty() && text.starts_with(kGdb);
  if (is_gdb) return open_gdb_guest(text.substr(kGdb.size()), arena);
  if (!arena.empty()) die(2, "--arena is for a guest behind a gdb server (-d gdb:...)");
  if (found.size() == 1) return {text, value_or_die(open_guest_process(found.front().pid))};
  DiskFiles files;
  if (const FileType type = files.type(text); type == FileType::File && text != "-") {
    const std::string base = text.substr(text.rfind('/') + 1);
    return {base.empty() ? "guest" : base, value_or_die(open_ram_file(text))};
  }
  uint64_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error == std::errc() && end == text.data() + text.size()) {
    for (const Guest& guest : guests)
      if (guest.pid == pid && !guest.name.empty())
        return {guest.name, value_or_die(open_guest_process(pid))};
    return {"guest-" + text, value_or_die(open_guest_process(pid))};
  }
  die(2, "'" + escaped(text) + "': no such guest, PID or file; " + list(guests));
}

}  // namespace

std::optional<std::string> guest_of(const std::string& text) {
  DiskFiles files;
  if (!text.starts_with(guest_prefix) || files.type(text) != FileType::Missing) return {};
  return text.substr(guest_prefix.size());
}

GuestTrace::GuestTrace(const std::string& guest, const std::string& arena) {
  OpenGuest open = open_guest(guest, arena);
  const bool ran = open.memory->is_running();
  Result<FoundArena> found =
      open.arena ? Result<FoundArena>(*std::move(open.arena)) : find_arena(*open.memory);
  if (!found && ran && !open.memory->is_running())
    die(2, escaped(guest) + ": the guest ended while its memory was read");
  if (!found) {
    Error error = found.error();
    if (error.file.empty()) error.file = escaped(guest);
    die(2, error.message());
  }
  name_ = std::move(open.name);
  memory_ = std::move(open.memory);
  files_.emplace(*memory_, *std::move(found), name_);
}

void GuestTrace::report_note() const {
  const Arena& arena = files_->arena();
  if (arena.note_ticks == 0) return;
  const uint64_t passed = arena.note_ticks > arena.ticks ? arena.note_ticks - arena.ticks : 0;
  const double seconds = static_cast<double>(passed) / static_cast<double>(arena.ticks_per_second);
  std::fprintf(stderr, "skein: the guest left a note after %.3f s: %s\n", seconds,
               escaped(arena.note).c_str());
}

}  // namespace skein::cli
