/* Undoing the mangling of names. */
#include "ros2/graph_names.h"

#include <string.h>

bool ros2_name_of_topic(
    const char *dds_topic, const char *prefix, const char *suffix, char name[ROS2_NAME_CAPACITY]) {
    const size_t size = strlen(dds_topic), before = strlen(prefix), behind = strlen(suffix);
    if (size <= before + behind || size - before - behind >= ROS2_NAME_CAPACITY ||
        strncmp(dds_topic, prefix, before) != 0 || dds_topic[before] != '/' ||
        strcmp(dds_topic + size - behind, suffix) != 0) {
        return false;
    }
    const size_t kept = size - before - behind;
    memcpy(name, dds_topic + before, kept);
    name[kept] = '\0';
    return true;
}

bool ros2_name_of_type(const char *dds_type, const char *suffix, char name[ROS2_NAME_CAPACITY]) {
    static const char mark[] = "::dds_::";
    const char *middle = strstr(dds_type, mark);
    size_t size = strlen(dds_type);
    if (size >= ROS2_NAME_CAPACITY) {
        return false;
    }
    if (!middle || dds_type[size - 1] != '_') {
        memcpy(name, dds_type, size + 1);
        return *suffix == '\0';
    }
    size_t out = 0;
    for (const char *at = dds_type; *at;) {
        if (at == middle) {
            name[out++] = '/';
            at += sizeof mark - 1;
        } else if (at[0] == ':' && at[1] == ':') {
            name[out++] = '/';
            at += 2;
        } else {
            name[out++] = *at++;
        }
    }
    const size_t behind = strlen(suffix);
    out--; /* the last underscore */
    if (out <= behind || memcmp(name + out - behind, suffix, behind) != 0) {
        return false;
    }
    name[out - behind] = '\0';
    return true;
}
