#!/bin/sh
# Can the roslisp peer run here? See "The manifest" in docs/peer-protocol.md.
unavailable() {
    echo "$1"
    exit 77
}
command -v sbcl >/dev/null || unavailable "sbcl is not installed"
[ -r /usr/share/roslisp/src/roslisp.asd ] || unavailable "roslisp is not installed"
for package in std_msgs nav_msgs actionlib_msgs rosgraph_msgs std_srvs; do
    [ -d "/usr/share/common-lisp/ros/$package" ] || unavailable "the Lisp messages of $package are not installed"
done
[ -r "$RCLBENCH_BUILD_DIR/../../lisp/peer_kit.so" ] || unavailable "the kit for Lisp is not built"
if [ ! -x "$RCLBENCH_BUILD_DIR/peer" ]; then
    for generator in /usr/lib/genlisp/gen_lisp.py /usr/lib/actionlib_msgs/genaction.py; do
        [ -r "$generator" ] || unavailable "$generator is not installed"
    done
    reason=$(tail -n 1 "$RCLBENCH_BUILD_DIR/setup.log" 2>/dev/null)
    unavailable "not built: ${reason:-run make bench}"
fi
exec "$RCLBENCH_BUILD_DIR/peer" --version
