#!/bin/sh
# Starts peer.lua with the roslua that is found; --version is the probe.
cd "$RCLBENCH_PEER_DIR" || exit 1
native=$RCLBENCH_BUILD_DIR
. ./locate.sh

unavailable() {
    echo "$1"
    exit 77
}
command -v lua5.1 >/dev/null || unavailable "lua5.1 is not installed"
[ -z "$missing" ] || unavailable "$missing"
[ -r "$native/struct.luaso" ] || unavailable "the C modules of $roslua are not built: run make bench"
kit="${RCLBENCH_BUILD_DIR%/peers/*}/lua/5.1"
[ -r "$kit/peer_kit.so" ] || kit="${RCLBENCH_BUILD_DIR%/rclbench/peers/*}/lua/5.1" # installed
[ -r "$kit/peer_kit.so" ] || unavailable "liblua5.1-0-dev was not installed when rclbench was built"
interfaces=../../rclite/interfaces/ros1
[ -d "$interfaces" ] || interfaces=../../../rclite/interfaces/ros1 # installed
ROSLUA_INTERFACES=$(cd "$interfaces" && pwd) || unavailable "the message definitions are not installed"
export ROSLUA_INTERFACES ROSLUA_PACKAGE="$roslua" ACTIONLIB_LUA_PACKAGE="$actionlib_lua" ROSLUA_NATIVE="$native"
export PATH="$RCLBENCH_PEER_DIR/bin:$PATH"
export LUA_PATH="$RCLBENCH_PEER_DIR/?.lua;$RCLBENCH_PEER_DIR/shim/?.lua;$roslua/src/?.lua;$roslua/src/?/init.lua;$actionlib_lua/src/?.lua;$actionlib_lua/src/?/?.lua;;"
export LUA_CPATH="$kit/?.so;;"
if [ "$1" = --version ]; then
    said=$(lua5.1 peer.lua --version 2>&1) || unavailable "roslua cannot be loaded: $(echo "$said" | head -n 1)"
    echo "$said" | tail -n 1
    exit 0
fi
exec lua5.1 peer.lua "$1"
