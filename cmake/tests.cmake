# scree_add_test(NAME SOURCES... [LABELS ...])   a cmocka program test_NAME, and the ctest test PRESET.NAME
# scree_add_script(NAME SCRIPT [ARGS...] [LABELS ...])   a shell script under tests/ as the ctest test PRESET.NAME
#
# Tests see src/ and reach the functions that the library hides. They run in the root of the source tree, so a data file
# is opened as "examples/contact/x.yaml". Programs and scripts find the command line of their build in SCREE_BIN.
# In a ThreadSanitizer build only the tests labelled threads exist. Tests labelled heavy (tens of seconds) exist in the release and
# asan builds (and tsan, if threads is a label too), heavy scripts and those
# labelled release in the release build, the minimal build has those of what it leaves out; with -DSCREE_HEAVY=ON everywhere.

find_package(PkgConfig)
if(PkgConfig_FOUND)
    pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
endif()
if(NOT CMOCKA_FOUND AND NOT SCREE_TESTS STREQUAL "AUTO")
    message(FATAL_ERROR "tests: cmocka was not found (Debian: libcmocka-dev)")
endif()

if(SCREE_SANITIZE)
    set(SCREE_SAMPLE_SHARE 10) # see tests/support/twins.h
else()
    set(SCREE_SAMPLE_SHARE 1)
endif()
# Under ThreadSanitizer what is long and starts no thread is skipped: the asan and release builds run it.
if(SCREE_SANITIZE STREQUAL "thread")
    set(SCREE_ONLY_THREADS 1)
else()
    set(SCREE_ONLY_THREADS 0)
endif()
get_filename_component(SCREE_PRESET ${PROJECT_BINARY_DIR} NAME)

function(scree_set_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LABELS")
    set_tests_properties(${SCREE_PRESET}.${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600)
    if(TARGET scree_cli)
        set_tests_properties(${SCREE_PRESET}.${name} PROPERTIES ENVIRONMENT "SCREE_BIN=$<TARGET_FILE:scree_cli>")
    endif()
endfunction()

# Whether a test with these labels is left out of this build; `heavy`: pattern of the presets that have the heavy ones.
function(scree_leaves_out result heavy labels)
    set(${result} FALSE PARENT_SCOPE)
    if(SCREE_SANITIZE STREQUAL "thread" AND NOT "threads" IN_LIST labels)
        set(${result} TRUE PARENT_SCOPE)
    elseif("heavy" IN_LIST labels AND NOT SCREE_PRESET MATCHES "^(${heavy})$" AND NOT SCREE_HEAVY)
        set(${result} TRUE PARENT_SCOPE)
    endif()
endfunction()

function(scree_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LABELS")
    scree_leaves_out(left_out "release|asan|tsan" "${arg_LABELS}")
    if(left_out)
        return()
    endif()
    if("release" IN_LIST arg_LABELS AND NOT SCREE_PRESET STREQUAL "release" AND NOT SCREE_HEAVY)
        return()
    endif()
    # The minimal build differs from the others below the world only: no SuiteSparse, no HDF5.
    if(SCREE_PRESET STREQUAL "minimal" AND NOT SCREE_HEAVY AND NOT "${arg_UNPARSED_ARGUMENTS}" MATCHES "^(base|math|laws|sparse|problem|solvers|rigid)/")
        return()
    endif()
    add_executable(test_${name} ${arg_UNPARSED_ARGUMENTS})
    scree_flags(test_${name})
    target_compile_definitions(test_${name} PRIVATE _XOPEN_SOURCE=700
        SCREE_SAMPLE_SHARE=${SCREE_SAMPLE_SHARE} SCREE_ONLY_THREADS=${SCREE_ONLY_THREADS})
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/support ${PROJECT_SOURCE_DIR})
    target_link_libraries(test_${name} PRIVATE scree PkgConfig::CMOCKA m)
    add_test(NAME ${SCREE_PRESET}.${name} COMMAND test_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    scree_set_test(${name} LABELS unit ${arg_LABELS})
endfunction()

function(scree_add_script name script)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LABELS")
    scree_leaves_out(left_out "release" "${arg_LABELS}")
    if(left_out)
        return()
    endif()
    add_test(NAME ${SCREE_PRESET}.${name}
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${arg_UNPARSED_ARGUMENTS}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    scree_set_test(${name} LABELS ${arg_LABELS})
endfunction()
