"""The command line of rclbench, driven through the null peer: what it prints, how it exits, and
that nothing is left running or lying about, whatever peers and users do.

Run by CTest as: harness_test.py BUILD_DIR SOURCE_DIR [test names]"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
RCLBENCH = os.path.join(BUILD, "bin", "rclbench")
COMMANDS = ["topic", "service", "action", "startup", "run", "peers", "verify", "report", "compare",
            "doctor"]
DEADLINE_S = 120


def processes_below(folder):
    """Pids of live processes whose command line names a folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read().decode(errors="replace")
            with open(f"/proc/{pid}/stat") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if folder in command and state not in "ZX" and int(pid) != os.getpid():
            found.append(int(pid))
    return found


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rclbench-cli-test-")
        self.environment = dict(os.environ, TMPDIR=self.folder)
        for name in ("RCLBENCH_PEER_PATH", "ROS_DOMAIN_ID", "AMENT_PREFIX_PATH"):
            self.environment.pop(name, None)

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *words, **more):
        return subprocess.Popen(
            [RCLBENCH, *words], env=self.environment, cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def run_it(self, *words, status=0):
        process = self.start(*words)
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, status, f"{words}\n{out}\n{err}")
        return out, err

    def run_json(self, *words, status=0):
        out, err = self.run_it(*words, "--format", "json", status=status)
        return json.loads(out), err

    def wait_for(self, condition, what):
        end = time.monotonic() + DEADLINE_S
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def assert_nothing_is_left(self):
        self.wait_for(lambda: not processes_below(self.folder), "processes are left")
        self.assertEqual(os.listdir(self.folder), [])


class Words(Case):
    def test_help_and_version_everywhere(self):
        for command in [[]] + [[name] for name in COMMANDS]:
            out, err = self.run_it(*command, "--help")
            self.assertTrue(out.startswith(" ".join(["Usage: rclbench", *command])), out)
            self.assertIn("--help", out)
            self.assertEqual(err, "")
            out, err = self.run_it(*command, "--version")
            self.assertRegex(out, r"^rclbench \d+\.\d+\.\d+\n$")
        out, _ = self.run_it("--help")
        for name in COMMANDS:
            self.assertIn(f"\n  {name} ", out)

    def test_what_cannot_be_meant_is_said_with_status_2(self):
        for words, message in [
            (["topci"], "there is no command 'topci' (did you mean 'topic'?)"),
            (["topic", "--form", "x"], "there is no option --form (did you mean --from?)"),
            (["topic"], "who with whom? give --from and --to"),
            (["service"], "who with whom? give --client and --server"),
            (["topic", "--from", "nul"], "there is no peer 'nul' (did you mean 'null'?)"),
            (["topic", "--from", "null", "x"], "'x' is one word too many"),
            (["run"], "PLAN.yaml is missing"),
            (["run", "missing.yaml"], "missing.yaml: No such file or directory"),
            (["report", "missing.json"], "missing.json"),
            (["topic", "--from", "null", "-n", "0"], "--count: '0' is not possible"),
            (["topic", "--from", "null", "-o", "/nonexistent/x.json", "-n", "1"],
             "/nonexistent/x.json: No such file or directory"),
            (["peers", "--peer-path", "/nonexistent"], "/nonexistent: No such file"),
            (["peers", "--ros2-prefix", "/nonexistent"], "/nonexistent is no ROS 2 installation"),
        ]:
            out, err = self.run_it(*words, status=2)
            self.assertIn(message, err)
            self.assertEqual(out, "")
        self.assert_nothing_is_left()

    def test_peers_lists_and_names_broken_manifests(self):
        out, _ = self.run_it("peers")
        self.assertRegex(out, r"(?m)^null +yes +C +1\+2 +topic, service, action, startup$")
        os.makedirs(os.path.join(self.folder, "peers", "broken"))
        with open(os.path.join(self.folder, "peers", "broken", "peer.json"), "w") as file:
            file.write('{"name": "broken",\n "run": }')
        self.environment["RCLBENCH_PEER_PATH"] = os.path.join(self.folder, "peers")
        out, err = self.run_it("peers", status=2)
        self.assertIn("broken/peer.json:2:", err)
        self.assertRegex(out, r"(?m)^null +yes")

    def test_a_peer_that_is_missing_says_what_to_install(self):
        folder = os.path.join(self.folder, "peers", "absent")
        os.makedirs(folder)
        with open(os.path.join(folder, "peer.json"), "w") as file:
            json.dump({"name": "absent", "language": "C", "library": "x", "generations": [2],
                       "patterns": ["topic"], "probe": ["sh", "-c", "echo no x here; exit 77"],
                       "run": ["./peer"], "install": "libx-dev"}, file)
        out, _ = self.run_it("peers", "--peer-path", os.path.join(self.folder, "peers"))
        self.assertRegex(out, r"(?m)^absent +no ")
        self.assertIn("no x here", out)
        self.assertIn("to install: libx-dev", out)
        result, _ = self.run_json("topic", "--peer-path", folder, "--from", "absent", status=2)
        self.assertEqual(
            result["cells"][0]["refused"], "absent is not available here: no x here")

    def test_a_ros2_that_is_not_supported_is_named(self):
        prefix = os.path.join(self.folder, "ros", "humble")
        os.makedirs(os.path.join(prefix, "share", "ament_index"))
        with open(os.path.join(prefix, "setup.sh"), "w") as file:
            file.write(f"export ROS_DISTRO=humble AMENT_PREFIX_PATH={prefix}\n")
        out, _ = self.run_it("peers", "--ros2-prefix", prefix)
        self.assertIn(f"ROS 2: humble in {prefix}, RMW rmw_cyclonedds_cpp (installed: none).", out)
        self.assertRegex(out, r"(?m)^rclcpp +no ")
        self.assertIn(f"ROS 2 humble ({prefix}) is not supported: Iron or later is needed", out)
        self.assertRegex(out, r"(?m)^rclite +yes ")

    def test_too_old_a_node_js_is_named(self):
        tools = os.path.join(self.folder, "tools")
        os.makedirs(tools)
        node = os.path.join(tools, "node")
        probe = os.path.join(SOURCE, "peers", "rclnodejs", "need-node")
        environment = dict(self.environment, PATH=f"{tools}:{os.environ['PATH']}")
        for version, reason in [("v18.19.0", "Node.js v18.19.0; rclnodejs needs 20.20 or newer"),
                                ("v20.19.6", "Node.js v20.19.6; rclnodejs needs 20.20 or newer"),
                                ("v9.1.0", "Node.js v9.1.0; rclnodejs needs 20.20 or newer"),
                                ("v20.20.0", ""), ("v24.1.0", "")]:
            with open(node, "w") as file:
                file.write(f"#!/bin/sh\necho {version}\n")
            os.chmod(node, 0o755)
            done = subprocess.run([probe], env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 77 if reason else 0, version)
            self.assertIn(reason, done.stdout)

    def test_doctor(self):
        process = self.start("doctor")
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(err, "")
        bad = out.count("\nBAD   ")
        self.assertEqual(process.returncode, 1 if bad else 0)
        self.assertIn("reading the clock takes", out)
        self.assertIn("would spoil the numbers.", out)


