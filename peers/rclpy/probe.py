#!/usr/bin/python3
"""Says which rclpy this is, or what is missing."""
import os
import sys

import interpreter


def version():
    try:
        from importlib import metadata
        return metadata.version("rclpy")
    except Exception:  # an installation without metadata still works
        return "of unknown version"


def main():
    if not os.environ.get("AMENT_PREFIX_PATH"):
        print("no ROS 2 found (source one, or install one below /opt/ros)")
        return 77
    problem = interpreter.settle()
    if problem:
        print(problem)
        return 77
    try:
        import nav_msgs.srv  # noqa: F401
        import rclpy.utilities
        import std_msgs.msg  # noqa: F401
    except ImportError as missing:
        print(f"missing: {missing}")
        return 77
    try:
        import actionlib_benchmark.action  # noqa: F401
    except ImportError as missing:
        print(f"missing: {missing}: run make bench (then make install again, if this rclbench is "
              "installed)")
        return 77
    rmw = rclpy.utilities.get_rmw_implementation_identifier()
    print(f"rclpy {version()}, {rmw}{interpreter.note()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
