# The program `skein-view`: the desktop window, run by `skein view`.
#
# It is separate from `skein`, so that a server does not need GTK (and `skein ps` does not load 70
# libraries), a broken desktop does not affect the other commands, and the Debian package of `skein`
# does not depend on it. Without gtkmm-4.0 it is not built, and `skein view` reports that.
if(NOT TARGET skein_view_gtk)
  return()
endif()
add_executable(skein-view view/gtk/main.cc)
target_link_libraries(skein-view PRIVATE skein_view_gtk)
if(SKEIN_SANITIZED)  # GTK leaks, so no test with a sanitizer opens the window
  set_target_properties(skein-view PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
