# Sourced by run.sh and setup, from the peer's folder. Sets roslua and actionlib_lua (folders of the
# two packages), native (folder of roslua's C modules: the caller's, unless roslua brings them) and
# missing (what is not there and how to get it; empty if nothing). They are looked for below the
# folders of ROSLUA_PATH (separated by colons; each is the package itself or holds it), then through
# rospack.

# find_package NAME FILE: prints the folder of the package that has this file.
find_package() {
    IFS=:
    for place in ${ROSLUA_PATH:-}; do
        for folder in "$place" "$place"/*; do
            if [ -r "$folder/$2" ]; then
                (cd "$folder" && pwd)
                return
            fi
        done
    done
    folder=$(rospack find "$1" 2>/dev/null) && [ -r "$folder/$2" ] && echo "$folder"
}

roslua=$(find_package roslua src/roslua/init.lua) || roslua=
actionlib_lua=$(find_package actionlib_lua src/actionlib/actionlib.lua) || actionlib_lua=

[ -r "$roslua/lib/struct.luaso" ] && native=$roslua/lib
missing=
if [ -z "$roslua" ] || [ -z "$actionlib_lua" ]; then
    [ -n "$roslua" ] || missing="roslua (github.com/timn/roslua)"
    [ -n "$actionlib_lua" ] || missing="${missing:+$missing and }actionlib_lua (github.com/timn/ros-actionlib_lua)"
    missing="$missing not found: clone into one folder, set ROSLUA_PATH to it, then make bench"
fi
