// Core files that are compressed, as those of systemd-coredump: unpacked to a temporary file that
// has no name, and whose pages of zeros take no space on the disk.
//
//   if (is_packed_core(file.bytes())) {
//     Result<UnpackedCore> core = unpack_core(file.bytes(), path, {.folder = temporary_folder()});
//     if (!core) return core.error();
//     read_core(std::move(core->contents), path, files);
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace skein {

// True if a core is in it, compressed by zstd or xz, and for any data of lz4, which skein does not
// unpack. Unpacks its first bytes.
bool is_packed_core(std::span<const uint8_t> file);

struct UnpackOptions {
  std::string folder = {};  // for the temporary file
  // The bytes of the packed file that were read, and how many it has. May be empty.
  std::function<void(uint64_t done, uint64_t in_all)> progress = {};
};

struct UnpackedCore {
  Contents contents = {};
  std::string warning = {};  // the packed file is cut short or damaged: only what precedes is there
};

// Memory: 128 MiB at most; disk: the core without its pages of zeros. Fails if that is more than is
// free in the folder, a part of which is left to others; if nothing can be unpacked; and if skein
// was built without the library. `path` is for errors.
Result<UnpackedCore> unpack_core(std::span<const uint8_t> file, const std::string& path,
                                 const UnpackOptions& options);

// $TMPDIR, else /var/tmp, which is on a disk, else /tmp.
std::string temporary_folder();

}  // namespace skein
