/* The tables of functions through which Cyclone handles our samples. ROS 2 has no keys here: every
 * sample of every topic is of the one instance, and only XCDR1 is spoken, as by an RMW. */
#include "ros2/serdata.h"

#include <dds/dds.h>
#include <dds/ddsi/q_protocol.h>
#include <dds/ddsi/q_radmin.h>
#include <string.h>

#include "ros2/edges.h"

typedef struct ros2_sertype {
    struct ddsi_sertype base;
    ros2_pool *pool;
} ros2_sertype;

/* Any constant will do: it is what makes the domain's map of instances find the one. */
#define KEYLESS_HASH 0x72636c69u

static const struct ddsi_serdata_ops serdata_ops;

static ros2_serdata *from_base(const struct ddsi_serdata *base) {
    return (ros2_serdata *)base;
}

static ros2_serdata *create(
    const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, size_t size_bytes) {
    ros2_enter(type);
    ros2_pool *pool = ((const ros2_sertype *)type)->pool;
    const size_t padded = (size_bytes + 3u) & ~(size_t)3u;
    if (padded > UINT32_MAX) {
        return NULL;
    }
    ros2_serdata *serdata = ros2_pool_take(pool, sizeof *serdata + padded);
    if (!serdata) {
        return NULL;
    }
    ddsi_serdata_init(&serdata->base, type, kind);
    serdata->base.hash = KEYLESS_HASH;
    serdata->pool = pool;
    serdata->next = NULL;
    serdata->mark = 0;
    serdata->size_bytes = (uint32_t)padded;
    if (padded > size_bytes) {
        memset(serdata->bytes + size_bytes, 0, padded - size_bytes);
    }
    return serdata;
}

ros2_serdata *ros2_serdata_create(const struct ddsi_sertype *type, size_t size_bytes) {
    ros2_serdata *serdata = create(type, SDK_DATA, size_bytes);
    if (serdata) {
        memcpy(serdata->bytes, (const uint8_t[]){0, 1, 0, 0}, ROS2_ENCAPSULATION_BYTES);
    }
    return serdata;
}

ros2_serdata *ros2_serdata_create_unregister(const struct ddsi_sertype *type) {
    ros2_serdata *serdata = create(type, SDK_KEY, ROS2_ENCAPSULATION_BYTES);
    if (serdata) {
        memcpy(serdata->bytes, (const uint8_t[]){0, 1, 0, 0}, ROS2_ENCAPSULATION_BYTES);
        serdata->base.statusinfo = NN_STATUSINFO_UNREGISTER;
        serdata->base.timestamp.v = dds_time();
    }
    return serdata;
}

void ros2_serdata_unref(ros2_serdata *serdata) {
    ros2_leave(serdata);
    ddsi_serdata_unref(&serdata->base);
}

bool ros2_serdata_open(const ros2_serdata *serdata, const uint8_t **ret_body,
    size_t *ret_body_bytes, bool *ret_big_endian) {
    if (serdata->size_bytes < ROS2_ENCAPSULATION_BYTES || serdata->bytes[0] != 0 ||
        serdata->bytes[1] > 1) {
        return false;
    }
    *ret_body = serdata->bytes + ROS2_ENCAPSULATION_BYTES;
    *ret_body_bytes = serdata->size_bytes - ROS2_ENCAPSULATION_BYTES;
    *ret_big_endian = serdata->bytes[1] == 0;
    return true;
}

/* ---- serdata -------------------------------------------------------------------------------- */

static bool serdata_eqkey(const struct ddsi_serdata *a, const struct ddsi_serdata *b) {
    (void)a;
    (void)b;
    return true;
}

static uint32_t serdata_size(const struct ddsi_serdata *base) {
    ros2_enter(base);
    const uint32_t size_bytes = from_base(base)->size_bytes;
    ros2_leave(base);
    return size_bytes;
}

