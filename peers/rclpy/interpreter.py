"""Finds the interpreter that rclpy was built for. rclpy's extension carries the version of Python
in its file name, and another interpreter cannot import it."""
import glob
import importlib.machinery
import os
import re
import shutil
import sys

TRIED = "RCLBENCH_RCLPY_INTERPRETER"


def extension_file():
    """(the extension's file, whether it fits this interpreter); (None, False): there is no
    rclpy."""
    other = None
    for folder in sys.path:
        for path in sorted(glob.glob(os.path.join(folder, "rclpy", "_rclpy_pybind11*.so"))):
            name = os.path.basename(path)
            if name[len("_rclpy_pybind11"):] in importlib.machinery.EXTENSION_SUFFIXES:
                return path, True
            other = other or path
    return other, False


def fitting_interpreter(path):
    """An interpreter for an extension that does not fit this one, or None."""
    found = re.search(r"\.cpython-(\d)(\d+)-", os.path.basename(path))
    if not found:
        return None
    name = f"python{found[1]}.{found[2]}"
    beside = os.path.join("/usr/bin", name)
    return beside if os.access(beside, os.X_OK) else shutil.which(name)


def settle():
    """Returns when this interpreter can import rclpy; else goes on as the one that can. The result
    is None, or why there is none."""
    path, fits = extension_file()
    if fits:
        return None
    if path is None:
        return "no rclpy on PYTHONPATH (source a ROS 2 installation that has it)"
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    other = fitting_interpreter(path)
    if other is None or os.environ.get(TRIED):
        return (f"{sys.executable} (Python {version}) cannot import {path}, and no interpreter "
                "that can is found")
    os.environ[TRIED] = sys.executable
    os.execv(other, [other] + sys.argv)


def note():
    """What to say of an interpreter that did not fit; usually nothing."""
    tried = os.environ.get(TRIED)
    return f", by {sys.executable} ({tried} cannot import its extension)" if tried else ""
