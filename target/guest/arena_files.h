// An arena as the directory of a trace: readers and copies of traces need no other code.
//
//   ArenaFiles files(memory, found, "web");
//   files.list("");          // .tasks, metadata, names-0, s00000-0 ..
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "target/guest/guest_memory.h"

namespace skein {

// Reads from the memory whenever a file is read: the guest may write to it at the same time. All
// paths are names of files, or names below the empty path: "metadata", "/metadata".
class ArenaFiles : public Files {
 public:
  // `memory` outlives the object. `guest`: the name of the machine.
  ArenaFiles(const GuestMemory& memory, FoundArena found, std::string guest);

  FileType type(const std::string& path) override;
  Result<Contents> open(const std::string& path, Access access = Access::Map) override;
  Result<std::vector<uint8_t>> head(const std::string& path, size_t count) override;
  // With regions that the guest has added.
  Result<std::vector<std::string>> list(const std::string& path) override;

  const Arena& arena() const { return found_.arena; }

 private:
  const ArenaFile* find(const std::string& path) const;

  const GuestMemory& memory_;
  FoundArena found_;
  std::string guest_;
  std::string metadata_;
};

}  // namespace skein
