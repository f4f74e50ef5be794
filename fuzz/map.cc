// Names of addresses (nm, objdump, System.map), and folded stacks that have addresses: the text up to
// the first empty line is the map.
#include <cstdlib>
#include <string_view>

#include "profile/flame/address_map.h"
#include "symbol/functions.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto require = [](bool condition) {
    if (!condition) std::abort();
  };
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t split = std::min(text.find("\n\n"), text.size());
  AddressMap map;
  const size_t functions = map.add(text.substr(0, split), demangled);
  map.finish();
  require(functions == 0 || !map.empty());
  for (const uint64_t address : {uint64_t{0}, uint64_t{0x401136}, UINT64_MAX}) (void)map.find(address);
  const std::string_view folded = text.substr(std::min(split + 2, text.size()));
  const NamedAddresses named = with_names(folded, map);
  require(named.unknown == 0 || !named.first_unknown.empty());
  if (named.named == 0) {
    std::string same(folded);
    if (!same.empty() && same.back() != '\n') same += '\n';
    require(named.folded == same);
  }
  return 0;
}
