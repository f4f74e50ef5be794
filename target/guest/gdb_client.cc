#include "target/guest/gdb_client.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>

#include "base/escape.h"

namespace skein {

namespace {

// Replies of a peer that never comes to an end.
constexpr size_t kMostReplies = 10'000;
constexpr size_t kLargestText = size_t{1} << 20;
constexpr size_t kMostThreads = 4096;
// A request is inside one page: some servers refuse all of it if a part cannot be read.
constexpr size_t kLargestRead = 4096;

// gdb's order of x86-64's registers, by DWARF number: rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, ..
constexpr std::array<uint8_t, 17> kX86Order = {0, 3,  2,  1,  4,  5,  6,  7, 8,
                                               9, 10, 11, 12, 13, 14, 15, 16};

Error unexpected(std::string_view request, std::string_view reply) {
  constexpr size_t longest = 40;
  const std::string_view name = request.substr(0, request.find_first_of(":,;0123456789"));
  return Error{.what = "the gdb server answers '" + std::string(name) + "' by '" +
                       escaped(reply.substr(0, longest)) + "'"};
}

// "E01", "E.text".
bool is_refusal(std::string_view reply) {
  return reply.starts_with('E') &&
         (reply.starts_with("E.") || (reply.size() == 3 && gdb_hex_byte(reply[1], reply[2])));
}

// Calls `use` for each part of a text between separators.
template <typename Use>
void for_each_part(std::string_view text, char separator, const Use& use) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool has_part(std::string_view text, char separator, std::string_view wanted) {
  bool found = false;
  for_each_part(text, separator, [&](std::string_view part) { found |= part == wanted; });
  return found;
}

// A number of up to 8 bytes, little-endian; nothing: unknown ("xxxxxxxx"), or no number.
std::optional<uint64_t> register_of(std::string_view digits) {
  const std::optional<std::string> bytes = gdb_hex_bytes(digits);
  if (!bytes || bytes->empty() || bytes->size() > 8) return {};
  uint64_t value = 0;
  for (size_t i = bytes->size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>((*bytes)[i]);
  return value;
}

}  // namespace

std::optional<GdbStop> parse_gdb_stop(std::string_view packet) {
  if (packet.size() < 3) return {};
  const std::optional<uint8_t> number = gdb_hex_byte(packet[1], packet[2]);
  const bool is_stop = packet[0] == 'T' || (packet[0] == 'S' && packet.size() == 3);
  const bool has_ended =
      (packet[0] == 'W' || packet[0] == 'X') && (packet.size() == 3 || packet[3] == ';');
  if (!number || (!is_stop && !has_ended)) return {};
  return GdbStop{.has_ended = has_ended, .signal = *number};
}

// The reply to a request: a stop may be reported at any time.
Result<std::string> GdbClient::reply() {
  for (size_t i = 0; i < kMostReplies; i++) {
    Result<std::string> packet = packets_.receive();
    if (!packet) return packet;
    const std::optional<GdbStop> stop = parse_gdb_stop(*packet);
    if (!stop) return packet;
    if (stop->has_ended) return Error{.what = "the guest has ended"};
    was_stopped_ = true;
  }
  return Error{.what = "the gdb server reports stops without an end"};
}

Result<std::string> GdbClient::query(std::string_view request) {
  if (is_running_) return Error{.what = "the guest runs"};
  packets_.add(request);
  return reply();
}

Result<void> GdbClient::start() {
  const Result<std::string> features = query("qSupported:xmlRegisters=i386");
  if (!features) return features.error();
  size_t packet_size = 400;  // of servers that report none
  bool has_no_ack = false;
  for_each_part(*features, ';', [&](std::string_view feature) {
    constexpr std::string_view size = "PacketSize=";
    if (feature.starts_with(size))
      packet_size = static_cast<size_t>(gdb_hex_number(feature.substr(size.size())).value_or(0));
    has_no_ack |= feature == "QStartNoAckMode+";
    has_binary_read_ |= feature == "binary-upload+";
    has_description_ |= feature == "qXfer:features:read+";
  });
  // Two digits a byte. QEMU's size of packets is 4096.
  packet_size = std::clamp<size_t>(packet_size, 64, GdbPackets::kLargestPacket / 2);
  largest_read_ = std::min(std::bit_floor(packet_size / 2), kLargestRead);
  if (has_no_ack) {
    const Result<std::string> agreed = query("QStartNoAckMode");
    if (!agreed) return agreed.error();
    if (*agreed == "OK") {
      packets_.stop_acknowledging();
      can_pipeline_ = true;
    }
  }
  // QEMU has no such mode, and waits for no acknowledgement.
  const Result<std::string> mode = query("qqemu.PhyMemMode");
  if (!mode) return mode.error();
  can_pipeline_ |= *mode == "0" || *mode == "1";
  return {};
}

Result<GdbStop> GdbClient::stop_reason() {
  if (is_running_) return Error{.what = "the guest runs"};
  packets_.add("?");
  for (size_t i = 0; i < kMostReplies; i++) {
    const Result<std::string> packet = packets_.receive();
    if (!packet) return packet.error();
    if (const std::optional<GdbStop> stop = parse_gdb_stop(*packet)) return *stop;
    if (!packet->starts_with('O')) return unexpected("?", *packet);
  }
  return unexpected("?", "");
}

Result<bool> GdbClient::set_physical(bool is_physical) {
  if (guardian_ != nullptr && is_physical) guardian_->set_physical(true);
  const Result<std::string> done = query(is_physical ? "Qqemu.PhyMemMode:1" : "Qqemu.PhyMemMode:0");
  if (!done) return done.error();
  const bool is_done = *done == "OK";
  if (guardian_ != nullptr && is_done != is_physical) guardian_->set_physical(false);
  return is_done;
}

GdbClient::Request GdbClient::request_at(const Piece& piece, size_t number, size_t offset) const {
  const auto to_boundary =
      largest_read_ - static_cast<size_t>((piece.address + offset) % largest_read_);
  return {
      .piece = number, .offset = offset, .size = std::min(piece.to.size() - offset, to_boundary)};
}

void GdbClient::add_read(const Request& request, std::span<const Piece> pieces) {
  packets_.add((has_binary_read_ ? "x" : "m") +
               gdb_hex(pieces[request.piece].address + request.offset) + "," +
               gdb_hex(request.size));
}

// The number of bytes that were read; 0: it has refused.
Result<size_t> GdbClient::store(const std::string& reply, const Request& request,
                                std::span<Piece> pieces) {
  if (is_refusal(reply)) return size_t{0};
  std::optional<std::string> bytes;
  if (!has_binary_read_)
    bytes = gdb_hex_bytes(reply);
  else if (reply.starts_with('b'))
    bytes = gdb_unescaped(std::string_view(reply).substr(1));
  if (!bytes || bytes->size() > request.size)
    return unexpected(has_binary_read_ ? "x" : "m", reply);
  std::copy(bytes->begin(), bytes->end(),
            pieces[request.piece].to.begin() + static_cast<ptrdiff_t>(request.offset));
  return bytes->size();
}

// From a piece's `count` on, one request after another.
Result<void> GdbClient::read_rest(size_t number, std::span<Piece> pieces) {
  Piece& piece = pieces[number];
  while (piece.count < piece.to.size()) {
    const Request request = request_at(piece, number, piece.count);
    add_read(request, pieces);
    const Result<std::string> text = reply();
    if (!text) return text.error();
    const Result<size_t> size = store(*text, request, pieces);
    if (!size) return size.error();
    if (*size == 0) break;
    piece.count += *size;
  }
  return {};
}

Result<void> GdbClient::read(std::span<Piece> pieces) {
  if (is_running_) return Error{.what = "the guest runs"};
  const size_t window = can_pipeline_ ? 64 : 1;
  std::deque<Request> open;
  std::vector<bool> is_short(pieces.size());
  size_t next = 0;
  size_t offset = 0;
  for (Piece& piece : pieces) {
    piece.count = 0;
    // None of a piece that ends after the last address.
    if (piece.address > UINT64_MAX - piece.to.size()) return Error{.what = "no such address"};
  }
  for (;;) {
    if (open.size() <= window / 2)
      while (open.size() < window && next < pieces.size()) {
        const Request request = request_at(pieces[next], next, offset);
        offset += request.size;
        if (request.size > 0) {
          add_read(request, pieces);
          open.push_back(request);
        }
        if (offset < pieces[next].to.size()) continue;
        next++;
        offset = 0;
      }
    if (open.empty()) break;
    const Request request = open.front();
    open.pop_front();
    const Result<std::string> text = reply();
    if (!text) return text.error();
    const Result<size_t> size = store(*text, request, pieces);
    if (!size) return size.error();
    if (is_short[request.piece]) continue;
    pieces[request.piece].count += *size;
    is_short[request.piece] = *size < request.size;
  }
  // A server may send fewer bytes than it could.
  for (size_t i = 0; i < pieces.size(); i++)
    if (is_short[i] && pieces[i].count > 0)
      if (const Result<void> done = read_rest(i, pieces); !done) return done;
  return {};
}

Result<size_t> GdbClient::read(uint64_t address, std::span<uint8_t> to) {
  Piece piece = {.address = address, .to = to};
  if (const Result<void> done = read(std::span(&piece, 1)); !done) return done.error();
  return piece.count;
}

Result<std::vector<std::string>> GdbClient::threads() {
  std::vector<std::string> threads;
  for (const char* request = "qfThreadInfo"; threads.size() <= kMostThreads;
       request = "qsThreadInfo") {
    const Result<std::string> list = query(request);
    if (!list) return list.error();
    if (*list == "l" || list->empty()) return threads;
    const size_t before = threads.size();
    if (!list->starts_with('m')) return unexpected(request, *list);
    bool is_right = true;
    for_each_part(std::string_view(*list).substr(1), ',', [&](std::string_view id) {
      constexpr size_t longest = 40;
      is_right &= id.size() <= longest && !id.empty() &&
                  id.find_first_not_of("0123456789abcdefABCDEFp.-") == id.npos;
      threads.emplace_back(id);
    });
    if (!is_right || threads.size() == before) return unexpected(request, *list);
  }
  return Error{.what = "the gdb server has too many threads"};
}

Result<void> GdbClient::select(const std::string& thread) {
  const Result<std::string> done = query("Hg" + thread);
  if (!done) return done.error();
  if (*done != "OK") return unexpected("Hg", *done);
  return {};
}

Result<Registers> GdbClient::registers(Architecture architecture) {
  const Result<std::string> all = query("g");
  if (!all) return all.error();
  constexpr size_t digits = 16;
  const size_t count = architecture == Architecture::X86_64 ? kX86Order.size() : Registers::kCount;
  if (all->size() < count * digits) return unexpected("g", *all);
  Registers registers;
  for (size_t i = 0; i < count; i++)
    if (const auto value = register_of(std::string_view(*all).substr(i * digits, digits)))
      registers.set(architecture == Architecture::X86_64 ? kX86Order[i] : i, *value);
  return registers;
}

Result<std::optional<uint64_t>> GdbClient::register_value(unsigned number) {
  const Result<std::string> digits = query("p" + gdb_hex(number));
  if (!digits) return digits.error();
  return register_of(*digits);
}

Result<std::optional<Architecture>> GdbClient::architecture() {
  std::optional<Architecture> none;
  if (!has_description_) return none;
  std::string text;
  for (;;) {
    const Result<std::string> part = query(
        "qXfer:features:read:target.xml:" + gdb_hex(text.size()) + "," + gdb_hex(largest_read_));
    if (!part) return part.error();
    if (is_refusal(*part) || part->empty()) return none;
    if (part->front() != 'm' && part->front() != 'l') return unexpected("qXfer", *part);
    text += gdb_unescaped(std::string_view(*part).substr(1));
    if (part->front() == 'l') break;
    if (part->size() == 1 || text.size() > kLargestText) return unexpected("qXfer", *part);
  }
  constexpr std::string_view begin = "<architecture>";
  const size_t at = text.find(begin);
  if (at == text.npos) return none;
  const std::string_view name = std::string_view(text).substr(at + begin.size());
  if (name.starts_with("i386:x86-64<")) return std::optional(Architecture::X86_64);
  if (name.starts_with("aarch64<")) return std::optional(Architecture::Aarch64);
  return none;
}

Result<std::optional<std::string>> GdbClient::monitor(std::string_view command) {
  std::string request = "qRcmd,";
  for (const char c : command) {
    constexpr char digits[] = "0123456789abcdef";
    request += digits[static_cast<uint8_t>(c) >> 4];
    request += digits[static_cast<uint8_t>(c) & 15];
  }
  Result<std::string> part = query(request);
  std::string output;
  for (size_t i = 0; i < kMostReplies; i++) {
    if (!part) return part.error();
    if (*part == "OK") return std::optional(std::move(output));
    if (part->empty() || is_refusal(*part)) return std::optional<std::string>();
    const bool is_last = !part->starts_with('O');
    const auto text = gdb_hex_bytes(std::string_view(*part).substr(is_last ? 0 : 1));
    if (!text || output.size() + text->size() > kLargestText) return unexpected("qRcmd", *part);
    output += *text;
    if (is_last) return std::optional(std::move(output));
    part = reply();
  }
  return unexpected("qRcmd", "");
}

Result<void> GdbClient::resume() {
  if (is_running_) return {};
  if (!has_continue_) {
    const Result<std::string> actions = query("vCont?");
    if (!actions) return actions.error();
    has_continue_ = actions->starts_with("vCont") && has_part(*actions, ';', "c");
  }
  if (guardian_ != nullptr) guardian_->set_running(true);
  is_running_ = true;
  return packets_.send(*has_continue_ ? "vCont;c" : "c");
}

Result<GdbStop> GdbClient::interrupt() {
  if (!is_running_) return stop_reason();
  if (const Result<void> sent = packets_.write_raw("\x03"); !sent) return sent.error();
  for (size_t i = 0; i < kMostReplies; i++) {
    const Result<std::string> packet = packets_.receive();
    if (!packet) return packet.error();
    if (const std::optional<GdbStop> stop = parse_gdb_stop(*packet)) {
      is_running_ = false;
      if (guardian_ != nullptr) guardian_->set_running(false);
      return *stop;
    }
    if (!packet->starts_with('O')) return unexpected("an interrupt", *packet);
  }
  return unexpected("an interrupt", "");
}

}  // namespace skein
