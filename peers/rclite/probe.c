/* Says which rclite this is; it is built with the benchmark, so it can always run. */
#include <stdio.h>

int main(void) {
    puts("rclite " RCLITE_VERSION_TEXT);
    return 0;
}
