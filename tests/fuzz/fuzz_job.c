/* Fuzzes the kit's reading of a job: any bytes are either a job whose fields are in range, or
 * refused with a name or a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const known[] = {"delivery", NULL};
    peer_job job;
    peer_job_error error;
    if (!peer_job_parse((const char *)data, size, &job, &error)) {
        if (!error.refused[0] && !error.text[0]) {
            abort();
        }
        return 0;
    }
    bool sends_topic = job.pattern == PEER_TOPIC || job.pattern == PEER_STARTUP;
    if (!job.node || !job.samples || job.qos.depth < 1 ||
        (job.count == 0 && job.duration_ns == 0) ||
        (sends_topic && (!job.topic || job.payload_bytes < PEER_PAYLOAD_BYTES_MIN))) {
        abort();
    }
    const char *unknown = peer_job_unknown_setting(&job, known);
    const char *not_plain = peer_job_not_plain(&job);
    if ((unknown && strcmp(unknown, "delivery") == 0) || (not_plain && !not_plain[0])) {
        abort();
    }
    peer_job_done(&job);
    return 0;
}
