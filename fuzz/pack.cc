// Packs a file for the page and unpacks it: nothing may be lost. Unpacks anything: it gives a file
// of the size that was asked for.
#include "view/web/document/pack.h"

#include <cstdlib>

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<uint8_t> file(data, data + size);
  const auto packed = web::pack(file);
  if (!packed.empty() && web::unpack(packed, size) != file) std::abort();
  const size_t wanted = size == 0 ? 0 : data[0] * 64u;
  if (web::unpack(file, wanted).size() != wanted) std::abort();
  return 0;
}
