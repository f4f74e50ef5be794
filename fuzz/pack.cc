// Packs a file for the web page and unpacks it: the result must be equal. Unpacks arbitrary input:
// the result must have the requested size.
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
