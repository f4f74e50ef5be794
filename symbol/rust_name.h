// The names of Rust functions in the source's notation, from those of the linker.
//
//   rust_name("_RNvC6_123foo3bar")                               -> "123foo::bar"
//   rust_name("_ZN4core3fmt5write17h0123456789abcdefE")          -> "core::fmt::write"
//
// Both manglings of rustc: v0 (RFC 2603) and the older one, which looks like C++'s and ends with a
// hash. Hashes, disambiguators of crates and types of constants are left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skein {

// Nothing: it is not the name of a Rust function, or is longer than 16 KiB in either notation, or
// refers to itself more often than a compiler does. O(longest result).
std::optional<std::string> rust_name(std::string_view mangled);

}  // namespace skein
