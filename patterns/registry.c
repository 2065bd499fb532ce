/* The patterns there are: an explicit array. */
#include <string.h>

#include "pattern.h"

const pattern *const pattern_registry[] = {
    &pattern_topic, &pattern_service, &pattern_action, &pattern_startup, NULL};

const pattern *pattern_find(const char *name) {
    for (const pattern *const *it = pattern_registry; *it; it++) {
        if (strcmp((*it)->name, name) == 0) {
            return *it;
        }
    }
    return NULL;
}

const pattern_type *pattern_find_type(const pattern *of, const char *type_name) {
    for (const pattern_type *it = of->types; it->name; it++) {
        if (strcmp(it->name, type_name) == 0) {
            return it;
        }
    }
    return NULL;
}
