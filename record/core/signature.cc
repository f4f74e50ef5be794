#include "record/core/signature.h"

namespace skein::record {
namespace {

bool follows(const char* begin, const char* at, const char* word, size_t size) {
  if (static_cast<size_t>(at - begin) < size) return false;
  for (size_t i = 0; i < size; ++i)
    if (at[static_cast<ptrdiff_t>(i) - static_cast<ptrdiff_t>(size)] != word[i]) return false;
  return true;
}

// True if the character is part of an operator's name: "operator<", "operator<<", "operator->".
bool in_operator(const char* begin, const char* at) {
  while (at != begin && (at[-1] == '<' || at[-1] == '>' || at[-1] == '-')) --at;
  return follows(begin, at, "operator", sizeof "operator" - 1);
}

bool starts_with(const char* text, const char* prefix) {
  for (; *prefix != 0; ++prefix, ++text)
    if (*text != *prefix) return false;
  return true;
}

}  // namespace

size_t copy_without_template_arguments(const char* text, char* to, size_t room) {
  size_t size = 0;
  size_t skipped = 0;  // open brackets that are left out
  for (const char* at = text; *at != 0 && size < room; ++at) {
    const bool arrow = *at == '>' && at != text && at[-1] == '-';
    if (skipped != 0) {
      if (*at == '<') ++skipped;
      if (*at == '>' && !arrow) --skipped;
    } else if (*at == '<' && !starts_with(at, "<lambda") && !in_operator(text, at)) {
      ++skipped;
    } else {
      to[size++] = *at;
    }
  }
  return size;
}

}  // namespace skein::record
