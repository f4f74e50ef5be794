// record_heap PID FILE ADDRESS...: writes what the readers of heaps read of a process, to judge
// these addresses, as an input of fuzz/heaps.cc. Leaves out what does not change the result.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "fuzz/heap_input.h"
#include "target/process.h"

using namespace skein;

namespace {

class Recording : public Target {
 public:
  explicit Recording(const Target& target) : target_(target) {}
  const std::string& name() const override { return target_.name(); }
  uint64_t pid() const override { return target_.pid(); }
  Architecture architecture() const override { return target_.architecture(); }
  const std::vector<Mapping>& mappings() const override { return target_.mappings(); }
  std::vector<TargetThread> threads() const override { return target_.threads(); }
  using Target::read;
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    const size_t count = target_.read(address, to);
    for (uint64_t at = (address + 7) / 8 * 8; at + 8 <= address + count; at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, to.data() + (at - address), sizeof word);
      if (word != 0) words[at] = word;
    }
    return count;
  }
  uint64_t first_data(uint64_t begin, uint64_t end) const override {
    return target_.first_data(begin, end);
  }
  Result<Contents> file_of(const Mapping& mapping) const override {
    return target_.file_of(mapping);
  }
  mutable std::map<uint64_t, uint64_t> words = {};

 private:
  const Target& target_;
};

std::vector<HeapBlock> judge(const HeapInput& input) { return input.blocks(input.target()); }

bool are_equal(const std::vector<HeapBlock>& a, const std::vector<HeapBlock>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const HeapBlock& x, const HeapBlock& y) {
                      return x.state == y.state && x.begin == y.begin && x.end == y.end;
                    });
}

// Removes as many elements as can be missing.
template <typename T>
void shrink(HeapInput& input, std::vector<T> HeapInput::*part,
            const std::vector<HeapBlock>& expected) {
  for (size_t step = (input.*part).size(); step != 0; step /= 2)
    for (size_t at = 0; at < (input.*part).size();) {
      HeapInput smaller = input;
      std::vector<T>& all = smaller.*part;
      const size_t end = std::min(all.size(), at + step);
      all.erase(all.begin() + static_cast<ptrdiff_t>(at),
                all.begin() + static_cast<ptrdiff_t>(end));
      if (are_equal(judge(smaller), expected))
        input = std::move(smaller);
      else
        at = end;
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto process = open_process(std::strtoull(argv[1], nullptr, 0));
  if (!process) return 1;
  const Recording target(**process);
  HeapInput input;
  for (int i = 3; i < argc; i++) input.addresses.push_back(std::strtoull(argv[i], nullptr, 0));
  const std::vector<HeapBlock> expected = input.blocks(target);
  for (const Mapping& mapping : target.mappings()) {
    if (!mapping.writable) continue;
    const auto word = target.words.lower_bound(mapping.begin);
    if (word == target.words.end() || word->first >= mapping.end) continue;
    input.mappings.push_back({mapping.begin, static_cast<uint32_t>(mapping.size() / 4096),
                              static_cast<uint8_t>(mapping.has_file() ? 1 : 0)});
  }
  for (const auto& [address, word] : target.words) {
    constexpr size_t most = 32;
    if (input.runs.empty() || input.runs.back().words.size() == most ||
        input.runs.back().address + input.runs.back().words.size() * 8 != address)
      input.runs.push_back({.address = address});
    input.runs.back().words.push_back(word);
  }
  if (!are_equal(judge(input), expected)) {
    std::fputs("record_heap: what was read is not enough\n", stderr);
    return 1;
  }
  shrink(input, &HeapInput::mappings, expected);
  shrink(input, &HeapInput::runs, expected);
  const std::vector<uint8_t> bytes = input.write();
  std::ofstream(argv[2], std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),  // NOLINT
             static_cast<std::streamsize>(bytes.size()));
  size_t used = 0;
  for (const HeapBlock& block : expected) used += block.is_used() ? 1 : 0;
  std::printf("%s: %zu bytes, %zu of %zu addresses in use\n", argv[2], bytes.size(), used,
              expected.size());
}
