# The commit a program was built from. Included by the project, it offers scree_use_commit(TARGET); run by cmake -P at
# every build, it writes the header anew only if the commit has changed, so that nothing else is compiled again.

if(CMAKE_SCRIPT_MODE_FILE)
    cmake_policy(VERSION 3.25)
    set(SCREE_COMMIT unknown)
    execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                    RESULT_VARIABLE failed OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(failed EQUAL 0)
        set(SCREE_COMMIT ${commit})
        execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed OUTPUT_QUIET ERROR_QUIET)
        if(changed EQUAL 1)
            string(APPEND SCREE_COMMIT "-modified")
        endif()
    endif()
    file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define SCREE_COMMIT \"@SCREE_COMMIT@\"\n" @ONLY)
    return()
endif()

set(SCREE_COMMIT_HEADER ${PROJECT_BINARY_DIR}/generated/scree_commit.h)
add_custom_target(scree_commit
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D HEADER=${SCREE_COMMIT_HEADER}
            -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake
    BYPRODUCTS ${SCREE_COMMIT_HEADER}
    COMMENT "")

function(scree_use_commit target)
    add_dependencies(${target} scree_commit)
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
