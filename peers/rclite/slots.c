/* The calls and goals that are outstanding. */
#include <stdlib.h>
#include <string.h>

#include "peer.h"

#define SLOTS_SPARE 64 /* for answers that come after their call was given up */

bool slots_create(rclite_peer *peer, char *error) {
    peer->slot_count = peer->job->in_flight + SLOTS_SPARE;
    peer->slots = calloc(peer->slot_count, sizeof *peer->slots);
    return peer->slots != NULL ||
           rclite_peer_failed_with(error, "making slots", RCLITE_ERR_NO_MEMORY);
}

call_slot *slots_take(rclite_peer *peer, uint64_t token) {
    call_slot *found = NULL;
    pthread_mutex_lock(&peer->lock);
    for (size_t i = 0; i < peer->slot_count && !found; i++) {
        if (!peer->slots[i].used) {
            found = &peer->slots[i];
            *found = (call_slot){.peer = peer, .token = token, .used = true};
        }
    }
    pthread_mutex_unlock(&peer->lock);
    return found;
}

uint64_t slots_release(call_slot *slot) {
    pthread_mutex_lock(&slot->peer->lock);
    uint64_t token = slot->token;
    slot->used = false;
    pthread_mutex_unlock(&slot->peer->lock);
    return token;
}

void slots_destroy(rclite_peer *peer) {
    free(peer->slots);
    peer->slots = NULL;
}
