# Pictures with texts, as PNG and PDF: cairo and pango. Without them SKEIN_HAS_CAIRO is off, and
# `skein render` writes SVG and says that this build has no more.
find_package(PkgConfig QUIET)
set(SKEIN_HAS_CAIRO OFF)
if(PkgConfig_FOUND)
  pkg_check_modules(SKEIN_CAIRO QUIET IMPORTED_TARGET cairo cairo-pdf pangocairo)
  if(SKEIN_CAIRO_FOUND)
    set(SKEIN_HAS_CAIRO ON)
  endif()
endif()
if(NOT SKEIN_HAS_CAIRO)
  message(STATUS "skein render: without PNG and PDF (libcairo2-dev and libpango1.0-dev are needed)")
endif()
