/* How the null peer breaks the protocol when its script says so. What happens to messages on their
 * way is in peer.c. */
#ifndef PEERS_NULL_MISCHIEF_H
#define PEERS_NULL_MISCHIEF_H

#include "peer_kit.h"
#include "script.h"

/* What the script wants at a stage: it may not return. samples: the file of the rows. */
void mischief_at(const null_script *script, const char *samples, peer_stage stage);
/* Changes a line that goes to the harness. */
void mischief_say(const null_script *script, char *line, size_t size);
/* Changes the rows before they are written; there is room for one more. */
void mischief_rows(const null_script *script, peer_row *rows, size_t *count);

#endif