class Measuring(Case):
    def test_every_pattern_counts_exactly(self):
        for words in (["topic", "--from"], ["topic", "--echo", "--from"], ["service", "--client"],
                      ["action", "--period", "0", "--client"]):
            result, _ = self.run_json(*words, "null", "-n", "50")
            summary = result["cells"][0]["summary"]
            self.assertEqual(summary["sent"], 50)
            self.assertEqual(summary["received"] + summary["lost"], 50)
            self.assertEqual(result["cells"][0]["count"], 50)
        self.assert_nothing_is_left()

    def test_startup(self):
        result, _ = self.run_json("startup", "--from", "null")
        summary = result["cells"][0]["summary"]
        self.assertEqual(summary["received"], 1)
        self.assert_nothing_is_left()

    def test_a_matrix_and_its_rounds(self):
        result, err = self.run_json(
            "topic", "--from", "null", "--to", "null", "-s", "64,1KiB", "-n", "5", "--rounds", "2")
        self.assertEqual([cell["payload_bytes"] for cell in result["cells"]], [64, 1024])
        self.assertEqual([len(cell["rounds"]) for cell in result["cells"]], [2, 2])
        # Not a terminal: a line every few seconds, and the last.
        self.assertIn("[4/4] topic, ROS 2, null, 1 KiB, round 2\n", err)
        self.assertRegex(err, r"^(\[[123]/4\] \d:\d\d left, .*\n)*\[4/4\]")

    def test_the_default_plan_of_one_peer(self):
        result, _ = self.run_json("--peers", "null", "-n", "5", "--rounds", "2", "--payload", "64")
        self.assertEqual([(cell["generation"], cell["pattern"]) for cell in result["cells"]],
                         [(2, "topic"), (2, "service"), (1, "topic"), (1, "service")])
        self.assertEqual({(cell.get("from", cell.get("client")), len(cell["rounds"]))
                          for cell in result["cells"]}, {("null", 2)})
        self.assertEqual(sorted(name.rsplit(".")[1] for name in os.listdir(self.folder)),
                         ["html", "json"])
        _, err = self.run_it("--peers", "nul", status=2)
        self.assertIn("there is no peer 'nul' (did you mean 'null'?)", err)
        _, err = self.run_it("--peers", "cyclonedds", "--ros", "1", status=2)
        self.assertIn("no client library of those named plays this", err)

    def test_a_plan_file(self):
        path = os.path.join(self.folder, "plan.yaml")
        with open(path, "w") as file:
            file.write("rounds: 2\ndefaults: {count: 5}\nexperiments:\n"
                       "  - {pattern: [topic, service], from: 'null', payload: [64, 128]}\n")
        _, err = self.run_it("run", path, status=2)
        self.assertIn("plan.yaml:4:", err)  # A service has no --from.
        with open(path, "w") as file:
            file.write("rounds: 2\ndefaults: {count: 5}\nexperiments:\n"
                       "  - {pattern: topic, from: 'null', payload: [64, 128]}\n"
                       "  - {pattern: service, client: 'null'}\n")
        result, _ = self.run_json("run", path, "--rounds", "1")
        self.assertEqual(len(result["cells"]), 3)
        self.assertEqual({len(cell["rounds"]) for cell in result["cells"]}, {1})
        self.assertEqual({cell["count"] for cell in result["cells"]}, {5})

    def test_what_cannot_be_paired_is_refused(self):
        result, _ = self.run_json("topic", "--from", "null,cyclonedds", "--to", "null", "-n", "5",
                                  status=2)
        self.assertIsNone(result["cells"][0]["refused"])
        self.assertIn("do not speak the same protocol", result["cells"][1]["refused"])

    def test_saved_samples_stay(self):
        samples = os.path.join(self.folder, "samples")
        result, _ = self.run_json("topic", "--from", "null", "-n", "5", "--save-samples", samples)
        self.assertEqual(len(os.listdir(samples)), 2)
        shutil.rmtree(samples)
        self.assert_nothing_is_left()

    def test_two_at_once_do_not_meet(self):
        words = ["topic", "--from", "null", "-n", "200", "--rate", "400", "--format", "json"]
        both = [self.start(*words), self.start(*words)]
        results = []
        for process in both:
            out, err = process.communicate(timeout=DEADLINE_S)
            self.assertEqual(process.returncode, 0, err)
            results.append(json.loads(out))
        domains = {result["environment"]["domain_id"] for result in results}
        self.assertEqual(len(domains), 2)

    def test_server_and_client_from_two_terminals(self):
        server = self.start("service", "--only", "server", "--server", "null", "--format", "json",
                            "--domain", "33")
        client, _ = self.run_json("service", "--only", "client", "--client", "null", "-n", "20",
                                  "--domain", "33")
        self.assertEqual(client["cells"][0]["summary"]["sent"], 20)
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=DEADLINE_S)
        self.assertEqual(server.returncode, 0, err)
        json.loads(out)
        self.assert_nothing_is_left()

    def test_alone_it_says_where_it_looks(self):
        process = self.start("topic", "--only", "publisher", "--from", "null", "-n", "5",
                             "--domain", "34", "--timeout", "5s")
        _, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual(process.returncode, 2)
        self.assertIn("no match for 2 s: domain 34 (ROS_DOMAIN_ID sets it); interface: ", err)


