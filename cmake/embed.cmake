# Files of the source tree as C arrays, so that the program carries what it needs and there is one copy to edit.
# Included by the project, it offers scree_embed(TARGET NAME FILE...); run by cmake -P, it writes the C file.
# NAME is declared in cli/embedded.h: an array of embedded_file, ended by one without a path. Paths are relative to the project.

if(CMAKE_SCRIPT_MODE_FILE)
    cmake_policy(VERSION 3.25)
    string(REPLACE "," ";" FILES "${FILES}")
    set(arrays "")
    set(rows "")
    set(number 0)
    foreach(file IN LISTS FILES)
        file(READ ${SOURCE}/${file} bytes HEX)
        file(SIZE ${SOURCE}/${file} size)
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
        string(REGEX REPLACE "(................................................................................)" "\\1\n"
               bytes "${bytes}")
        string(APPEND arrays "static const unsigned char file_${number}[] = {\n${bytes}0};\n")
        string(APPEND rows "    {\"${file}\", (const char *)file_${number}, ${size}},\n")
        math(EXPR number "${number} + 1")
    endforeach()
    file(WRITE ${OUTPUT} "#include \"cli/embedded.h\"\n\n${arrays}\nconst embedded_file ${NAME}[] = {\n${rows}    {0, 0, 0}};\n")
    return()
endif()

function(scree_embed target name)
    set(output ${PROJECT_BINARY_DIR}/generated/${name}.c)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE inputs)
    list(JOIN ARGN "," files)
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D OUTPUT=${output} -D NAME=${name} -D FILES=${files}
                -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
        COMMENT "Embedding ${name}")
    target_sources(${target} PRIVATE ${output})
endfunction()

# A module of live pages, PATH.js and PATH.wasm, by the assembler: as an array of C its two megabytes would take compilers a minute.
# Where there is none, nothing stands between the symbols NAME_js, NAME_js_end and so on.
function(scree_embed_module target name path)
    set(output ${PROJECT_BINARY_DIR}/generated/${name}.c)
    set(inputs "")
    set(text "")
    foreach(part js wasm)
        string(APPEND text "__asm__(\".section .rodata\\n.balign 16\\n.global ${name}_${part}\\n${name}_${part}:\\n\"\n")
        file(GLOB found CONFIGURE_DEPENDS ${path}.${part})
        if(found)
            string(APPEND text "        \".incbin \\\"${path}.${part}\\\"\\n\"\n")
            list(APPEND inputs ${path}.${part})
        endif()
        string(APPEND text "        \".global ${name}_${part}_end\\n${name}_${part}_end:\\n.byte 0\\n.previous\\n\");\n")
    endforeach()
    file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY)
    set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${inputs}" COMPILE_OPTIONS "-Wno-pedantic;-fno-lto")
    target_sources(${target} PRIVATE ${output})
endfunction()
