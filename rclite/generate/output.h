/* Writing generated files. */
#ifndef RCLITE_GENERATE_OUTPUT_H
#define RCLITE_GENERATE_OUTPUT_H

#include "types/arena.h"

/* Writes text to path and makes its folders; a file that says the same already is left alone, so
 * that nothing is compiled anew. False: reterr says why. */
bool generate_output(const char *path, const rclitei_text *text, rclite_error *reterr);

#endif
