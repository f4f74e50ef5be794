// Where the lambdas of a program are written, from its debug information. g++ has no line in the
// text of a lambda's type, which is all that the recorder sees of a callback:
//
//   "Server::tick()::<lambda(Error)>"  ->  src/server.cc:93
//
//   const auto lambdas = Lambdas::read("/usr/bin/server", build_id);
//   if (lambdas) show(lambdas->find(function));
//
// A lambda is known by the functions and lambdas around it and by its number of parameters, because
// their types are written differently: the text has the aliases of the source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace skein {

class Lambdas {
 public:
  struct Place {
    std::string file = {};  // as the compiler names it, with its folder
    uint32_t line = 0;
    uint32_t column = 0;
    bool operator==(const Place&) const = default;
  };

  // Reads the ELF file at `path`, or the file with its debug information (debug_file.h). Fails if
  // the file is missing, has another build id (hexadecimal), or no debug information, or more than
  // 256 MiB of it. O(debug information): 0.2 s for 10 MB.
  static Result<Lambdas> read(const std::string& path, std::string_view build_id);

  // Null: there is none, or there are several.
  const Place* find(std::string_view function) const;
  size_t size() const { return places_.size(); }

  // Of a lambda's name as g++ writes it in the text of a type: "Server|tick|1" of
  // "Server::tick()::<lambda(Error)>". Empty: there is no lambda in it.
  static std::string key_of(std::string_view name);

 private:
  std::map<std::string, Place, std::less<>> places_;  // line 0: several
};

}  // namespace skein
