#!/bin/sh
# Can the rclnodejs peer run here? See "The manifest" in docs/peer-protocol.md.
if [ -z "${AMENT_PREFIX_PATH:-}" ]; then
    echo "no ROS 2 found (source one, or install one below /opt/ros)"
    exit 77
fi
./need-node || exit 77
# Not before the set-up is through: rclnodejs that finds no addon starts to build one.
if [ ! -r "$RCLBENCH_BUILD_DIR/made-for" ]; then
    reason=$(tail -n 1 "$RCLBENCH_BUILD_DIR/setup.log" 2>/dev/null)
    echo "not built: ${reason:-run make bench (then make install again, if this rclbench is installed)}"
    exit 77
fi
if ! said=$(./peer.js --version 2>&1); then
    echo "rclnodejs cannot be loaded: $(echo "$said" | grep -m 1 Error)"
    exit 77
fi
echo "$said"
