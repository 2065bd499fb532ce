/* Fuzzes what a peer says on its channel: the first byte chooses how far it has come, the rest are
 * its lines. Nothing but its own record and its trouble may change. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run/round.h"
#include "run/side.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    run_session_spec spec = {.grace_ns = 0};
    run_side_spec side_spec = {.variant = "fuzz", .role = "publisher"};
    run_round round = {0};
    run_side side = {
        .session = &spec, .spec = &side_spec, .round = &round, .process = &round.sides[0]};
    if (size == 0) {
        return 0;
    }
    side.phase = (run_side_phase)(SIDE_STARTED + data[0] % (SIDE_PHASE_COUNT - SIDE_STARTED));
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    char *line = text;
    char *end = text + size - 1;
    while (line < end) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (newline == NULL) {
            break;
        }
        *newline = '\0';
        run_side_take_line(&side, line, (size_t)(newline - line));
        line = newline + 1;
    }
    if (side.phase < SIDE_STARTED || side.phase >= SIDE_PHASE_COUNT ||
        (side.trouble != NULL && strlen(side.trouble) == 0)) {
        abort();
    }
    free(side.trouble);
    run_round_done(&round);
    free(text);
    return 0;
}
