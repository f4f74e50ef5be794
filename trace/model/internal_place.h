// Places in the implementation of a library's composed operations (async_read, async_write, TLS,
// HTTP): each of their parts is an operation that the library starts there, for one that the
// program waits for.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "trace/read/trace.h"

namespace skein {

// `file` as compilers name it, with its folder.
inline bool is_internal_place(std::string_view file) {
  constexpr std::string_view folders[] = {"/asio/impl/", "/asio/ssl/", "/asio/detail/",
                                          "/boost/beast/"};
  return std::any_of(std::begin(folders), std::end(folders), [&](std::string_view folder) {
    return file.find(folder) != std::string_view::npos;
  });
}

}  // namespace skein
