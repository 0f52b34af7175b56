# cmake --install: headers, library, command line, pkg-config file, CMake package, manual page, completion, licence.
# Components, for --component NAME: runtime (a shared library), devel (all that building against scree needs), command.

include(CMakePackageConfigHelpers)
set(SCREE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/scree)

install(TARGETS scree EXPORT screeTargets
        LIBRARY COMPONENT runtime NAMELINK_COMPONENT devel
        ARCHIVE COMPONENT devel
        FILE_SET HEADERS COMPONENT devel)
install(EXPORT screeTargets NAMESPACE scree:: DESTINATION ${SCREE_CMAKE_DIR} COMPONENT devel)
configure_package_config_file(cmake/screeConfig.cmake.in screeConfig.cmake INSTALL_DESTINATION ${SCREE_CMAKE_DIR})
write_basic_package_version_file(screeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/screeConfig.cmake ${PROJECT_BINARY_DIR}/screeConfigVersion.cmake
        DESTINATION ${SCREE_CMAKE_DIR} COMPONENT devel)

# A static library needs its own libraries at the link of whatever uses it, so plain `pkg-config --libs` must name them. A shared
# one carries them; naming them, even as private, would ask for their development files.
if(BUILD_SHARED_LIBS)
    set(SCREE_PC_LIBS "")
    set(SCREE_PC_REQUIRES "")
endif()
file(RELATIVE_PATH SCREE_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x) # "../.." or "../../..": the prefix can move
configure_file(scree.pc.in scree.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scree.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT devel)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
if(TARGET scree_cli)
    install(TARGETS scree_cli COMPONENT command)
    install(FILES docs/man/scree.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    install(FILES cli/completion/scree.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME scree COMPONENT command)
    install(FILES cli/completion/scree.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _scree COMPONENT command)
    install(FILES cli/completion/scree.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
endif()
