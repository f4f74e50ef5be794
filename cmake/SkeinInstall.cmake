# Installed files, and the configuration for find_package(skein) and pkg-config.
#
#   tools     bin/skein, bin/skein-c++, man pages,  -> Debian package skein
#             completion, lib/skein/libskein-uv.so
#   desktop   libexec/skein/skein-view, its launcher -> skein-view
#   runtime   lib/libskein.so.0                     -> libskein0
#   dev       headers, libskein.a, CMake, pkg-config -> libskein-dev
#
# No installed file contains an absolute path, so a prefix can be moved. (tests/install moves one.)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skein)

install(TARGETS skein RUNTIME COMPONENT tools)
file(GLOB man_pages CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
if(EXISTS ${PROJECT_SOURCE_DIR}/tools/completion/skein.bash)
  install(FILES tools/completion/skein.bash RENAME skein
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/tools/completion/_skein)
  install(FILES tools/completion/_skein
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tools)
endif()

if(TARGET skein-view)  # run by `skein view`, so not in bin
  install(TARGETS skein-view RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/skein
          COMPONENT desktop)
  install(FILES view/gtk/skein-view.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications
          COMPONENT desktop)
endif()

if(TARGET skein_uv)  # used by path in LD_PRELOAD, so not among the linkable libraries
  install(TARGETS skein_uv LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/skein COMPONENT tools)
endif()

if(NOT TARGET skein_record_shared)  # without the recorder there is no library to install
  return()
endif()
set_target_properties(skein_format PROPERTIES EXPORT_NAME format)
install(TARGETS skein_record skein_record_shared skein_coroutine skein_asio skein_format
  EXPORT skein
  ARCHIVE COMPONENT dev
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
install(EXPORT skein NAMESPACE skein:: FILE skeinTargets.cmake DESTINATION ${config_dir}
  COMPONENT dev)
install(DIRECTORY format/include/ record/include/ TYPE INCLUDE COMPONENT dev)
install(FILES record/valgrind.supp DESTINATION ${CMAKE_INSTALL_DATADIR}/skein COMPONENT dev)

# skein-c++ and the file that `skein --cmake` names, with relative paths when installed, and with
# those of the source and this build in the build tree.
file(RELATIVE_PATH config_to_prefix /${config_dir} /)
string(REGEX REPLACE "/$" "" config_to_prefix "${config_to_prefix}")
set(SKEIN_TRACE_INCLUDE "\${CMAKE_CURRENT_LIST_DIR}/${config_to_prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
set(SKEIN_TRACE_LIBDIR "\${CMAKE_CURRENT_LIST_DIR}/${config_to_prefix}/${CMAKE_INSTALL_LIBDIR}")
configure_file(cmake/SkeinTrace.cmake.in installed/SkeinTrace.cmake @ONLY)
set(SKEIN_WRAPPER_INCLUDE "\${here%/*}/${CMAKE_INSTALL_INCLUDEDIR}")
set(SKEIN_WRAPPER_LIBDIR "\${here%/*}/${CMAKE_INSTALL_LIBDIR}")
configure_file(cmake/skein-c++.in installed/skein-c++ @ONLY)
install(PROGRAMS ${PROJECT_BINARY_DIR}/installed/skein-c++ TYPE BIN COMPONENT tools)
install(FILES ${PROJECT_BINARY_DIR}/installed/SkeinTrace.cmake cmake/SkeinHeaders.cmake
  cmake/SkeinCheck.cmake
  DESTINATION ${config_dir} COMPONENT dev)
set(SKEIN_TRACE_INCLUDE ${PROJECT_SOURCE_DIR}/record/include)
set(SKEIN_WRAPPER_INCLUDE ${SKEIN_TRACE_INCLUDE})
set(SKEIN_TRACE_LIBDIR ${PROJECT_BINARY_DIR})
set(SKEIN_WRAPPER_LIBDIR ${PROJECT_BINARY_DIR})
configure_file(cmake/SkeinTrace.cmake.in SkeinTrace.cmake @ONLY)
configure_file(cmake/SkeinHeaders.cmake SkeinHeaders.cmake COPYONLY)
configure_file(cmake/skein-c++.in skein-c++ @ONLY)

write_basic_package_version_file(skeinConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/skeinConfig.cmake.in skeinConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/skeinConfig.cmake ${PROJECT_BINARY_DIR}/skeinConfigVersion.cmake
  DESTINATION ${config_dir} COMPONENT dev)

file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up_to_prefix "${up_to_prefix}")
foreach(name skein skein_coroutine skein_asio)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT dev)
endforeach()
