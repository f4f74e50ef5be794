#include "view/gtk/keyval.h"

#include <doctest/doctest.h>
#include <gdk/gdk.h>

#include "view/viewer/keys.h"

using namespace skein;
using namespace skein::desktop;

TEST_CASE("keys have their DOM names") {
  CHECK(key_name(GDK_KEY_Left) == "ArrowLeft");
  CHECK(key_name(GDK_KEY_KP_Page_Down) == "PageDown");
  CHECK(key_name(GDK_KEY_F3) == "F3");
  CHECK(key_name(GDK_KEY_plus) == "+");
  CHECK(key_name(GDK_KEY_KP_Add) == "+");
  CHECK(key_name(GDK_KEY_Return) == "Enter");
  CHECK(key_name(GDK_KEY_N) == "N");
  CHECK(key_name(GDK_KEY_adiaeresis) == "ä");
  CHECK(key_name(GDK_KEY_Shift_L).empty());
  CHECK(key_name(GDK_KEY_VoidSymbol).empty());
}

TEST_CASE("every key of the keyboard map can be typed") {
  for (const KeyBinding& binding : key_bindings()) {
    std::string keys(binding.keys);
    for (size_t begin = 0; begin < keys.size();) {
      const size_t end = std::min(keys.find(' ', begin), keys.size());
      std::string key = keys.substr(begin, end - begin);
      begin = end + 1;
      if (const size_t plus = key.rfind('+'); plus != std::string::npos && plus > 0)
        key = key.substr(plus + 1);
      bool found = false;
      for (unsigned keyval = 0x20; keyval < 0x10000 && !found; keyval++)
        found = key_name(keyval) == key;
      CHECK_MESSAGE(found, key);
    }
  }
}

TEST_CASE("modifiers") {
  const Modifiers modifiers =
      modifiers_of(Gdk::ModifierType::SHIFT_MASK | Gdk::ModifierType::CONTROL_MASK |
                   Gdk::ModifierType::BUTTON1_MASK);
  CHECK(modifiers.shift);
  CHECK(modifiers.control);
  CHECK(!modifiers.alt);
}
