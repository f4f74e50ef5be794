#include "record/core/names.h"

#include "record/core/callback.h"
#include "record/core/emission.h"
#include "record/core/signature.h"
#include "record/core/spin.h"

namespace skein::record {
namespace {

size_t length_of(const char* text) {
  size_t n = 0;
  while (text[n] != 0) ++n;
  return n;
}

// Compares strings up to kMaxText bytes: a longer one was truncated when it was stored.
bool same_text(const char* stored, const char* text, size_t size) {
  const bool cut = size == format::kMaxText;
  if (cut) size -= 8;
  for (size_t i = 0; i < size; ++i)
    if (stored[i] != text[i]) return false;
  return cut || stored[size] == 0;
}

// FNV-1a. Strings are short, and each is looked up once.
uint32_t hash_of(const char* text, size_t size) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < size; ++i) h = (h ^ static_cast<unsigned char>(text[i])) * 16777619u;
  return h;
}

// True if a definition may be looked up or written. Otherwise the event that needs it has no name:
// the loss is counted. Without a stream there is no trace, and nothing is lost.
bool may_define(const Names& names, const SpinLock& lock) {
  if (names.stream == nullptr) return false;
  if (lock) return true;
  count_lost(names.stream->table, format::kLoss_names_full);
  return false;
}

// Precondition: locked. Returns 0 if there is no room (counted).
uint32_t string_locked(Names& names, const char* text, size_t size) {
  if (text == nullptr) return 0;
  if (size == SIZE_MAX) size = length_of(text);
  if (size == 0) return 0;
  if (size > format::kMaxText) size = format::kMaxText;  // stored with a mark; compared without it
  const uint32_t hash = hash_of(text, size);
  uint32_t at = hash % Names::kStrings;
  while (names.strings[at].id != 0) {
    const NameEntry& entry = names.strings[at];
    if (entry.hash == hash && same_text(entry.text, text, size)) return entry.id;
    at = (at + 1) % Names::kStrings;
  }
  Emission e(names.stream);
  if (names.strings_used >= Names::kStrings / 2 || !e.begin(true)) {
    count_lost(names.stream->table, format::kLoss_names_full);
    return 0;
  }
  const uint32_t id = ++names.strings_used;
  e.header(format::k_string);
  e.u32(id);
  const char* stored = e.text(text, size);
  e.commit();
  names.strings[at] = {.hash = hash, .id = id, .text = stored};
  return id;
}

// Precondition: locked. Returns 0 if there is no room (counted).
uint32_t place_locked(Names& names, const PlaceName& place) {
  uint32_t hash = place.file * 31 + place.function;
  hash = (hash * 31 + place.line) * 31 + place.column;
  hash = ((hash * 31 + place.kind) * 31 + place.name) * 2654435761u;
  uint32_t at = hash % Names::kPlaces;
  for (;; at = (at + 1) % Names::kPlaces) {
    const PlaceName& known = names.places[at];
    if (known.id == 0) break;
    if (known.kind == place.kind && known.name == place.name && known.file == place.file &&
        known.function == place.function && known.line == place.line &&
        known.column == place.column)
      return known.id;
  }
  Emission e(names.stream);
  if (names.places_used >= Names::kPlaces / 2 || !e.begin(true)) {
    count_lost(names.stream->table, format::kLoss_names_full);
    return 0;
  }
  const uint32_t id = ++names.places_used;
  e.header(format::k_place);
  e.u32(id);
  e.u8(static_cast<uint8_t>(place.kind));
  e.u32(place.name);
  e.u32(place.file);
  e.u32(place.function);
  e.u32(place.line);
  e.u32(place.column);
  e.commit();
  names.places[at] = place;
  names.places[at].id = id;
  return id;
}

// The length of a name without its template arguments, which g++ adds to a coroutine's: they are in
// the signature too, and may exceed the limit of a string.
size_t plain_name_size(uint32_t kind, const char* name) {
  if (name == nullptr || (kind != format::kKind_coroutine && kind != format::kKind_generator))
    return SIZE_MAX;
  size_t arguments = 0;
  while (name[arguments] != 0 && name[arguments] != '<') ++arguments;
  size_t size = arguments;
  while (name[size] != 0) ++size;
  return arguments != 0 && arguments != size && name[size - 1] == '>' ? arguments : size;
}

