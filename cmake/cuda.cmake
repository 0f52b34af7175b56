# libscree_cuda.so: the kernels of src/dem/cuda and src/solvers/cuda, with the CUDA runtime linked statically. nvcc is called as a command, so that the project stays a
# project in C. -fmad=false: products and sums are rounded as on the processor, to the bit.
set(SCREE_CUDA_ARCHITECTURES "all-major" CACHE STRING "nvcc's -arch: all-major, native, sm_90, ...")
find_program(SCREE_NVCC nvcc HINTS /usr/local/cuda/bin)
if(NOT SCREE_NVCC)
    message(FATAL_ERROR "SCREE_CUDA is ON, and nvcc was not found: install the CUDA toolkit, or set SCREE_NVCC to its path")
endif()
file(GLOB SCREE_CUDA_DEPENDS CONFIGURE_DEPENDS src/dem/cuda/*.h src/device/*.h src/dem/spheres/*.h src/laws/*.h src/math/*.h src/base/hd.h
     src/solvers/cuda/*.h src/solvers/spheres/*.h src/dem/*.h src/collision/*.h src/step/*.h src/world/*.h include/scree/*.h)
set(SCREE_CUDA_LIBRARY ${PROJECT_BINARY_DIR}/libscree_cuda.so)
add_custom_command(
    OUTPUT ${SCREE_CUDA_LIBRARY}
    COMMAND ${SCREE_NVCC} -std=c++17 -O3 -fmad=false -arch=${SCREE_CUDA_ARCHITECTURES} -cudart static -shared
            -Xcompiler=-fPIC,-fvisibility=hidden -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
            ${PROJECT_SOURCE_DIR}/src/dem/cuda/device.cu ${PROJECT_SOURCE_DIR}/src/solvers/cuda/pile_device.cu -o ${SCREE_CUDA_LIBRARY}
    DEPENDS src/dem/cuda/device.cu src/solvers/cuda/pile_device.cu ${SCREE_CUDA_DEPENDS}
    COMMENT "libscree_cuda.so" VERBATIM)
add_custom_target(scree_cuda ALL DEPENDS ${SCREE_CUDA_LIBRARY})
install(FILES ${SCREE_CUDA_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR})
