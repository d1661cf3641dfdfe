# Build options, compiler flags and third-party packages, in one place.
include(CMakeDependentOption)

option(HEADROOM_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(HEADROOM_BUILD_ENGINE "Build the training engine (needs OpenBLAS and OpenMP)" ON)
option(HEADROOM_BUILD_GUI "Build the window (needs Qt 6 Widgets and Charts)" ON)
option(HEADROOM_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(HEADROOM_WERROR "Treat warnings as errors" OFF)
set(HEADROOM_CUDA
    "auto"
    CACHE STRING "CUDA backend: auto (when nvcc is found), on, off")
set_property(CACHE HEADROOM_CUDA PROPERTY STRINGS auto on off)
set(HEADROOM_CUDA_ARCHITECTURES
    "80;90;100"
    CACHE STRING "GPU architectures the device code is compiled for")
set(HEADROOM_SANITIZE
    ""
    CACHE STRING "Sanitizers: empty, 'address;undefined' or 'thread'")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

find_program(HEADROOM_CCACHE ccache)
if(HEADROOM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HEADROOM_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${HEADROOM_CCACHE}")
endif()

find_package(Threads REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
if(HEADROOM_BUILD_TESTS)
  find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
endif()
if(HEADROOM_BUILD_ENGINE)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  # The OpenMP build of OpenBLAS shares the engine's thread pool; a second pool would fight it.
  find_library(HEADROOM_OPENBLAS openblas PATH_SUFFIXES openblas-openmp x86_64-linux-gnu/openblas-openmp
                                                      aarch64-linux-gnu/openblas-openmp REQUIRED)
  find_path(HEADROOM_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-openmp x86_64-linux-gnu/openblas-openmp
                                                            aarch64-linux-gnu/openblas-openmp REQUIRED)
endif()
if(HEADROOM_BUILD_GUI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Charts OPTIONAL_COMPONENTS Test Svg)
endif()

set(HEADROOM_WITH_CUDA OFF)
if(HEADROOM_BUILD_ENGINE AND NOT HEADROOM_CUDA STREQUAL "off")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES "${HEADROOM_CUDA_ARCHITECTURES}")
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(CMAKE_CUDA_STANDARD 20)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      # CMake 3.25 does not know that nvcc has had C++20 since 12.0.
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(HEADROOM_WITH_CUDA ON)
  elseif(HEADROOM_CUDA STREQUAL "on")
    message(FATAL_ERROR "HEADROOM_CUDA=on, but no CUDA compiler (nvcc) was found")
  endif()
endif()
