# cmake --install: headers, library, command line, pkg-config file, CMake package, manual page, licence.

include(CMakePackageConfigHelpers)
set(SCREE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/scree)

install(TARGETS scree EXPORT screeTargets FILE_SET HEADERS)
install(EXPORT screeTargets NAMESPACE scree:: DESTINATION ${SCREE_CMAKE_DIR})
configure_package_config_file(cmake/screeConfig.cmake.in screeConfig.cmake INSTALL_DESTINATION ${SCREE_CMAKE_DIR})
write_basic_package_version_file(screeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/screeConfig.cmake ${PROJECT_BINARY_DIR}/screeConfigVersion.cmake
        DESTINATION ${SCREE_CMAKE_DIR})

# A static library needs its own libraries at the link of whatever uses it, so plain `pkg-config --libs` must name them.
if(BUILD_SHARED_LIBS)
    set(SCREE_PC_PRIVATE ".private")
    set(SCREE_PC_LIBS_PRIVATE "${SCREE_PC_LIBS}")
    set(SCREE_PC_LIBS "")
endif()
file(RELATIVE_PATH SCREE_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x) # "../.." or "../../..": the prefix can move
configure_file(scree.pc.in scree.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scree.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET scree_cli)
    install(TARGETS scree_cli)
    if(EXISTS ${PROJECT_SOURCE_DIR}/docs/man/scree.1)
        install(FILES docs/man/scree.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    endif()
endif()
