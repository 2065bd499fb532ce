/* Our sertype and serdata: how Cyclone sees samples of types that exist only at run time. A serdata
 * is the sample's bytes in a pooled buffer and nothing else; Cyclone sends from it and receives
 * into it. It knows nothing of fields: the codec works on the bytes, outside Cyclone. */
#ifndef RCLITE_ROS2_SERDATA_H
#define RCLITE_ROS2_SERDATA_H

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>

#include "ros2/pool.h"

/* The encapsulation header that leads every sample: representation (2), options (2). */
#define ROS2_ENCAPSULATION_BYTES 4u

typedef struct ros2_serdata {
    struct ddsi_serdata base;
    ros2_pool *pool;
    struct ros2_serdata *next; /* in a backlog */
    uint64_t mark;             /* for whoever queues it */
    uint32_t size_bytes;       /* with header, a multiple of 4 */
    /* The body, four bytes behind, is aligned to 8, so that views into it are. */
    _Alignas(8) uint8_t lead[4];
    uint8_t bytes[];
} ros2_serdata;

/* NULL when there is no memory. The caller's reference goes to dds_create_topic_sertype. */
struct ddsi_sertype *ros2_sertype_create(ros2_pool *pool, const char *type_name);
/* size_bytes with the encapsulation header, which is written (little-endian CDR) as is the padding;
 * the body is the caller's to fill. One reference. */
ros2_serdata *ros2_serdata_create(const struct ddsi_sertype *type, size_t size_bytes);
/* Says nothing but that the writer has no more to do with the instance. */
ros2_serdata *ros2_serdata_create_unregister(const struct ddsi_sertype *type);
void ros2_serdata_unref(ros2_serdata *serdata);

/* What the header says. false: not plain CDR. */
bool ros2_serdata_open(const ros2_serdata *serdata, const uint8_t **ret_body,
    size_t *ret_body_bytes, bool *ret_big_endian);

#endif
