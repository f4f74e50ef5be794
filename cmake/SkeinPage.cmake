# The parts of the viewer's page: the core as a WebAssembly module, a thin TypeScript shell, and the
# HTML file they go into. Included by SkeinWeb.cmake, which embeds them in the program `skein`.
#
# -Oz with link-time optimisation is 30 % smaller than -O2; binaryen's wasm-opt, if installed, saves
# another 6 %.
#
# SIMD, and -O3 for painting, make a redraw of a million events 2 ms faster at no cost (all browsers
# with DecompressionStream have SIMD). -O2 or -Os for everything adds 50 kB without making anything
# faster (bench/page). -O3 for bars and arrows, too, would add 5 kB; the limit for the page
# of net.ctf is 250 kB.
#
# -Oz inlines a function with a single caller whatever its size, and browsers optimise a whole
# function as soon as one of its loops is hot. For net.ctf they compile 230 kB of machine code on
# all processors, while the first picture waits for one of them. -finline-hint-functions restricts
# inlining to functions that are declared inline or defined in their class: 55 kB, with a module of
# the same size. wasm-opt must not inline larger functions either, and clang must not run it by
# itself. Hence -O0 for the link, which has no other effect.
#
# The sources are those of the native build, except the ones that need a disk. There are no threads
# and no exceptions: the page opens from file://, without shared memory. (Emscripten was rejected:
# Debian's lacks half of C++20, and its glue code is larger than skein's.)
file(GLOB_RECURSE wasm_sources CONFIGURE_DEPENDS
  base/*.cc trace/read/*.cc trace/model/*.cc trace/session/*.cc trace/ask/*.cc report/*.cc view/layout/*.cc view/draw/*.cc view/viewer/*.cc
  view/paint/geometry.cc view/paint/raster.cc view/web/page/*.cc
  view/web/document/pack.cc)
# Foreign formats are converted to skein's before they are put into the page (trace/export/ctf.h).
# The page parses no durations that users type, and libc++ 19 cannot parse floating-point numbers.
list(FILTER wasm_sources EXCLUDE REGEX
  "(_test|/unlzma|/disk_files|/whole_text|/base/duration|/notes_file|/replace_file|/read/foreign/.*)\\.cc$")

set(wasm_flags --target=wasm32-wasi -std=c++20 -Oz -finline-hint-functions -flto -DNDEBUG
  -fno-exceptions -fno-rtti
  -fvisibility=hidden -ffp-contract=off -stdlib=libc++ -mbulk-memory -mnontrapping-fptoint -msimd128
  -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/format/include)
# The hot code of a redraw with a million visible events.
set(wasm_hot view/draw/density.cc view/paint/raster.cc)
# SKEIN_UNITY compiles the other sources of a module together, as in the native build.
if(SKEIN_UNITY)
  set(modules)
  foreach(source IN LISTS wasm_sources)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    if(name MATCHES "^(trace|view)/([^/]+)/" AND NOT name IN_LIST wasm_hot
       AND NOT name STREQUAL "view/web/page/library.cc")  # its definitions conflict with a header
      set(module ${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
      list(APPEND modules ${module})
      list(REMOVE_ITEM wasm_sources ${source})
      string(APPEND unity_of_${module} "#include \"${name}\"\n")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES modules)
  foreach(module IN LISTS modules)
    file(CONFIGURE OUTPUT ${web}/unity/${module}.cc CONTENT "${unity_of_${module}}" @ONLY)
    list(APPEND wasm_sources ${web}/unity/${module}.cc)
  endforeach()
endif()
set(wasm_objects)
foreach(source IN LISTS wasm_sources)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  set(speed)
  if(name IN_LIST wasm_hot)
    set(speed -O3)
  endif()
  string(REPLACE "/" "_" name ${name})
  set(object ${web}/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${SKEIN_WASM_COMPILER} ${wasm_flags} ${speed}
            -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d
    COMMENT "Building wasm object ${name}" VERBATIM)
  list(APPEND wasm_objects ${object})
endforeach()
# A stack overflow traps, because the stack is at the start of the memory.
# wasm-opt runs until it saves nothing more. Addresses below 1024 contain only the end of the stack.
find_program(SKEIN_WASM_OPT wasm-opt)
set(wasm_smaller)
if(SKEIN_WASM_OPT)
  set(wasm_smaller COMMAND ${SKEIN_WASM_OPT} -Oz --converge --low-memory-unused
      --one-caller-inline-max-function-size 60 --enable-simd --enable-bulk-memory
      --enable-nontrapping-float-to-int ${web}/page.wasm -o ${web}/page.wasm)
endif()
add_custom_command(OUTPUT ${web}/page.wasm
  COMMAND ${SKEIN_WASM_COMPILER} ${wasm_flags} -O0 -mexec-model=reactor
          -Wl,--gc-sections,--strip-debug,--max-memory=4294967296,--stack-first,-z,stack-size=262144
          ${wasm_objects} -o ${web}/page.wasm
  ${wasm_smaller}
  DEPENDS ${wasm_objects}
  COMMENT "Linking page.wasm" VERBATIM)

# -Os is as fast as -O2 and a third of its size.
add_custom_command(OUTPUT ${web}/unlzma.wasm
  COMMAND ${SKEIN_WASM_COMPILER} --target=wasm32 -std=c++20 -Os -ffreestanding -fno-exceptions
          -mbulk-memory -nostdlib
          -Wl,--no-entry,--strip-all,--max-memory=4294967296,--stack-first,-z,stack-size=1024
          ${PROJECT_SOURCE_DIR}/view/web/page/unlzma.cc -o ${web}/unlzma.wasm
  DEPENDS ${PROJECT_SOURCE_DIR}/view/web/page/unlzma.cc
  COMMENT "Building unlzma.wasm" VERBATIM)

set(tsc_flags --strict --noUnusedLocals --noImplicitReturns --target es2020
  --lib es2020,dom,dom.iterable --module none --removeComments --newLine lf)
# Short names save a twelfth of the compressed shell. Debian's terser does not find its modules if
# node is not Debian's.
find_program(SKEIN_TERSER terser)
set(js_smaller)
if(SKEIN_TERSER)
  set(terser ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${SKEIN_TERSER})
  execute_process(COMMAND ${terser} --version RESULT_VARIABLE terser_fails OUTPUT_QUIET ERROR_QUIET)
  if(NOT terser_fails)
    set(js_smaller ${terser} --compress --mangle --ecma 2020)
  endif()
endif()
file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/view/web/page/*.ts)  # page.ts references them
foreach(script page unpack)
  set(mangle)
  if(js_smaller)
    set(mangle COMMAND ${js_smaller} -o ${web}/${script}.js -- ${web}/${script}.js)
  endif()
  add_custom_command(OUTPUT ${web}/${script}.js
    COMMAND ${SKEIN_TSC} ${tsc_flags} --outFile ${web}/${script}.js
            ${PROJECT_SOURCE_DIR}/view/web/page/${script}.ts
    COMMAND sed -i "s/^ *//" ${web}/${script}.js  # saves a twentieth of the shell
    ${mangle}
    DEPENDS ${scripts}
    COMMENT "Compiling ${script}.ts" VERBATIM)
endforeach()

# page.html is the template with the first script. view/web/document adds the compressed parts to a
# document: shell (with style and body), module, traces.
add_custom_command(OUTPUT ${web}/page.html
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/make-page page
          ${PROJECT_SOURCE_DIR}/view/web/page ${web}/unpack.js ${web}/page.html
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/make-page ${PROJECT_SOURCE_DIR}/view/web/page/page.html.in
          ${web}/unpack.js
  COMMENT "Making page.html" VERBATIM)
add_custom_command(OUTPUT ${web}/shell.js
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/make-page shell
          ${PROJECT_SOURCE_DIR}/view/web/page ${web}/page.js ${web}/shell.js
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/make-page ${PROJECT_SOURCE_DIR}/view/web/page/body.html
          ${PROJECT_SOURCE_DIR}/view/web/page/page.css ${web}/page.js
  COMMENT "Making shell.js" VERBATIM)

add_custom_target(page
  DEPENDS ${web}/page.html ${web}/shell.js ${web}/page.wasm ${web}/unlzma.wasm)
