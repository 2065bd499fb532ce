/* Says which Cyclone DDS the peer is linked with. */
#include <stdio.h>

int main(void) {
    puts("Cyclone DDS " CYCLONE_VERSION);
    return 0;
}
