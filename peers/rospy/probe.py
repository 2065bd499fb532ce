#!/usr/bin/python3
"""Says which rospy this is, or what is missing."""
import os
import sys


def main():
    build = os.environ.get("RCLBENCH_BUILD_DIR", os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, os.path.join(build, "python"))
    try:
        import actionlib  # noqa: F401
        import actionlib_benchmark.msg  # noqa: F401
        import nav_msgs.srv  # noqa: F401
        import rospy  # noqa: F401
        import std_msgs.msg  # noqa: F401
    except ImportError as problem:
        print(f"missing: {problem}")
        return 77
    print(f"rospy {rospy_version()}")
    return 0


def rospy_version():
    try:
        from importlib import metadata
        return metadata.version("rospy")
    except Exception:  # an installation without metadata still works
        return "of unknown version"


if __name__ == "__main__":
    sys.exit(main())
