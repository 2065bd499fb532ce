/* Says that the null peer can run; it always can. */
#include <stdio.h>

int main(void) {
    puts("null 1 (no client library)");
    return 0;
}
