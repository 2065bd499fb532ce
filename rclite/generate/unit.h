/* Collecting what one header holds. */
#ifndef RCLITE_GENERATE_UNIT_H
#define RCLITE_GENERATE_UNIT_H

#include "generate/generate.h"

/* Loads pkg/{msg,srv,action}/Name in both generations; a generation that has no such file is left
 * out, one whose file is wrong is an error. False: job->error says why. */
bool generate_unit_load(generate_job *job, const char *full_name, generate_unit *ret_unit);
/* Writes the header and appends the tables. */
bool generate_unit_write(generate_job *job, const generate_unit *unit);

#endif
