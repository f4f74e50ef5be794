#include "symbol/rust_name.h"

#include <doctest/doctest.h>

#include "symbol/functions.h"

namespace skein {

TEST_CASE("the older names of Rust") {
  CHECK(rust_name("_ZN3foo17h05af221e174051e9E") == "foo");
  CHECK(rust_name("_ZN5alloc9allocator6Layout9for_value17h02a996811f781011E") ==
        "alloc::allocator::Layout::for_value");
  CHECK(rust_name("_ZN38_$LT$core..option..Option$LT$T$GT$$GT$6unwrap17haf7cb8d5824ee659E") ==
        "<core::option::Option<T>>::unwrap");
  CHECK(rust_name("_ZN4core5slice89_$LT$impl$u20$core..iter..traits..IntoIterator$u20$for$u20$$RF$"
                  "$u27$a$u20$$u5b$T$u5d$$GT$9into_iter17h450e234d27262170E") ==
        "core::slice::<impl core::iter::traits::IntoIterator for &'a [T]>::into_iter");
  CHECK(rust_name("_ZN4main28_$u7b$$u7b$closure$u7d$$u7d$17h05af221e174051e9E.llvm.123") ==
        "main::{{closure}}");
  CHECK(rust_name("_ZN4main3run17h05af221e174051e9E.cold") == "main::run.cold");
  // An escape that is none stays.
  CHECK(rust_name("_ZN8$X$testa4main17h05af221e174051e9E") == "$X$testa::main");
  CHECK(rust_name("_ZN5a$u0a4main17h05af221e174051e9E") == "a$u0a::main");
}

TEST_CASE("C++ names are not taken for names of Rust") {
  for (const char* name :
       {"_ZN6Server4tickEv", "_ZN3foo3barE", "_ZN3foo16h5af221e174051e9E", "main", "_R", "_RX", "",
        "_ZN", "_ZN3foo17h05af221e174051e9", "_ZN3foo17hg5af221e174051e9E",
        "_ZN3foo99h05af221e174051e9E", "_ZN0E", "_ZN3foo17h05af221e174051e9E\n"})
    CHECK_MESSAGE(!rust_name(name), name);
  CHECK(demangled("_ZN6Server4tickEi") == "Server::tick(int)");
  CHECK(demangled("_ZN6Server4tick17h05af221e174051e9E") == "Server::tick");
}

// The examples of RFC 2603, and what rustc 1.8x writes; llvm-cxxfilt gives the same, but with the
// hashes of crates and with types behind numbers.
TEST_CASE("names of Rust, v0") {
  const std::pair<const char*, const char*> names[] = {
      {"_RNvC6_123foo3bar", "123foo::bar"},
      {"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
       "utf8_idents::საჭმელად_გემრიელი_სადილი"},
      {"_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"},
      {"_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9rpos"
       "itionNCNgNpB9_6memchr7memrchrs_0E0Bb_",
       "<core::slice::Iter<u8> as core::iter::iterator::Iterator>::rposition::<core::slice::memchr:"
       ":memrchr::{closure#1}>::{closure#0}"},
      {"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBi"
       "w2_3std",
       "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"},
      {"_RMC0INtC8arrayvec8ArrayVechKj7b_E", "<arrayvec::ArrayVec<u8, 123>>"},
      {"_RMCs4fqI2P2rA04_13const_genericINtB0_8UnsignedKhb_E", "<const_generic::Unsigned<11>>"},
      {"_RMCs4fqI2P2rA04_13const_genericINtB0_6SignedKan98_E", "<const_generic::Signed<-152>>"},
      {"_RMCs4fqI2P2rA04_13const_genericINtB0_4BoolKb1_E", "<const_generic::Bool<true>>"},
      {"_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKc76_E", "<const_generic::Char<'v'>>"},
      {"_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKca_E", "<const_generic::Char<'\\n'>>"},
      {"_RNvC4main3run.llvm.A5310EB9", "main::run"},
      {"_RNvC4main3run.cold", "main::run.cold"},
      {"_RNSNvC1a1b7vtable_0", nullptr},
      {"_RIC1aRL_hQL0_hE", nullptr},  // a lifetime of no binder
      {"_RINvC1a1bRhQSmPaOjAsj5_TlETlfEE",
       "a::b::<&u8, &mut [u32], *const i8, *mut usize, [i16; 5], (i32,), (i32, f32)>"},
      {"_RINvC1a1bFUKCRhEuFG_RL0_hEbFK8sys_callEzE",
       "a::b::<unsafe extern \"C\" fn(&u8), for<'a> fn(&'a u8) -> bool, extern \"sys-call\" fn() "
       "-> "
       "!>"},
      {"_RINvC1a1bKRe616263_E", "a::b::<\"abc\">"},
      {"_RINvC1a1bKVNtC1a1PS1xj1_1yj2_EE", "a::b::<{a::P { x: 1, y: 2 }}>"},
      {"_RINvC1a1bKTj1_b0_EKAj1_j2_EE", "a::b::<{(1, false)}, {[1, 2]}>"},
  };
  for (const auto& name : names) {
    const char* mangled = name.first;
    const char* expected = name.second;
    if (expected == nullptr)
      CHECK_MESSAGE(!rust_name(mangled), mangled);
    else
      CHECK(rust_name(mangled).value_or("none") == expected);
  }
}

TEST_CASE("hostile names of Rust end") {
  CHECK(!rust_name("_RB_"));                         // itself
  CHECK(!rust_name("_RNvB_1a"));                     // a part of itself
  CHECK(!rust_name("_RC99999999999999999999999a"));  // longer than the name
  CHECK(!rust_name("_RNvCszzzzzzzzzzzzzzzzzzz_1a1b"));
  CHECK(!rust_name("_RINvC1a1b" + std::string(10'000, 'R') + "hE"));
  CHECK(!rust_name(std::string("_R") + std::string(20'000, 'N')));
  // Each part has two references to the one before: 2^30 without a bound.
  const auto nested = [](int levels) {
    std::string name = "_RINvC1a1bTuuE";
    size_t before = 8;
    for (int i = 0; i < levels; i++) {
      constexpr std::string_view digits =
          "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
      const size_t here = name.size() - 2;
      const size_t value = before - 1;
      std::string reference = "B";
      if (value >= digits.size()) reference += digits[value / digits.size()];
      reference += digits[value % digits.size()];
      name += "T" + reference + "_" + reference + "_E";
      before = here;
    }
    return name + "E";
  };
  CHECK(rust_name(nested(1)) == "a::b::<((), ()), (((), ()), ((), ()))>");
  CHECK(rust_name(nested(9)));
  CHECK(!rust_name(nested(30)));
}

}  // namespace skein
