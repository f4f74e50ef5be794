# The program `skein-view`: the desktop's window, run by `skein view`.
#
# A program of its own and not a part of `skein`: a server gets along without GTK (and `skein ps`
# without loading 70 libraries), a broken desktop breaks nothing else, and the Debian package of
# `skein` depends on none of it. Without gtkmm-4.0 it is not built, and `skein view` says so.
if(NOT TARGET skein_view_gtk)
  return()
endif()
add_executable(skein-view view/gtk/main.cc)
target_link_libraries(skein-view PRIVATE skein_view_gtk)
if(SKEIN_SANITIZED)  # the toolkit leaks, so no test with a sanitizer opens the window
  set_target_properties(skein-view PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
