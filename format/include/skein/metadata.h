// Writes the text of a trace's file `metadata`: CTF 1.8 TSDL, generated from the tables in
// skein/format.h, so that it cannot differ from the events that are written.
//
//   write_metadata(info, [&](const char* text, size_t size) { file.append(text, size); });
//
// Freestanding: no allocation, no libc, no static state, so a traced program can call it. The sink
// is called with pieces of any size, about 25 kB in total. format/metadata.tsdl is a sample.
// Rejected: a template text with placeholders, to which each new event must be added a second time.
#pragma once
#include <skein/events.h>
#include <skein/format.h>

namespace skein::format {

// The data of one trace in the text. Strings may contain any bytes; NULL is an empty string.
struct MetadataInfo {
  uint8_t uuid[16];
  const char* clock;   // source: "tsc" or "monotonic"
  uint64_t frequency;  // ticks per second: counts per second >> kTickShift
  int64_t offset_s;    // UTC of tick 0: seconds since 1970 ...
  uint64_t offset;     // ... and ticks
  uint64_t precision;  // ticks by which the offset may be wrong
  const char* hostname;
  const char* boot_id;  // joins traces whose clocks count from the same boot
  const char* procname;
  uint64_t pid;
  const char* mode;  // "ring" or "log"
};

namespace detail {

template <class Sink>
class MetadataWriter {
 public:
  explicit MetadataWriter(Sink& sink) : sink_(sink) {}

  MetadataWriter& text(const char* text) {
    size_t size = 0;
    while (text[size] != 0) size++;
    sink_(text, size);
    return *this;
  }

  MetadataWriter& number(uint64_t value) {
    char digits[20] = {};
    size_t at = sizeof digits;
    do digits[--at] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    sink_(digits + at, sizeof digits - at);
    return *this;
  }

  MetadataWriter& number(int64_t value) {
    if (value >= 0) return number(static_cast<uint64_t>(value));
    return text("-").number(0 - static_cast<uint64_t>(value));
  }

  MetadataWriter& uuid(const uint8_t (&bytes)[16]) {
    constexpr char kHex[] = "0123456789abcdef";
    text("\"");
    for (unsigned i = 0; i < 16; i++) {
      if (i == 4 || i == 6 || i == 8 || i == 10) text("-");
      const char pair[2] = {kHex[bytes[i] >> 4], kHex[bytes[i] & 15]};
      sink_(pair, 2);
    }
    return text("\"");
  }

  // Escapes each character that could end the string or the line.
  MetadataWriter& quoted(const char* from) {
    text("\"");
    for (; from != nullptr && *from != 0; from++) {
      const auto byte = static_cast<uint8_t>(*from);
      char pair[2] = {'\\', *from};
      if (byte < ' ' || byte == 127) pair[1] = '?';
      const bool escape = *from == '"' || *from == '\\';
      sink_(pair + !escape, 1u + escape);
    }
    return text("\"");
  }

  template <size_t count>
  MetadataWriter& enumeration(const NamedNumber (&names)[count]) {
    text(" { ");
    for (size_t i = 0; i < count; i++) {
      if (i != 0) text(", ");
      quoted(names[i].name).text(" = ").number(uint64_t{names[i].number});
    }
    return text(" }");
  }

  // One argument of an event. Readers remove the underscore; it allows names that are TSDL
  // keywords.
  void field(const EventClass& event, const char* name, unsigned width, bool is_signed) {
    const bool is_pause = same(event.name, "pause") && same(name, "pause_kind");
    const bool is_loss = same(event.name, "lost") && same(name, "reason");
    if (is_pause || is_loss) text("enum : ");
    text(is_signed ? "int" : "uint").number(uint64_t{width} * 8).text("_t");
    if (is_pause) enumeration(kPauses);
    if (is_loss) enumeration(kLosses);
    text(" _").text(name).text("; ");
  }

