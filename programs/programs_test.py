#!/usr/bin/python3
"""Runs the ancestors' programs against each other over loopback: programs_test.py FOLDER

Checks result lines byte for byte, counts, exit statuses and what is said when something is
missing."""
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from running import ENVIRONMENT, end, start

TOOK = r"Benchmark took \d+ seconds and \d{1,3} milliseconds\.\n"
failures = []


def run(*words):
    return end(start(*words))


def interrupt(process):
    process.send_signal(signal.SIGINT)
    return end(process)


def expect(what, condition, *shown):
    if not condition:
        failures.append(what)
        print("FAILED:", what, *shown, sep="\n  ", flush=True)


def check_topic(*ros):
    subscription = start("subscription-stress-test", *ros)
    status, out, err = run("publisher-stress-test", "-r", "50", "--size=4", *ros)
    expect("publisher's lines", status == 0 and re.fullmatch(
        r"The publisher will publish a UInt8MultiArray topic"
        r"\(contains a size of 4KB array\) 50 times\.\n" + TOOK, out), status, out, err)
    status, out, err = interrupt(subscription)
    match = re.fullmatch(r"Received (\d+) messages with (\d+) bytes\.\n", out)
    expect("subscription's count", status == 0 and match and 0 < int(match[1]) <= 50
           and int(match[2]) == 4096 * int(match[1]), status, out, err)


def check_service(*ros):
    service = start("service-stress-test", "-s2", *ros)
    status, out, err = run("client-stress-test", "--run", "20", *ros)
    expect(f"client's lines {ros}", status == 0 and re.fullmatch(
        r"The client will send a GetMap request continuously until receiving response 20 times\.\n"
        + TOOK, out), status, out, err)
    status, out, err = interrupt(service)
    expect("service's count", (status, out) == (0, "Served 20 calls.\n"), status, out, err)


def check_roundtrip(*ros):
    server = start("roundtrip_server", *ros)
    number = r"(-?\d+\.\d{6})"
    status, out, err = run("roundtrip_client", "10", "--period", "5ms", *ros)
    match = re.search(rf"SEND   Average: {number}    Deviation: {number}\n"
                      rf"RECV   Average: {number}    Deviation: {number}\n"
                      rf"TOTAL  Average: {number}    Deviation: {number}\n\Z", out)
    expect("roundtrip's lines", status == 0 and match, status, out, err)
    if match:
        send, recv, total = float(match[1]), float(match[3]), float(match[5])
        expect("SEND + RECV = TOTAL", abs(send + recv - total) < 3e-6, out)
    status, out, err = run("roundtrip_client", *ros)
    expect("the three times of one run", status == 0 and re.search(
        rf"Sending time:    {number}\nReceiving time:  {number}\nRound trip time: {number}\n\Z",
        out),
           status, out, err)
    status, out, err = interrupt(server)
    expect("server's count", (status, out) == (0, "Served 11 goals.\n"), status, out, err)


def check_usage():
    for words, part in ((("publisher-stress-test", "-r", "x"), "--run: 'x'"),
                        (("publisher-stress-test", "-s", "0"), "--size: '0'"),
                        (("client-stress-test", "--run"), "needs a value"),
                        (("service-stress-test", "--nope"), "unknown option --nope"),
                        (("roundtrip_client", "0"), "N: '0'"),
                        (("roundtrip_client", "3", "4"), "unexpected argument '4'"),
                        (("roundtrip_client", "--period=5"), "--period: '5'"),
                        (("subscription-stress-test", "--ros", "3"), "--ros: '3'")):
        status, out, err = run(*words)
        expect(" ".join(words), status == 2 and part in err and words[0] in err and out == "",
               status, out, err)
    status, out, err = run("publisher-stress-test", "--help")
    expect("--help", status == 0 and "--size" in out and "ROS_DOMAIN_ID" in out, out, err)


def check_nobody_there():
    client = start("client-stress-test", "-r", "3")
    said = client.stderr.readline() + client.stderr.readline() + client.stderr.readline()
    expect("what to set", f"domain {ENVIRONMENT['ROS_DOMAIN_ID']}, interfaces [\"lo\"]" in said
           and "ROS_AUTOMATIC_DISCOVERY_RANGE" in said, said)
    status, _, err = interrupt(client)
    expect("Ctrl-C while waiting", status == 2 and "interrupted" in err, status, err)
    status, out, err = run("publisher-stress-test", "--ros-args", "-r", "stress_topic:=elsewhere",
                           "--")
    expect("gives up", status == 2 and "gave up after 10 s" in err and "Benchmark" not in out,
           status, out, err)
    status, out, err = run("roundtrip_client", "3")
    expect("no master", status == 2 and "ROS_MASTER_URI" in err and "--ros 2" in err, status, out,
           err)


def check_ros1():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ENVIRONMENT["ROS_MASTER_URI"] = f"http://127.0.0.1:{port}"
    master = subprocess.Popen(["rosmaster", "--core", "-p", str(port)], env=ENVIRONMENT,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while socket.socket().connect_ex(("127.0.0.1", port)) != 0 and time.monotonic() < deadline:
            time.sleep(0.05)
        check_topic("--ros", "1")
        check_service("--ros=1")
        check_roundtrip()
    finally:
        master.terminate()
        master.wait()


ENVIRONMENT["ROS_MASTER_URI"] = "http://127.0.0.1:9"
check_usage()
check_topic()
check_service()
check_roundtrip("--ros", "2")
check_nobody_there()
if shutil.which("rosmaster"):
    check_ros1()
else:
    print("without ROS 1: no rosmaster here")
sys.exit(1 if failures else 0)
