# The toolchain of the preset wasm: emscripten's own, found beside the emcc on the path (Debian: /usr/share/emscripten).
find_program(SCREE_EMCC emcc)
if(NOT SCREE_EMCC)
    message(FATAL_ERROR "emcc was not found (Debian: apt-get install --no-install-recommends emscripten)")
endif()
get_filename_component(SCREE_EMCC_FILE ${SCREE_EMCC} REALPATH)
get_filename_component(SCREE_EMSCRIPTEN ${SCREE_EMCC_FILE} DIRECTORY)
include(${SCREE_EMSCRIPTEN}/cmake/Modules/Platform/Emscripten.cmake)
