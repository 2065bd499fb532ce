/* Says which roscpp the peer was built with, or what was missing then. */
#include <stdio.h>

int main(void) {
#ifdef ROSCPP_MISSING
    puts("not built: missing " ROSCPP_MISSING);
    return 77;
#else
    puts("roscpp " ROSCPP_VERSION_TEXT);
    return 0;
#endif
}
