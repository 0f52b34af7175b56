# A Debian package: cmake --preset package && cmake --build --preset package && cpack --preset package
# leaves build/package/scree_VERSION_ARCH.deb with command, shared library, headers, manual page and completion.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME scree)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"simulator of granular matter and mechanisms, and solvers of frictional
contact problems with sliding, rolling and spinning friction. The package
holds the command scree, the C library libscree and its headers.")
set(CPACK_PACKAGE_CONTACT "the scree authors <scree@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
find_program(SCREE_SHLIBDEPS dpkg-shlibdeps)
find_program(SCREE_FILE file)
mark_as_advanced(SCREE_SHLIBDEPS SCREE_FILE)
if(SCREE_SHLIBDEPS AND SCREE_FILE) # Debian: dpkg-dev and file; without them the package names no dependencies
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # also tells ldconfig
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