static struct ddsi_serdata *serdata_from_ser(const struct ddsi_sertype *type,
    enum ddsi_serdata_kind kind, const struct nn_rdata *fragment, size_t size) {
    ros2_serdata *serdata = create(type, kind, size);
    if (!serdata) {
        return NULL;
    }
    uint32_t filled = 0;
    for (; fragment; fragment = fragment->nextfrag) {
        if (fragment->maxp1 > filled) {
            const uint8_t *payload =
                NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
            memcpy(serdata->bytes + filled, payload + filled - fragment->min,
                fragment->maxp1 - filled);
            filled = fragment->maxp1;
        }
    }
    ros2_leave(serdata);
    return &serdata->base;
}

static struct ddsi_serdata *serdata_from_ser_iov(const struct ddsi_sertype *type,
    enum ddsi_serdata_kind kind, ddsrt_msg_iovlen_t count, const ddsrt_iovec_t *parts,
    size_t size) {
    ros2_serdata *serdata = create(type, kind, size);
    if (!serdata) {
        return NULL;
    }
    size_t filled = 0;
    for (size_t i = 0; i < (size_t)count && filled < size; i++) {
        const size_t part = parts[i].iov_len < size - filled ? parts[i].iov_len : size - filled;
        memcpy(serdata->bytes + filled, parts[i].iov_base, part);
        filled += part;
    }
    ros2_leave(serdata);
    return &serdata->base;
}

static struct ddsi_serdata *serdata_from_keyhash(
    const struct ddsi_sertype *type, const struct ddsi_keyhash *keyhash) {
    (void)keyhash;
    ros2_serdata *serdata = create(type, SDK_KEY, 0);
    ros2_leave(serdata);
    return serdata ? &serdata->base : NULL;
}

/* We never write C structs through Cyclone; only a key can be asked for. */
static struct ddsi_serdata *serdata_from_sample(
    const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, const void *sample) {
    (void)sample;
    return kind == SDK_KEY ? serdata_from_keyhash(type, NULL) : NULL;
}

static void serdata_to_ser(const struct ddsi_serdata *base, size_t offset, size_t size, void *to) {
    ros2_enter(base);
    memcpy(to, from_base(base)->bytes + offset, size);
    ros2_leave(base);
}

static struct ddsi_serdata *serdata_to_ser_ref(
    const struct ddsi_serdata *base, size_t offset, size_t size, ddsrt_iovec_t *ref) {
    ros2_enter(base);
    ros2_enter(ref); /* Cyclone's, and used again and again */
    ref->iov_base = from_base(base)->bytes + offset;
    ref->iov_len = (ddsrt_iov_len_t)size;
    ros2_leave(ref);
    ros2_leave(base);
    return ddsi_serdata_ref(base);
}

static void serdata_to_ser_unref(struct ddsi_serdata *base, const ddsrt_iovec_t *ref) {
    (void)ref;
    ros2_enter(base); /* a retransmit is let go by another thread than the one that asked for it */
    ddsi_serdata_unref(base);
}

static bool serdata_to_sample(
    const struct ddsi_serdata *base, void *sample, void **bufptr, void *buflim) {
    (void)base;
    (void)sample;
    (void)bufptr;
    (void)buflim;
    return false; /* samples are taken as serdata only */
}

/* What stands for the one instance in the domain's map. It outlives contexts, so it is of no pool;
 * it is never freed, since its own reference stays. Nothing but the count ever changes. */
static struct ddsi_serdata *serdata_to_untyped(const struct ddsi_serdata *base) {
    static struct ddsi_serdata keyless = {
        .ops = &serdata_ops, .hash = KEYLESS_HASH, .refc = {.v = 1}, .kind = SDK_KEY};
    (void)base;
    return ddsi_serdata_ref(&keyless);
}

static bool serdata_untyped_to_sample(const struct ddsi_sertype *type,
    const struct ddsi_serdata *base, void *sample, void **bufptr, void *buflim) {
    (void)type;
    (void)base;
    (void)sample;
    (void)bufptr;
    (void)buflim;
    return true;
}

static void serdata_free(struct ddsi_serdata *base) {
    ros2_serdata *serdata = from_base(base);
    ros2_enter(base);
    ros2_pool_give(serdata->pool, serdata);
}

