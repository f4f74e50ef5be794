// The user's part of call chains, from the registers and stacks that samples have copies of.
//
//   SampleUnwinder unwinder(images, files);
//   if (unwinder.can_unwind(sample)) chain = unwinder.unwind(sample);
//   print(unwinder.counts().text("use --stack-size 65528"));
//
// Processes with the same image share an unwinder. Not thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "profile/perf/image_files.h"
#include "profile/perf/process_images.h"
#include "profile/unwind/unwinder.h"

namespace skein {

class SampleUnwinder {
 public:
  // Both must outlive this object.
  SampleUnwinder(const ProcessImages& images, ImageFiles& files) : images_(images), files_(files) {}

  static bool can_unwind(const PerfRecord& sample);

  // As PerfRecord::chain: contexts and addresses. The kernel's part is that of the sample; a frame
  // that a signal interrupted follows a context of its own, as it is not behind a call. Valid until
  // the next call.
  std::span<const uint64_t> unwind(const PerfRecord& sample);

  // The user's part of the last one, of a sample that can be unwound: the same addresses, and what its
  // functions had in registers. Valid until the next call.
  const UnwoundStack& last_stack() const { return last_; }
  // Precondition: `sample` is the last one.
  std::optional<Unwinder::Frame> frame(const PerfRecord& sample, size_t number) const;

  // How the last stack ended.
  StackEnd last_end() const { return last_end_; }
  UnwindCounts counts() const;

 private:
  struct OfImage {
    std::weak_ptr<const ProcessImage> image = {};
    uint64_t changes = 0;
    Unwinder unwinder = Unwinder({});
  };
  Unwinder& unwinder_of(const std::shared_ptr<const ProcessImage>& image);
  std::vector<UnwindModule> modules_of(const ProcessImage& image);

  const ProcessImages& images_;
  ImageFiles& files_;
  std::list<OfImage> unwinders_ = {};  // the last one used is the first
  UnwindCounts dropped_ = {};          // of those that were removed
  std::vector<uint64_t> chain_ = {};
  StackEnd last_end_ = StackEnd::Complete;
  UnwoundStack last_ = {};
  const Unwinder* last_unwinder_ = nullptr;
};

}  // namespace skein
