/* Fuzzes the reading of messages. The first byte chooses the generation, endianness and views, the
 * rest is a body of a type that has every kind of field. What is accepted must come back equal
 * after it was written again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/codec.h"
#include "rclite/loader.h"

static const char plain_text[] = "float64 x\nfloat64 y\n";
static const char inner_text[] = "uint8 a\nstring b\nint64[] c\nbool d\n";
static const char *const outer_texts[2] = {
    "bool b\nbyte y\nchar c\nint16 i\nuint64 u\nfloat32 f\nstring s\nPlain p\nPlain[2] pp\n"
    "Plain[] ppp\nInner n\nInner[2] nn\nInner[] nnn\nEmpty e\nEmpty[] ee\nEmpty[3] eee\n"
    "time t\nduration d\nduration[] dd\nbool[] bb\nstring[] ss\nstring[2] s2\nuint8[5] fixed\n",
    "bool b\nbyte y\nchar c\nint16 i\nuint64 u\nfloat32 f\nstring s\nPlain p\nPlain[2] pp\n"
    "Plain[] ppp\nInner n\nInner[2] nn\nInner[] nnn\nEmpty e\nEmpty[] ee\nEmpty[3] eee\n"
    "string<=3 sb\nuint16[<=2] ub\nstring<=3[<=2] sbb\nInner[<=1] nb\n"
    "bool[] bb\nstring[] ss\nstring[2] s2\nuint8[5] fixed\n"};

/* Both codecs live as long as the process, as in a program with two endpoints. */
static const rclite_type *types[2];
static rclitei_codec *codecs[2];

static void prepare(size_t g) {
    rclite_generation generation = g == 0 ? RCLITE_ROS1 : RCLITE_ROS2;
    static rclite_loader *loaders[2];
    const rclite_type *type;
    if (rclite_loader_create(generation, "", NULL, &loaders[g], NULL) != RCLITE_OK ||
        rclite_loader_message_text(loaders[g], "demo/Empty", "", &type, NULL) != RCLITE_OK ||
        rclite_loader_message_text(loaders[g], "demo/Plain", plain_text, &type, NULL) !=
            RCLITE_OK ||
        rclite_loader_message_text(loaders[g], "demo/Inner", inner_text, &type, NULL) !=
            RCLITE_OK ||
        rclite_loader_message_text(loaders[g], "demo/Outer", outer_texts[g], &types[g], NULL) !=
            RCLITE_OK ||
        rclitei_codec_create(types[g], generation, NULL, &codecs[g]) != RCLITE_OK) {
        abort();
    }
}

static void check_again(size_t g, const void *message) {
    size_t size = rclitei_codec_size(codecs[g], message, 0), written = 0;
    uint8_t *bytes = malloc(size ? size : 1);
    void *again = calloc(1, types[g]->size_bytes);
    const rclitei_codec_read_options options = {0};
    if (!bytes || !again ||
        rclitei_codec_write(codecs[g], message, 0, bytes, size, &written) != RCLITE_OK ||
        written != size ||
        rclitei_codec_read(codecs[g], bytes, size, &options, again, NULL) != RCLITE_OK ||
        !rclite_message_equal(types[g], g == 0 ? RCLITE_ROS1 : RCLITE_ROS2, message, again)) {
        abort();
    }
    rclite_message_done(types[g], again, NULL);
    free(again);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    size_t g = data[0] & 1;
    if (!codecs[g]) {
        prepare(g);
    }
    const rclitei_codec_read_options options = {.big_endian = data[0] & 2, .views = data[0] & 4};
    /* The body stands aligned, as it does in a received sample. */
    uint8_t *body = malloc(size);
    void *message = calloc(1, types[g]->size_bytes);
    if (!body || !message) {
        abort();
    }
    memcpy(body, data + 1, size - 1);
    /* Twice into the same message: buffers are reused. */
    for (int i = 0; i < 2; i++) {
        if (rclitei_codec_read(codecs[g], body, size - 1, &options, message, NULL) == RCLITE_OK) {
            check_again(g, message);
        }
    }
    rclite_message_done(types[g], message, NULL);
    free(message);
    free(body);
    return 0;
}
