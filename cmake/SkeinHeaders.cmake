# A header that comes first in each C++ source of a target, with precompiled headers that still work.
#
# g++ uses a precompiled header only if no other file comes first, and ignores it silently otherwise.
# In a target with precompiled headers, ours is therefore the first of these. Sources that skip them,
# and all sources of a target without them, get -include.
#
#   skein_add_header(<target> <condition> <header>)   for one target
#   skein_precompile_headers()   for all targets that link skein::asio; called at the end of the project

# A generator expression: true for a target without precompiled headers.
string(CONCAT SKEIN_PLAIN
  "$<OR:$<BOOL:$<TARGET_PROPERTY:DISABLE_PRECOMPILE_HEADERS>>,"
  "$<NOT:$<BOOL:$<TARGET_PROPERTY:PRECOMPILE_HEADERS>$<TARGET_PROPERTY:PRECOMPILE_HEADERS_REUSE_FROM>>>>")

# Sets `result` to all targets of a directory and its subdirectories.
function(skein_targets_of directory result)
  get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(subdirectory IN LISTS below)
    skein_targets_of("${subdirectory}" more)
    list(APPEND targets ${more})
  endforeach()
  set(${result} "${targets}" PARENT_SCOPE)
endfunction()

# If the target has precompiled headers, puts a header in front of them and of each source that
# skips them, where the generator expression `condition` is 1.
function(skein_precompile_header target condition header)
  get_target_property(headers ${target} PRECOMPILE_HEADERS)
  get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
  if(headers)
    set_property(TARGET ${target} PROPERTY PRECOMPILE_HEADERS
      "$<$<AND:$<COMPILE_LANGUAGE:CXX>,${condition}>:<${header}$<ANGLE-R>>" ${headers})
  elseif(NOT reused)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_property(skips SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY SKIP_PRECOMPILE_HEADERS)
    if(skips)
      get_property(own SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY COMPILE_OPTIONS)
      set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY COMPILE_OPTIONS
        "$<$<AND:$<COMPILE_LANGUAGE:CXX>,${condition}>:-include;${header}>" ${own})
    endif()
  endforeach()
endfunction()

# If the target gives precompiled headers to its users, which then do not know that they have some,
# puts a header in front of them, for users for which `condition` is 1.
function(skein_precompile_interface target condition header)
  get_target_property(headers ${target} INTERFACE_PRECOMPILE_HEADERS)
  if(headers)
    set_property(TARGET ${target} PROPERTY INTERFACE_PRECOMPILE_HEADERS
      "$<BUILD_INTERFACE:$<$<AND:$<COMPILE_LANGUAGE:CXX>,${condition}>:<${header}$<ANGLE-R>>>" ${headers})
  endif()
endfunction()

# For the sources for which the generator expression `condition` is 1.
function(skein_add_header target condition header)
  skein_precompile_header(${target} 1 ${header})
  get_target_property(own ${target} COMPILE_OPTIONS)
  if(NOT own)
    set(own)
  endif()
  set_property(TARGET ${target} PROPERTY COMPILE_OPTIONS
    "$<$<AND:${condition},${SKEIN_PLAIN}>:SHELL:-include ${header}>" ${own})
endfunction()

function(skein_precompile_headers)
  skein_targets_of("${CMAKE_SOURCE_DIR}" targets)
  set(condition "$<BOOL:$<TARGET_PROPERTY:SKEIN_ASIO>>")
  foreach(target IN LISTS targets)
    skein_precompile_interface(${target} ${condition} skein/asio_tracking.h)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
      skein_precompile_header(${target} ${condition} skein/asio_tracking.h)
    endif()
  endforeach()
endfunction()
