# roscpp's headers of actionlib_benchmark/Roundtrip, from rclite's definition, with Debian's
# generators.

set(roundtrip_dir ${CMAKE_CURRENT_BINARY_DIR}/generated)
set(roundtrip_names RoundtripAction RoundtripActionGoal RoundtripActionResult RoundtripActionFeedback
  RoundtripGoal RoundtripResult RoundtripFeedback)
set(roundtrip_source
  ${PROJECT_SOURCE_DIR}/rclite/interfaces/ros1/actionlib_benchmark/action/Roundtrip.action)
set(roundtrip_headers)
set(roundtrip_commands)
foreach(name ${roundtrip_names})
  list(APPEND roundtrip_headers ${roundtrip_dir}/include/actionlib_benchmark/${name}.h)
  list(APPEND roundtrip_commands COMMAND /usr/bin/python3 /usr/lib/gencpp/gen_cpp.py
    ${roundtrip_dir}/msg/${name}.msg
    -I actionlib_benchmark:${roundtrip_dir}/msg -I std_msgs:/usr/share/std_msgs/msg
    -I actionlib_msgs:/usr/share/actionlib_msgs/msg
    -p actionlib_benchmark -o ${roundtrip_dir}/include/actionlib_benchmark -e /usr/share/gencpp)
endforeach()
add_custom_command(OUTPUT ${roundtrip_headers}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${roundtrip_dir}/msg
  COMMAND /usr/bin/python3 /usr/lib/actionlib_msgs/genaction.py ${roundtrip_source}
          -o ${roundtrip_dir}/msg > genaction.log # it talks
  ${roundtrip_commands}
  DEPENDS ${roundtrip_source}
  COMMENT "Generating actionlib_benchmark for roscpp" VERBATIM)
