/* Fuzzes the reader of peers' manifests: any bytes give a peer that can be used, or one sentence.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    run_peer peer;
    char *error = NULL;
    if (run_manifest_parse((const char *)data, size, "fuzz", &peer, &error)) {
        bool usable = error == NULL && peer.variant_count > 0 && peer.run.count > 0 &&
                      peer.probe.count > 0 && strchr(peer.name, '/') == NULL;
        if (!usable) {
            abort();
        }
        run_peer_done(&peer);
    } else if (error == NULL || error[0] == '\0') {
        abort();
    }
    free(error);
    return 0;
}
