#!/bin/sh
# Can the rosnodejs peer run here? See "The manifest" in docs/peer-protocol.md.
./need-node || exit 77
if [ ! -r "$RCLBENCH_BUILD_DIR/made-for" ]; then
    reason=$(tail -n 1 "$RCLBENCH_BUILD_DIR/setup.log" 2>/dev/null)
    echo "not set up: ${reason:-run make bench (then make install again, if this rclbench is installed)}"
    exit 77
fi
if ! said=$(./peer.js --version 2>&1); then
    echo "rosnodejs cannot be loaded: $(echo "$said" | grep -m 1 Error)"
    exit 77
fi
echo "$said"
