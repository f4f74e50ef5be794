#include "view/gtk/keyval.h"

#include <gdk/gdk.h>
#include <glib.h>

namespace skein::desktop {

std::string key_name(unsigned keyval) {
  if (keyval >= GDK_KEY_F1 && keyval <= GDK_KEY_F12)
    return "F" + std::to_string(keyval - GDK_KEY_F1 + 1);
  switch (keyval) {
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      return "ArrowLeft";
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      return "ArrowRight";
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up:
      return "ArrowUp";
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down:
      return "ArrowDown";
    case GDK_KEY_Page_Up:
    case GDK_KEY_KP_Page_Up:
      return "PageUp";
    case GDK_KEY_Page_Down:
    case GDK_KEY_KP_Page_Down:
      return "PageDown";
    case GDK_KEY_Home:
    case GDK_KEY_KP_Home:
      return "Home";
    case GDK_KEY_End:
    case GDK_KEY_KP_End:
      return "End";
    case GDK_KEY_BackSpace:
      return "Backspace";
    case GDK_KEY_Escape:
      return "Escape";
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
      return "Enter";
    default:
      break;
  }
  const gunichar character = gdk_keyval_to_unicode(keyval);
  if (character == 0 || !g_unichar_isprint(character)) return {};
  char text[6];
  return {text, static_cast<size_t>(g_unichar_to_utf8(character, text))};
}

Modifiers modifiers_of(Gdk::ModifierType state) {
  const auto has = [&](Gdk::ModifierType one) { return (state & one) == one; };
  return {.shift = has(Gdk::ModifierType::SHIFT_MASK),
          .control = has(Gdk::ModifierType::CONTROL_MASK),
          .alt = has(Gdk::ModifierType::ALT_MASK)};
}

}  // namespace skein::desktop
