/* Fuzzes the parser of interface definitions: any bytes as a message, service and action of both
 * generations; what is accepted must also make a type, a message with its defaults, and a codec. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/codec.h"
#include "rclite/loader.h"
#include "types/definition.h"

/* Larger structs are legal, but only slow the search down. */
#define STRUCT_BYTES_MAX ((size_t)1 << 20)

static void use_type(const rclite_type *type, rclite_generation generation) {
    void *message = type->size_bytes <= STRUCT_BYTES_MAX ? malloc(type->size_bytes) : NULL;
    rclitei_codec *codec = NULL;
    if (!message) {
        return;
    }
    if (rclite_message_init(type, message, NULL) == RCLITE_OK) {
        if (rclitei_codec_create(type, generation, NULL, &codec) == RCLITE_OK &&
            rclitei_codec_size(codec, message, 0) > SIZE_MAX / 2) {
            abort();
        }
        rclitei_codec_free(codec);
        rclite_message_done(type, message, NULL);
    } else {
        abort(); /* the parser lets no default through that cannot be set */
    }
    free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (rclite_generation g = RCLITE_ROS1; g <= RCLITE_ROS2; g++) {
        for (size_t sections = 1; sections <= 3; sections++) {
            rclitei_arena arena;
            rclitei_section parsed[3];
            rclitei_source source = {g, "fuzz", (const char *)data, size};
            rclitei_arena_init(&arena, NULL);
            (void)!rclitei_parse(&source, &arena, parsed, sections, NULL);
            rclitei_arena_done(&arena);
        }
        rclite_loader *loader;
        const rclite_type *type;
        char *text = malloc(size + 1);
        if (!text || rclite_loader_create(g, "", NULL, &loader, NULL) != RCLITE_OK) {
            abort();
        }
        memcpy(text, data, size);
        text[size] = '\0';
        /* Nested names find these. */
        if (rclite_loader_message_text(loader, "demo/Inner", "int8 a\nstring b\n", &type, NULL) ==
                RCLITE_OK &&
            rclite_loader_message_text(loader, "demo/Fuzz", text, &type, NULL) == RCLITE_OK) {
            use_type(type, g);
        }
        rclite_loader_free(loader);
        free(text);
    }
    return 0;
}
