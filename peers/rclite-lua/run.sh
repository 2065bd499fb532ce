#!/bin/sh
# Starts peer.lua under the interpreter that the job asks for; --version is the probe.
modules="${RCLBENCH_BUILD_DIR%/peers/*}/lua"
[ -d "$modules" ] || modules="${RCLBENCH_BUILD_DIR%/rclbench/peers/*}/lua" # installed
if [ "$1" = --version ]; then
    if [ ! -r "$modules/5.4/rclite.so" ] && [ ! -r "$modules/5.1/rclite.so" ]; then
        echo "no Lua development files when it was built (liblua5.4-dev, liblua5.1-0-dev)"
        exit 77
    fi
    interpreter=lua5.4
else
    interpreter=$(sed -n 's/.*"interpreter": *"\([a-z0-9.]*\)".*/\1/p' "$1")
fi
case ${interpreter:=lua5.4} in
lua5.4) version=5.4 ;;
*) version=5.1 ;;
esac
if ! command -v "$interpreter" >/dev/null; then
    echo "$interpreter is not installed" >&2
    [ "$1" = --version ] && echo "$interpreter is not installed"
    exit 77
fi
LUA_CPATH="$modules/$version/?.so" exec "$interpreter" "$RCLBENCH_PEER_DIR/peer.lua" "$1"
