#include "target/known_threads.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {

class Counting : public Target {
 public:
  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return 7; }
  Architecture architecture() const override { return Architecture::X86_64; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override { return {{.id = ++readings_}}; }
  using Target::read;
  size_t read(uint64_t, std::span<uint8_t> to) const override { return to.size(); }
  Result<Contents> file_of(const Mapping&) const override { return Error{.what = "none"}; }

 private:
  std::string name_ = "program";
  std::vector<Mapping> mappings_ = {};
  mutable uint64_t readings_ = 0;
};

}  // namespace

TEST_CASE("threads are read once, until they are forgotten") {
  const Counting target;
  KnownThreads known(target);
  CHECK(known.threads().front().id == 1);
  CHECK(known.threads().front().id == 1);
  known.forget();
  CHECK(known.threads().front().id == 2);
  CHECK(target.threads().front().id == 3);
  uint8_t bytes[3];
  CHECK(known.read(0, bytes) == 3);
  CHECK(known.name() == "program");
  CHECK(known.file_of({}).error().what == "none");
}
