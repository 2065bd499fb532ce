/* rclite: a small C client library for ROS 1 and ROS 2 that needs no ROS installation. This header
 * includes the whole API; start at context.h. */
#ifndef RCLITE_RCLITE_H
#define RCLITE_RCLITE_H

#include "rclite/action.h"
#include "rclite/allocator.h"
#include "rclite/context.h"
#include "rclite/graph.h"
#include "rclite/loader.h"
#include "rclite/node.h"
#include "rclite/parameter.h"
#include "rclite/qos.h"
#include "rclite/result.h"
#include "rclite/service.h"
#include "rclite/time.h"
#include "rclite/topic.h"
#include "rclite/type.h"

#endif
