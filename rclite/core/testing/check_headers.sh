#!/bin/sh
# Every public header is self-contained, in C99 and in C++: compiled alone, twice, with every
# warning an error. Usage: check_headers.sh INCLUDE_DIR C_COMPILER
set -eu
include=$1 cc=$2 cxx=${CXX:-c++}
count=0
for header in "$include"/rclite/*.h; do
    name=rclite/$(basename "$header")
    printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' "$name" "$name" |
        "$cc" -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -I"$include" -x c -
    count=$((count + 1))
done
test "$count" -ge 10
if ! command -v "$cxx" >/dev/null; then
    echo "no C++ compiler: C++ not tried"
    exit 77
fi
for header in "$include"/rclite/*.h; do
    printf '#include "rclite/%s"\nint main() { return 0; }\n' "$(basename "$header")" |
        "$cxx" -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I"$include" -x c++ -
done
# The initialisers are used by C++ programs too.
cat <<'END' | "$cxx" -std=c++11 -Wall -Werror -fsyntax-only -I"$include" -x c++ -
#include "rclite/rclite.h"
int main() {
    rclite_context_options a = RCLITE_CONTEXT_OPTIONS_INIT;
    rclite_publisher_options b = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_subscription_options c = RCLITE_SUBSCRIPTION_OPTIONS_INIT;
    rclite_service_options d = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_client_options e = RCLITE_CLIENT_OPTIONS_INIT;
    rclite_action_server_options f = RCLITE_ACTION_SERVER_OPTIONS_INIT;
    return (int)(a.size + b.size + c.size + d.size + e.size + f.size == 0);
}
END
echo "$count headers"