  void event(const EventClass& event, unsigned index) {
    const Widths width = widths(event.shape, index);
    begin_event(event.name, event.first + index);
    field(event, event.a, width.a, false);
    if (width.b != 0) field(event, event.b, width.b, event.shape == Shape::kSigned);
    text("}; };\n");
  }

  void begin_event(const char* name, unsigned id) {
    text("event { name = ").quoted(name).text("; id = ").number(uint64_t{id});
    text("; stream_id = 0; fields := struct { ");
  }

  void integer_types() {
    text(R"(typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := byte_t;
typealias integer { size = 8; align = 8; signed = true; } := int8_t;
typealias integer { size = 16; align = 8; signed = true; } := int16_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
)");
  }

  void trace_block(const MetadataInfo& info) {
    text(R"(
trace {
	major = 1;
	minor = 8;
	uuid = )")
        .uuid(info.uuid)
        .text(R"(;
	byte_order = le;
	packet.header := struct {
		uint32_t magic;
		uint8_t uuid[16];
		uint32_t stream_id;
		uint64_t stream_instance_id;
	};
};
)");
  }

  void env_block(const MetadataInfo& info) {
    text(R"(
env {
	tracer_name = "skein";
	tracer_major = )")
        .number(uint64_t{kVersion})
        .text(R"(;
	tracer_minor = 0;
	hostname = )")
        .quoted(info.hostname)
        .text(R"(;
	boot_id = )")
        .quoted(info.boot_id)
        .text(R"(;
	procname = )")
        .quoted(info.procname)
        .text(R"(;
	vpid = )")
        .number(info.pid)
        .text(R"(;
	mode = )")
        .quoted(info.mode)
        .text(R"(;
	clock_source = )")
        .quoted(info.clock)
        .text(R"(;
};
)");
  }

  void clock_block(const MetadataInfo& info) {
    text(R"(
clock {
	name = "ticks";
	description = "16 counts of clock_source";
	freq = )")
        .number(info.frequency)
        .text(R"(;
	precision = )")
        .number(info.precision)
        .text(R"(;
	offset_s = )")
        .number(info.offset_s)
        .text(R"(;
	offset = )")
        .number(info.offset)
        .text(R"(;
	absolute = TRUE;
};
typealias integer { size = 24; align = 8; signed = false; map = clock.ticks.value; } := ticks24_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.ticks.value; } := ticks64_t;

enum task_kind : uint8_t)")
        .enumeration(kKinds)
        .text(R"(;
)");
  }

  void stream_block() {
    text(R"(
stream {
	id = 0;
	packet.context := struct {
		uint64_t content_size;
		uint64_t packet_size;
		ticks64_t timestamp_begin;
		uint64_t packet_seq_num;
		uint64_t events_discarded;
		uint64_t lock;
		uint64_t current_task;
		uint64_t monotonic_ns;
		uint32_t vtid;
		uint32_t flags;
		uint32_t format_version;
		byte_t reserved[20];
	};
	event.header := struct {
		enum : uint8_t { compact = 0 ... 254, extended = 255 } id;
		variant <id> {
			struct { ticks24_t timestamp; } compact;
			struct { uint8_t id; ticks64_t timestamp; } extended;
		} v;
	} align(8);
};

)");
  }

  void events() {
    for (const EventClass& each : kEventClasses)
      for (unsigned i = 0; i < ids(each.shape); i++) event(each, i);
    for (const FixedEvent& each : kFixedEvents) {
      begin_event(each.name, each.id);
      text(each.fields).text(" }; };\n");
    }
  }

 private:
  static constexpr bool same(const char* a, const char* b) {
    while (*a != 0 && *a == *b) a++, b++;
    return *a == *b;
  }

  Sink& sink_;
};

}  // namespace detail

template <class Sink>
void write_metadata(const MetadataInfo& info, Sink&& sink) {
  detail::MetadataWriter<Sink> to(sink);
  to.text("/* CTF 1.8 */\n");
  to.integer_types();
  to.trace_block(info);
  to.env_block(info);
  to.clock_block(info);
  to.stream_block();
  to.events();
}

}  // namespace skein::format