class Trouble(Case):
    def fails(self, *settings, message, words=(), said=None):
        """One side misbehaves: status 2, and a sentence that names the peer."""
        pairs = [word for setting in settings for word in ("--set", setting)]
        result, err = self.run_json("topic", "--from", "null", "-n", "20", "--timeout", "10s",
                                    *pairs, *words, status=2)
        self.assertIn(message, err)
        if said is not None:
            self.assertIn(said, err)
        self.assertFalse(result["cells"][0]["rounds"][0]["ok"])
        self.assertIn(message, result["cells"][0]["rounds"][0]["failure"])
        self.assert_nothing_is_left()

    def test_crash(self):
        for stage in ("start", "ready", "go", "measured", "write"):
            self.fails("side=publisher", f"crash={stage}",
                       message="null (publisher) was killed by signal 11")
        self.fails("side=subscriber", "crash=go",
                   message="null (subscriber) was killed by signal 11")

    def test_hang(self):
        for stage, message in (("start", "did not get ready in time"),
                               ("go", "did not "),
                               ("write", "did not say 'done' after 'stop' in time"),
                               ("done", "did not exit in time after 'done'")):
            self.fails("side=subscriber", f"hang={stage}", message=f"null (subscriber) {message}",
                       words=["--timeout", "2s"])

    def test_exit(self):
        self.fails("side=publisher", "exit=go", "exit_code=3",
                   message="null (publisher) exited with status 3")
        self.fails("side=publisher", "exit=start", "exit_code=77",
                   message="null (publisher) is not available here")

    def test_lies(self):
        self.fails("side=subscriber", "done_offset=1",
                   message="said 'done 21', but its file holds 20")
        for offset, rows in (("-1", 19), ("1", 21)):
            self.fails("side=publisher", f"rows_offset={offset}",
                       message=f"null (publisher) recorded {rows} messages instead of 20")
        self.fails("side=publisher", "now_offset_ns=1000000000",
                   message="null (publisher) has another clock")

    def test_rubbish_and_refusals(self):
        self.fails("side=publisher", "line=xyzzy", "line_at=created",
                   message="null (publisher) said 'xyzzy', which is not a word of the protocol")
        self.fails("nonsense=1", message="refuses the job: it does not support settings.nonsense")

    def test_flood_and_late_readiness_are_borne(self):
        for settings in (["flood=created"], ["flood=created", "flood_stderr=true"],
                         ["ready_delay_ns=300000000"]):
            pairs = [word for setting in settings for word in ("--set", setting)]
            result, _ = self.run_json("topic", "--from", "null", "-n", "20", *pairs)
            self.assertEqual(result["cells"][0]["summary"]["received"], 20)
        self.fails("side=publisher", "flood=created", "flood_bytes=10000", "crash=ready",
                   message="killed by signal 11", said="null (publisher) said:\n  | ")

    def test_a_cell_is_given_up_after_two_failures(self):
        result, _ = self.run_json("topic", "--from", "null", "-n", "5", "--rounds", "5",
                                  "--set", "crash=ready", status=2)
        self.assertEqual(len(result["cells"][0]["rounds"]), 2)


