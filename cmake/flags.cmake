# scree_flags(TARGET): language, warnings, floating point and sanitizers, the same for every target of the project.
#
# Floating point: the same bits from every compiler and at every level of optimisation. So contraction into fma is off
# and nothing of -ffast-math is used. -fno-math-errno and -fno-trapping-math change no result: the code reads neither
# errno nor the exception flags, and without them sqrt and comparisons can be vectorised.
function(scree_flags target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden)
    target_compile_options(${target} PRIVATE
        -ffp-contract=off -fno-math-errno -fno-trapping-math
        -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= # a failed assert names src/x.c, not the machine that built it
        -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
        $<$<C_COMPILER_ID:GNU>:-Wdouble-promotion> # clang says it of INFINITY and NAN
        -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wimplicit-fallthrough
        $<$<BOOL:${SCREE_WERROR}>:-Werror>)
    if(SCREE_SANITIZE)
        # -g1: a finding needs lines; following variables through what sanitizers add takes gcc a third of its time.
        target_compile_options(${target} PRIVATE
            -fsanitize=${SCREE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
        target_link_options(${target} PRIVATE -fsanitize=${SCREE_SANITIZE})
    endif()
    if(SCREE_FUZZ)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
endfunction()