// The id of a function's signature. Precondition: locked.
uint32_t function_locked(Names& names, const char* signature) {
  if (signature == nullptr) return 0;
  const size_t size = length_of(signature);
  if (size < format::kMaxText) return string_locked(names, signature, size);
  char text[format::kMaxText];
  return string_locked(names, text, copy_without_template_arguments(signature, text, sizeof text));
}

// Sets the file, function, line and column of a place. Precondition: locked.
void set_source(Names& names, const skein_source& where, PlaceName& place) {
  const bool is_callback = where.column == SKEIN_COLUMN_CALLBACK && where.function != nullptr;
  const Callback callback = is_callback ? callback_of(where.function) : Callback{};
  if (callback.function_size != 0 || callback.file_size != 0) {
    place.file = string_locked(names, callback.file, callback.file_size);
    place.function = string_locked(names, callback.function, callback.function_size);
    place.line = callback.line;
    return;
  }
  place.file = string_locked(names, where.file, SIZE_MAX);
  place.line = where.line;
  if (is_callback) return;
  place.function = function_locked(names, where.function);
  place.column = where.column;
}

uint32_t add_place(Names& names, uint32_t kind, const char* name, const skein_source& where) {
  SpinLock lock(names.lock);
  if (!may_define(names, lock)) return 0;
  PlaceName place = {.id = 0,
                     .kind = kind,
                     .name = string_locked(names, name, plain_name_size(kind, name)),
                     .file = 0,
                     .function = 0,
                     .line = 0,
                     .column = 0};
  set_source(names, where, place);
  const uint32_t id = place_locked(names, place);
  if (id == 0 || names.entries_used >= Names::kEntries) return id;
  // Publishes the complete entry. An entry that is replaced in the cache stays valid for concurrent
  // readers.
  PlaceEntry& entry = names.entries[names.entries_used++];
  entry = {.file = where.file,
           .function = where.function,
           .name = name,
           .line_column = detail::line_column(where),
           .kind = kind,
           .epoch = names.epoch,
           .id = id,
           .reserved = 0};
  __atomic_store_n(&names.cache[detail::cache_slot(where, name, kind)], &entry, __ATOMIC_RELEASE);
  return id;
}

}  // namespace

uint32_t string_of(Names& names, const char* text, size_t size) {
  if (text == nullptr || size == 0) return 0;
  SpinLock lock(names.lock);
  if (!may_define(names, lock)) return 0;
  return string_locked(names, text, size);
}

uint32_t detail::place_slow(Names& names, uint32_t kind, const char* name,
                            const skein_source& where) {
  uint32_t id = 0;
  protect([&] { id = add_place(names, kind, name, where); });
  return id;
}

void define_thread(Names& names, uint64_t tid, const char* name, size_t size) {
  SpinLock lock(names.lock);
  if (!may_define(names, lock)) return;
  Emission e(names.stream);
  if (!e.begin(true)) return count_lost(names.stream->table, format::kLoss_names_full);
  e.header(format::k_thread_name);
  e.u64(tid);
  e.text(name, size);
  e.commit();
}

void define_module(Names& names, uint64_t base, uint64_t size, const char* build_id,
                   const char* path) {
  SpinLock lock(names.lock);
  if (!may_define(names, lock)) return;
  Emission e(names.stream);
  if (!e.begin(true)) return count_lost(names.stream->table, format::kLoss_names_full);
  e.header(format::k_module);
  e.u64(base);
  e.u64(size);
  e.text(build_id, 64);
  e.text(path, length_of(path));
  e.commit();
}

void define_clock_pair(Names& names, uint64_t ticks, uint64_t monotonic_ns, uint64_t realtime_ns,
                       uint64_t bracket_ns) {
  SpinLock lock(names.lock);
  if (!may_define(names, lock)) return;
  Emission e(names.stream);
  if (!e.begin(true)) return count_lost(names.stream->table, format::kLoss_names_full);
  e.header(format::k_clock_pair);
  e.u64(ticks);
  e.u64(monotonic_ns);
  e.u64(realtime_ns);
  e.u64(bracket_ns);
  e.commit();
}

}  // namespace skein::record
