// Decompresses the module of the page: LZMA1 without a header, with 3 literal context bits and no
// position bits (tools/embed). A module of its own, of 1 kB, which runs before the other one is
// unpacked. Browsers have no decompression that is as good: gzip makes the module 15 % larger.
//
//    | size of the module, u32 | LZMA stream |
//
// The names are those of the LZMA specification. Input is trusted: it is a part of the page.
#include <stddef.h>
#include <stdint.h>

namespace {

// Probabilities; a tree of bits begins one before its first node. By state: 12 each.
enum : uint32_t {
  IsMatch = 0,
  IsRep = 12,
  IsRepG0 = 24,
  IsRepG1 = 36,
  IsRepG2 = 48,
  IsRep0Long = 60,
  PosSlot = 72,
  PosSpecial = PosSlot + 4 * 64,
  Align = PosSpecial + 128,
  Length = Align + 16,
  RepLength = Length + 280,
  Literal = RepLength + 280,
  All = Literal + (0x300 << 3),
};
uint16_t probabilities[All];
const uint8_t* from;
uint32_t range;
uint32_t code;

void normalize() {
  if (range >= 1U << 24) return;
  range <<= 8;
  code = code << 8 | *from++;
}

uint32_t bit(uint32_t which) {
  const uint32_t probability = probabilities[which];
  const uint32_t bound = (range >> 11) * probability;
  const bool one = code >= bound;
  if (one) {
    range -= bound;
    code -= bound;
    probabilities[which] = static_cast<uint16_t>(probability - (probability >> 5));
  } else {
    range = bound;
    probabilities[which] = static_cast<uint16_t>(probability + ((2048 - probability) >> 5));
  }
  normalize();
  return one;
}

// With a leading 1: from `end` on.
uint32_t tree(uint32_t begin, uint32_t end) {
  uint32_t number = 1;
  while (number < end) number = number * 2 + bit(begin + number);
  return number;
}

uint32_t reversed(uint32_t begin, uint32_t bits) {
  uint32_t number = 0, node = 1;
  for (uint32_t i = 0; i < bits; i++) {
    const uint32_t one = bit(begin + node);
    node = node * 2 + one;
    number |= one << i;
  }
  return number;
}

uint32_t length(uint32_t begin) {
  if (!bit(begin)) return 2 + tree(begin + 8, 8) - 8;
  if (!bit(begin + 1)) return 10 + tree(begin + 16, 8) - 8;
  return 18 + tree(begin + 24, 256) - 256;
}

uint32_t distance(uint32_t length) {
  const uint32_t slot = tree(PosSlot + 64 * (length < 5 ? length - 2 : 3), 64) - 64;
  if (slot < 4) return slot;
  uint32_t bits = (slot >> 1) - 1;
  uint32_t result = (2 | (slot & 1)) << bits;
  if (slot < 14) return result + reversed(PosSpecial + result - slot, bits);
  while (bits-- > 4) {
    range >>= 1;
    if (code >= range) {
      code -= range;
      result += 1U << bits;
    }
    normalize();
  }
  return result + reversed(Align, 4);
}

// `rep0` bytes before `out` is the last match.
uint8_t literal(uint8_t before, uint32_t state, const uint8_t* out, uint32_t rep0) {
  const uint32_t begin = Literal + 0x300 * (before >> 5U);
  uint32_t number = 1;
  if (state >= 7) {
    for (uint32_t expected = out[-1 - static_cast<ptrdiff_t>(rep0)]; number < 256; expected <<= 1) {
      const uint32_t wanted = expected >> 7 & 1;
      const uint32_t one = bit(begin + ((1 + wanted) << 8) + number);
      number = number * 2 + one;
      if (one != wanted) break;
    }
  }
  while (number < 256) number = number * 2 + bit(begin + number);
  return static_cast<uint8_t>(number);
}

}  // namespace

// Writes `size` bytes to `out`. Runs once.
extern "C" __attribute__((export_name("unlzma"))) void unlzma(const uint8_t* packed, uint8_t* out,
                                                              size_t size) {
  for (uint16_t& each : probabilities) each = 1024;
  range = UINT32_MAX;
  from = packed + 1;
  for (int i = 0; i < 4; i++) code = code << 8 | *from++;
  const uint8_t* const end = out + size;
  uint32_t state = 0, rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0;
  uint8_t before = 0;
  while (out != end) {
    uint32_t count = 1;
    if (!bit(IsMatch + state)) {
      before = literal(before, state, out, rep0);
      *out++ = before;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    if (!bit(IsRep + state)) {
      rep3 = rep2, rep2 = rep1, rep1 = rep0;
      count = length(Length);
      rep0 = distance(count);
      state = state < 7 ? 7 : 10;
    } else {
      bool is_short = false;
      if (!bit(IsRepG0 + state)) {
        is_short = !bit(IsRep0Long + state);
      } else {
        uint32_t next = rep1;
        if (bit(IsRepG1 + state)) {
          next = rep2;
          if (bit(IsRepG2 + state)) {
            next = rep3;
            rep3 = rep2;
          }
          rep2 = rep1;
        }
        rep1 = rep0;
        rep0 = next;
      }
      if (!is_short) count = length(RepLength);
      state = state >= 7 ? 11 : is_short ? 9 : 8;
    }
    for (; count > 0; count--, out++) *out = out[-1 - static_cast<ptrdiff_t>(rep0)];
    before = out[-1];
  }
}
