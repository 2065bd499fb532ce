/* Structs as JSON objects by tables: one table per struct, read by the writer
 * and by the reader, so that the two cannot disagree about a key. */
#ifndef BENCH_REPORT_FIELDS_H
#define BENCH_REPORT_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum field_kind {
    FIELD_TEXT,         /* char *; NULL is null. Read texts are borrowed from the JSON. */
    FIELD_BOOL,         /* bool */
    FIELD_INT,          /* int */
    FIELD_U32,          /* uint32_t */
    FIELD_COUNT,        /* uint64_t, never negative in a file */
    FIELD_I64,          /* int64_t */
    FIELD_I64_OR_NULL,  /* int64_t; negative is null */
    FIELD_REAL,         /* double */
    FIELD_REAL_OR_NULL, /* double; negative is null */
} field_kind;

typedef struct field {
    const char *key;
    field_kind kind;
    size_t offset;
} field;

#define FIELD(type, member, kind)                                                                  \
    { #member, kind, offsetof(type, member) }
#define FIELD_AS(key, type, member, kind)                                                          \
    { key, kind, offsetof(type, member) }

/* Where in the file something is wrong: "cells[2].rounds[0]". Each level is on
 * the stack of the function that reads it. */
typedef struct field_place {
    const struct field_place *parent;
    const char *name; /* of an object's member, or NULL */
    size_t index;     /* of an array's element */
} field_place;

typedef struct field_error {
    char text[512];
} field_error;

/* Notes the first error, with its place; returns false. */
bool field_fail(field_error *error, const field_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets all keys of the table in object. */
void fields_write(json_t *object, const field *table, size_t count, const void *from);
/* A missing key is an error, as is a value of another kind. */
bool fields_read(const json_t *object, const field *table, size_t count, void *to,
    const field_place *place, field_error *error);

/* The member of an object, which must be an object, array: NULL and an error
 * otherwise. */
const json_t *field_object(
    const json_t *parent, const char *key, const field_place *place, field_error *error);
const json_t *field_array(
    const json_t *parent, const char *key, const field_place *place, field_error *error);

#endif
