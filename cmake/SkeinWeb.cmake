# Embeds the viewer's page in the program `skein`. view/web/document assembles it.
#
# Needs clang-19 with wasi-libc and libc++ for wasm32, and tsc. Without them SKEIN_HAS_WEB is off,
# and `skein html` and `skein serve` report an error.
#
# SKEIN_PAGE_FROM is a folder with the parts of a page from another build. The presets of the
# sanitizers and of clang 14 set it: their program embeds the page of preset dev, or none if that is
# not built. (The module takes 100 CPU seconds and is the same in all of them.)
find_package(ZLIB REQUIRED)
target_link_libraries(skein_view_web PRIVATE ZLIB::ZLIB)
if(TARGET view_web_test)
  target_compile_definitions(view_web_test PRIVATE SKEIN_SOURCE="${PROJECT_SOURCE_DIR}")
endif()
find_program(SKEIN_WASM_COMPILER clang++-19)
find_program(SKEIN_TSC tsc)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(SKEIN_HAS_WEB OFF)
set(page ${PROJECT_BINARY_DIR}/web)
if(SKEIN_PAGE_FROM)
  set(page ${SKEIN_PAGE_FROM})
  if(EXISTS ${page}/page.html AND EXISTS ${page}/shell.js AND EXISTS ${page}/page.wasm
     AND EXISTS ${page}/unlzma.wasm)
    set(SKEIN_HAS_WEB ON)
  endif()
elseif(SKEIN_WASM_COMPILER AND SKEIN_TSC AND EXISTS /usr/include/wasm32-wasi
       AND EXISTS /usr/lib/llvm-19/include/wasm32-wasi/c++/v1)
  set(SKEIN_HAS_WEB ON)
endif()
if(NOT SKEIN_HAS_WEB)
  if(SKEIN_PAGE_FROM)
    message(STATUS "skein html, skein serve: not built (no page in ${page})")
  else()
    message(STATUS "skein html, skein serve: not built (clang++-19 for wasm32-wasi and tsc are needed)")
  endif()
  return()
endif()

set(web ${PROJECT_BINARY_DIR}/web)
file(MAKE_DIRECTORY ${web})
if(NOT SKEIN_PAGE_FROM)
  include(cmake/SkeinPage.cmake)
endif()

add_custom_command(OUTPUT ${web}/page_html.cc
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/embed
          ${page}/page.html skein::web::page_html ${web}/page_html.cc
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed ${page}/page.html
  COMMENT "Embedding page.html" VERBATIM)
target_sources(skein_view_web PRIVATE ${web}/page_html.cc)
foreach(part shell.js page.wasm unlzma.wasm)
  set(name unlzma_wasm)
  set(packing)
  if(part STREQUAL "shell.js")
    set(name page_js)
    set(packing --gzip)
  elseif(part STREQUAL "page.wasm")
    set(name page_wasm)
    set(packing --lzma)
  endif()
  add_custom_command(OUTPUT ${web}/${name}.cc
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/embed ${packing}
            ${page}/${part} skein::web::${name} ${web}/${name}.cc
    DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed ${page}/${part}
    COMMENT "Embedding ${part}" VERBATIM)
  target_sources(skein_view_web PRIVATE ${web}/${name}.cc)
endforeach()
target_compile_definitions(skein_view_web PRIVATE SKEIN_HAS_WEB)
