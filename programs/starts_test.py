#!/usr/bin/python3
"""A service's server and client start at once, again and again: starts_test.py FOLDER

Whichever of the two discovers the other first, the first call is answered, and once. How long it
takes decides nothing here; a call that gets lost ends after ten seconds, with status 1."""
import os
import random
import signal
import subprocess
import sys

from running import end, start

STARTS = 120


def check(client_first, calls):
    server_words = ("service-stress-test", "-s", "1")
    client_words = ("client-stress-test", "-r", str(calls))
    if client_first:
        client, server = start(*client_words), start(*server_words)
    else:
        server, client = start(*server_words), start(*client_words)
    answered = end(client)
    server.send_signal(signal.SIGINT)
    served = end(server)
    good = answered[0] == 0 and served[:2] == (0, f"Served {calls} calls.\n")
    if not good:
        print("FAILED:", "client first" if client_first else "server first", calls, answered,
              served, flush=True)
    return good


# Processes that only compute, so that now this side and now the other is late.
load = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(os.cpu_count() or 1)]
try:
    choice = random.Random(1)
    bad = sum(not check(choice.random() < 0.5, choice.choice((1, 1, 5))) for _ in range(STARTS))
finally:
    for process in load:
        process.kill()
        process.wait()
print(f"{STARTS} starts, {bad} of them with a call that was not answered or not served once")
sys.exit(1 if bad else 0)
