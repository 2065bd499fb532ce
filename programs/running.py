"""Starts and ends the programs for the tests beside it, on loopback in a domain of their own. The
first argument of the test is the folder that they are in."""
import os
import subprocess
import sys

FOLDER = sys.argv[1]
DEADLINE_S = 60
# Not above 101: the ports of those domains are among those that the kernel gives to anybody.
ENVIRONMENT = {**os.environ, "ROS_DOMAIN_ID": str(60 + os.getpid() % 40), "ROS_IP": "127.0.0.1"}
for name in ("CYCLONEDDS_URI", "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_MASTER_URI"):
    ENVIRONMENT.pop(name, None)


def start(*words):
    return subprocess.Popen([os.path.join(FOLDER, words[0]), *words[1:]], env=ENVIRONMENT,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end(process):
    """(exit status, standard output, standard error)"""
    out, err = process.communicate(timeout=DEADLINE_S)
    return process.returncode, out, err
