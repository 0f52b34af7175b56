# What only WebAssembly has: libyaml from its source, and the module of `scree play` (cli/live), a program without a main function that a page
# starts in a Web Worker. Included where the compiler is emscripten's and SCREE_LIVE is set (cmake --preset wasm).

# scree_wasm_yaml(): target scree_yaml, of the four files that read.
function(scree_wasm_yaml)
    set(SCREE_LIBYAML ${PROJECT_BINARY_DIR}/libyaml CACHE PATH "Source of libyaml; fetched by tools/libyaml.sh where it is not there")
    if(NOT EXISTS ${SCREE_LIBYAML}/src/api.c)
        execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/libyaml.sh ${SCREE_LIBYAML} RESULT_VARIABLE failed)
        if(failed)
            message(FATAL_ERROR "the source of libyaml could not be fetched; -DSCREE_LIBYAML=FOLDER names one that is there")
        endif()
    endif()
    foreach(name api reader scanner parser)
        list(APPEND files ${SCREE_LIBYAML}/src/${name}.c)
    endforeach()
    add_library(scree_yaml STATIC ${files})
    target_include_directories(scree_yaml SYSTEM PUBLIC ${SCREE_LIBYAML}/include)
    target_compile_definitions(scree_yaml PRIVATE YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2 YAML_VERSION_PATCH=5
                               YAML_VERSION_STRING="0.2.5" YAML_DECLARE_STATIC)
    target_compile_options(scree_yaml PRIVATE -w)
endfunction()

# emscripten 3.1.6 (clang 15) with -msimd128 makes wrong code of the small unrolled loops of src/collision/box_clip.c: contacts of boxes had other
# bits than elsewhere (scene boxes of tests/cli/play.sh). Without unrolling they are right; so all of src/collision goes without.
function(scree_wasm_flags)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-unroll-loops)
endfunction()

# scree_wasm_module(): scree_live.js and scree_live.wasm, from cli/live and the library; and scree_live_fused, the same with kernels in which a
# product and a sum are one instruction ("relaxed SIMD", which not every browser has; the page tries it).
function(scree_wasm_module)
    foreach(name scree_live scree_live_fused)
        add_executable(${name} cli/live/live_session.c cli/live/live_message.c cli/live/live_stage.c cli/draw/strokes.c cli/system.c)
        scree_flags(${name})
        scree_use_commit(${name})
        target_include_directories(${name} PRIVATE .)
        target_compile_definitions(${name} PRIVATE _XOPEN_SOURCE=700)
        target_link_libraries(${name} PRIVATE scree)
        # wasmBinary is handed over by the page, so that nothing is loaded; no eval, which the page's policy forbids
        target_link_options(${name} PRIVATE --no-entry -O2 -sENVIRONMENT=web,worker -sMODULARIZE=1 -sEXPORT_NAME=screeModule
            -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=33554432 -sMAXIMUM_MEMORY=2147483648 -sTOTAL_STACK=1048576 -sDYNAMIC_EXECUTION=0
            -sFORCE_FILESYSTEM=1 -sEXPORTED_RUNTIME_METHODS=FS,UTF8ToString,stringToUTF8,lengthBytesUTF8,HEAPU8
            -sEXPORTED_FUNCTIONS=_malloc,_free)
    endforeach()
    # its own kernel of soft spheres stands before that of the library, which is then left out; nothing else fuses
    add_library(scree_fused_kernels OBJECT src/dem/spheres/bed_kernel.c)
    scree_flags(scree_fused_kernels)
    target_include_directories(scree_fused_kernels PRIVATE include src)
    target_compile_definitions(scree_fused_kernels PRIVATE SCREE_WASM_FUSED)
    target_compile_options(scree_fused_kernels PRIVATE -mrelaxed-simd)
    target_sources(scree_live_fused PRIVATE $<TARGET_OBJECTS:scree_fused_kernels>)
    target_link_options(scree_live_fused PRIVATE -mrelaxed-simd)
    find_program(SCREE_NODE NAMES node nodejs REQUIRED)
    find_program(SCREE_WASM_DIS wasm-dis REQUIRED)
    add_custom_command(TARGET scree_live_fused POST_BUILD
        COMMAND ${SCREE_NODE} ${PROJECT_SOURCE_DIR}/cmake/wasm_fused.js ${SCREE_WASM_DIS} $<TARGET_FILE_DIR:scree_live_fused>/scree_live_fused.wasm
        VERBATIM)
endfunction()
