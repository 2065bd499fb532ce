/* Types at run time: any interface found as text on a search path, without a compiler. */
#ifndef RCLITE_LOADER_H
#define RCLITE_LOADER_H

#include "rclite/type.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rclite_loader rclite_loader;

/* path: folders separated by ':'; each is looked at as <folder>/<pkg>/{msg,srv,action}/Name.ext and
 * <folder>/share/<pkg>/... (an installed ROS). NULL: AMENT_PREFIX_PATH or ROS_PACKAGE_PATH, and the
 * definitions that rclite installs. The types belong to the loader. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_loader_create(rclite_generation generation,
    const char *path, const rclite_allocator *allocator, rclite_loader **ret_loader,
    rclite_error *reterr);
RCLITE_API rclite_loader *rclite_loader_free(rclite_loader *loader);
/* name: pkg/msg/Name or pkg/Name. Loading twice gives the same pointer. Thread-safe: no. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_loader_message(
    rclite_loader *loader, const char *name, const rclite_type **ret_type, rclite_error *reterr);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_loader_service(rclite_loader *loader,
    const char *name, const rclite_service_type **ret_type, rclite_error *reterr);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_loader_action(rclite_loader *loader,
    const char *name, const rclite_action_type **ret_type, rclite_error *reterr);
/* The same from text in memory instead of a file, for nested types on the search path. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_loader_message_text(rclite_loader *loader,
    const char *name, const char *text, const rclite_type **ret_type, rclite_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