class Interrupting(Case):
    def peers(self):
        return [pid for pid in processes_below(self.folder) if pid != self.process.pid]

    def start_long(self, *more):
        self.process = self.start("topic", "--from", "null", "-n", "1000", "--rate", "20", *more)
        self.wait_for(lambda: len(self.peers()) >= 2, "two peers run")

    def test_ctrl_c_reports_what_was_measured(self):
        self.process = self.start("topic", "--from", "null", "-n", "5", "--rounds", "1000",
                                  "--format", "json")
        self.process.stderr.close()
        time.sleep(0.1)
        self.wait_for(lambda: any(name.endswith("-003-publisher.job.json")
                                  for _, _, names in os.walk(self.folder) for name in names),
                      "four rounds have begun")
        self.process.send_signal(signal.SIGINT)
        out = self.process.stdout.read()
        self.process.stdout.close()
        self.assertEqual(self.process.wait(DEADLINE_S), 2)
        result = json.loads(out)
        self.assertGreaterEqual(len(result["cells"][0]["rounds"]), 3)
        self.assertEqual(result["cells"][0]["summary"]["sent"] % 5, 0)
        self.assertTrue(result["interrupted"])
        self.assert_nothing_is_left()

    def test_signals_leave_no_peer(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.start_long()
            self.process.send_signal(number)
            self.process.communicate(timeout=DEADLINE_S)
            self.assertEqual(self.process.returncode, 2)
            self.assert_nothing_is_left()

    def test_sigkill_leaves_no_peer(self):
        self.start_long()
        self.process.kill()
        self.process.communicate(timeout=DEADLINE_S)
        self.wait_for(lambda: not processes_below(self.folder), "peers are left")

    def test_sigkill_ends_peers_that_hang(self):
        self.start_long("--set", "hang=go")
        self.process.kill()
        self.process.communicate(timeout=DEADLINE_S)
        self.wait_for(lambda: not processes_below(self.folder), "peers are left")

    def test_what_a_killed_run_left_is_cleared_by_a_later_one(self):
        def folders():
            return sorted(name for name in os.listdir(self.folder) if name.startswith("rclbench-"))
        self.start_long()
        killed = folders()
        self.assertEqual(len(killed), 1)
        self.process.kill()
        self.process.communicate(timeout=DEADLINE_S)
        self.assertEqual(folders(), killed)
        self.wait_for(lambda: not processes_below(self.folder), "peers are left")
        os.mkdir(os.path.join(self.folder, "rclbench-ofmine"))
        self.start_long()
        running = folders()
        self.assertEqual(len(running), 2)
        self.assertNotIn(killed[0], running)
        self.run_it("topic", "--from", "null", "-n", "5")
        self.assertEqual(folders(), running)  # what is in use stays
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=DEADLINE_S)
        self.assertEqual(folders(), ["rclbench-ofmine"])

    def test_a_closed_standard_output_is_trouble(self):
        process = self.start("topic", "--from", "null", "-n", "5")
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(DEADLINE_S), 2)
        self.assertIn("standard output: Broken pipe", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
