#!/bin/sh
# Can the rclcpp peer run here? See "The manifest" in docs/peer-protocol.md.
if [ -z "${AMENT_PREFIX_PATH:-}" ]; then
    echo "no ROS 2 found (source one, or install one below /opt/ros)"
    exit 77
fi
if [ ! -x "$RCLBENCH_BUILD_DIR/peer" ]; then
    reason=$(tail -n 1 "$RCLBENCH_BUILD_DIR/setup.log" 2>/dev/null)
    echo "not built: ${reason:-run make bench (then make install again, if this rclbench is installed)}"
    exit 77
fi
exec "$RCLBENCH_BUILD_DIR/peer" --version