static size_t serdata_print(
    const struct ddsi_sertype *type, const struct ddsi_serdata *base, char *text, size_t size) {
    (void)type;
    (void)base;
    if (size > 0) {
        text[0] = '\0';
    }
    return 0;
}

static void serdata_keyhash(
    const struct ddsi_serdata *base, struct ddsi_keyhash *keyhash, bool force_md5) {
    (void)base;
    (void)force_md5;
    memset(keyhash, 0, sizeof *keyhash);
}

static const struct ddsi_serdata_ops serdata_ops = {
    .eqkey = serdata_eqkey,
    .get_size = serdata_size,
    .from_ser = serdata_from_ser,
    .from_ser_iov = serdata_from_ser_iov,
    .from_keyhash = serdata_from_keyhash,
    .from_sample = serdata_from_sample,
    .to_ser = serdata_to_ser,
    .to_ser_ref = serdata_to_ser_ref,
    .to_ser_unref = serdata_to_ser_unref,
    .to_sample = serdata_to_sample,
    .to_untyped = serdata_to_untyped,
    .untyped_to_sample = serdata_untyped_to_sample,
    .free = serdata_free,
    .print = serdata_print,
    .get_keyhash = serdata_keyhash,
};

/* ---- sertype -------------------------------------------------------------------------------- */

static void sertype_free(struct ddsi_sertype *base) {
    ros2_sertype *type = (ros2_sertype *)base;
    ros2_enter(base);
    ddsi_sertype_fini(base);
    ros2_pool_give(type->pool, type);
}

static void sertype_zero_samples(const struct ddsi_sertype *type, void *samples, size_t count) {
    (void)type;
    (void)samples;
    (void)count;
}

static void sertype_realloc_samples(
    void **ptrs, const struct ddsi_sertype *type, void *old, size_t old_count, size_t count) {
    (void)type;
    (void)old;
    (void)old_count;
    for (size_t i = 0; i < count; i++) {
        ptrs[i] = NULL; /* no sample exists outside a serdata */
    }
}

static void sertype_free_samples(
    const struct ddsi_sertype *type, void **ptrs, size_t count, dds_free_op_t op) {
    (void)type;
    (void)ptrs;
    (void)count;
    (void)op;
}

/* Two contexts in one process do not share a type, since they do not share buffers. */
static bool sertype_equal(const struct ddsi_sertype *a, const struct ddsi_sertype *b) {
    ros2_enter(a);
    ros2_enter(b);
    return ((const ros2_sertype *)a)->pool == ((const ros2_sertype *)b)->pool;
}

static uint32_t sertype_hash(const struct ddsi_sertype *type) {
    ros2_enter(type);
    const uintptr_t pool = (uintptr_t)((const ros2_sertype *)type)->pool;
    return (uint32_t)(pool >> 4) ^ (uint32_t)(pool >> 20);
}

static size_t sertype_serialized_size(const struct ddsi_sertype *type, const void *sample) {
    (void)type;
    (void)sample;
    return SIZE_MAX; /* Cyclone's word for an error */
}

static bool sertype_serialize_into(
    const struct ddsi_sertype *type, const void *sample, void *buffer, size_t size) {
    (void)type;
    (void)sample;
    (void)buffer;
    (void)size;
    return false;
}

static const struct ddsi_sertype_ops sertype_ops = {
    .version = ddsi_sertype_v0,
    .free = sertype_free,
    .zero_samples = sertype_zero_samples,
    .realloc_samples = sertype_realloc_samples,
    .free_samples = sertype_free_samples,
    .equal = sertype_equal,
    .hash = sertype_hash,
    .get_serialized_size = sertype_serialized_size,
    .serialize_into = sertype_serialize_into,
};

struct ddsi_sertype *ros2_sertype_create(ros2_pool *pool, const char *type_name) {
    ros2_sertype *type = ros2_pool_take(pool, sizeof *type);
    if (!type) {
        return NULL;
    }
    memset(type, 0, sizeof *type);
    ddsi_sertype_init_flags(
        &type->base, type_name, &sertype_ops, &serdata_ops, DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
    type->base.allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
    type->pool = pool;
    ros2_leave(type);
    return &type->base;
}
