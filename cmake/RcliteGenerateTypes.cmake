# rclite_generate_types(TARGET INTERFACES pkg/{msg,srv,action}/Name... [SEARCH dir...] [OBJECT])
# Makes TARGET, a static library with the C structs and type tables of the interfaces and of all
# that they refer to; whoever links it includes "pkg/msg/Name.h". A SEARCH folder holds definitions
# in <pkg>/{msg,srv,action}/ (as /opt/ros/*/share does), or ros1/ and ros2/ with such in each where
# the generations differ; rclite's own definitions are looked at last. OBJECT: an object library
# instead. Works inside rclbench and behind find_package(rclite).

# Inside the tree the definitions are in rclite/interfaces; installed, in share/ beside lib/cmake.
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/../rclite/interfaces/ros2)
  get_filename_component(_rclite_interfaces ${CMAKE_CURRENT_LIST_DIR}/../rclite/interfaces ABSOLUTE)
else()
  set(_rclite_interfaces ${CMAKE_CURRENT_LIST_DIR})
  while(NOT EXISTS ${_rclite_interfaces}/share/rclite/interfaces)
    get_filename_component(_rclite_parent ${_rclite_interfaces} DIRECTORY)
    if(_rclite_parent STREQUAL _rclite_interfaces)
      break()
    endif()
    set(_rclite_interfaces ${_rclite_parent})
  endwhile()
  set(_rclite_interfaces ${_rclite_interfaces}/share/rclite/interfaces)
endif()
set_property(GLOBAL PROPERTY RCLITE_INTERFACES ${_rclite_interfaces})

function(rclite_generate_types target)
  cmake_parse_arguments(arg "OBJECT" "" "INTERFACES;SEARCH" ${ARGN})
  if(NOT arg_INTERFACES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rclite_generate_types(${target}): name INTERFACES, and nothing but SEARCH "
                        "and OBJECT beside them")
  endif()
  get_property(own GLOBAL PROPERTY RCLITE_INTERFACES)
  set(ros1)
  set(ros2)
  foreach(folder ${arg_SEARCH} ${own})
    get_filename_component(folder ${folder} ABSOLUTE)
    if(EXISTS ${folder}/ros1 OR EXISTS ${folder}/ros2)
      string(APPEND ros1 ":${folder}/ros1")
      string(APPEND ros2 ":${folder}/ros2")
    else()
      string(APPEND ros1 ":${folder}")
      string(APPEND ros2 ":${folder}")
    endif()
  endforeach()
  if(TARGET rclite-generate)
    set(generator rclite-generate)
    set(headers rclite_headers)
  else()
    set(generator rclite::rclite-generate)
    set(headers rclite::rclite_headers)
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target})
  add_custom_command(
    OUTPUT ${output}/${target}.c
    COMMAND ${generator} --out ${output} --source ${output}/${target}.c
            --depfile ${output}/${target}.d --ros1 ${ros1} --ros2 ${ros2} ${arg_INTERFACES}
    COMMAND ${CMAKE_COMMAND} -E touch ${output}/${target}.c
    DEPENDS ${generator}
    DEPFILE ${output}/${target}.d
    COMMENT "Generating the types of ${target}"
    VERBATIM)
  if(arg_OBJECT)
    add_library(${target} OBJECT ${output}/${target}.c)
  else()
    add_library(${target} STATIC ${output}/${target}.c)
  endif()
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${output}>)
  target_link_libraries(${target} PUBLIC ${headers})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
