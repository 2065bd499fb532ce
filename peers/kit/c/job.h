/* Reading the job: text of JSON in, checked peer_job out. Pure apart from reading the named file.
 */
#ifndef PEER_KIT_JOB_H
#define PEER_KIT_JOB_H

#include "peer_kit.h"

/* What is wrong with a job. `refused` names a field (unknown, or with an impossible value);
 * otherwise it is empty and `text` says what is wrong with the whole. */
typedef struct peer_job_error {
    char refused[96];
    char text[PEER_ERROR_BYTES];
} peer_job_error;

bool peer_job_parse(const char *text, size_t size, peer_job *ret_job, peer_job_error *reterr);
bool peer_job_read(const char *path, peer_job *ret_job, peer_job_error *reterr);
/* The first key of job->settings that is not in the list, or NULL. */
const char *peer_job_unknown_setting(const peer_job *job, const char *const *known);
void peer_job_done(peer_job *job);

#endif
