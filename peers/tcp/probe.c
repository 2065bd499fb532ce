/* Says that the bare TCP peer can run; it always can. */
#include <stdio.h>

int main(void) {
    puts("bare TCP (no client library)");
    return 0;
}
