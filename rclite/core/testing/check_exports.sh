#!/bin/sh
# librclite exports rclite_* only, and every function that the public headers declare.
# Usage: check_exports.sh LIBRARY INCLUDE_DIR
set -eu
export LC_ALL=C # one order for sort and comm
library=$1 include=$2
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | sort -u)
# The ends of sections that clang's coverage adds are no symbols of ours.
foreign=$(echo "$exported" | grep -v -e '^rclite_' -e '^__st[a-z]*___sancov_' || true)
if [ -n "$foreign" ]; then
    echo "exported, but not rclite_*:" $foreign
    exit 1
fi
declared=$(cat "$include"/rclite/*.h | tr '\n' ' ' | grep -oE 'RCLITE_API [^;{]*\(' |
    grep -oE 'rclite_[a-z0-9_]+ ?\(' | tr -d ' (' | sort -u)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "$exported" >"$scratch/exported"
echo "$declared" >"$scratch/declared"
missing=$(comm -13 "$scratch/exported" "$scratch/declared")
if [ -n "$missing" ]; then
    echo "declared in a header, but not in the library:" $missing
    exit 1
fi
test "$(echo "$declared" | wc -l)" -ge 60
echo "$(echo "$exported" | wc -l) symbols, all rclite_*"
