# What every target of this project shares: warnings, strict C, and how a unit test is declared.

add_library(rclbench_strict INTERFACE)
target_compile_options(rclbench_strict INTERFACE
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings
  -Wvla -Wformat=2 -Wundef $<$<BOOL:${RCLBENCH_WERROR}>:-Werror>)
target_compile_definitions(rclbench_strict INTERFACE _GNU_SOURCE)
set(RCLBENCH_SANITIZE "" CACHE STRING
    "Sanitizers for everything built here: address,undefined or thread")
if(RCLBENCH_SANITIZE)
  add_compile_options(
    -fsanitize=${RCLBENCH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${RCLBENCH_SANITIZE})
endif()
option(RCLBENCH_FUZZ "Build the fuzz targets with libFuzzer (needs clang)" OFF)
if(RCLBENCH_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link) # the code under test tells libFuzzer where it went
endif()
option(RCLBENCH_WERROR "Treat warnings as errors (presets for CI set it)" OFF)

# rclbench_add_unit_test(NAME SOURCES file... LIBS lib... [LABELS label...])
# A cmocka program beside the code; it exits 77 to be shown as skipped.
function(rclbench_add_unit_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE rclbench_strict ${arg_LIBS} PkgConfig::CMOCKA)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
                       LABELS "unit;${arg_LABELS}")
endfunction()
