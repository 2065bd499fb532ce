#!/usr/bin/python3
"""What rclbench says about runs whose outcome is known, because the null peer was told it:
statistics, counts, saved samples, every format, and comparing.

Run by CTest as: results_test.py BUILD_DIR SOURCE_DIR"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
DEADLINE_S = 120


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rclbench-results-test-")
        self.environment = dict(os.environ, TMPDIR=self.folder)

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_it(self, *words, status=0):
        done = subprocess.run([os.path.join(BUILD, "bin", "rclbench"), *words],
                              env=self.environment, text=True,
                              cwd=self.folder, capture_output=True, timeout=DEADLINE_S)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_json(self, *words):
        return json.loads(self.run_it(*words, "--format", "json")[0])

    def measure_calls(self, name, latency_ns):
        self.run_it("service", "--client", "null", "--server", "null", "-n", "20", "--warmup", "0",
                    "--rounds", "6",
                    "--set", f"latency_ns={latency_ns}", "-o", name)

    def test_scripted_latencies_give_the_reference_statistics(self):
        with open(os.path.join(SOURCE, "bench/stats/reference/vectors.json"),
                  encoding="utf-8") as file:
            vector = next(v for v in json.load(file)["distributions"] if v["name"] == "log_normal")
        with open(self.path("latencies"), "w", encoding="utf-8") as file:
            file.write("\n".join(map(str, vector["values"])) + "\n")
        result = self.run_json("topic", "--from", "null", "--to", "null", "-n",
                               str(len(vector["values"])),
                               "--set", f'latency_ns="@{self.path("latencies")}"')
        for part in (result["cells"][0]["rounds"][0], result["cells"][0]["summary"]):
            got = part["latency_ns"]
            for key in ("n", "min", "max", "outliers_mild", "outliers_severe"):
                self.assertEqual(got[key], vector["expected"][key], key)
            for key in ("mean", "mean_abs_dev", "stddev", "p50", "p90", "p99"):
                self.assertAlmostEqual(got[key] / vector["expected"][key], 1, delta=1e-9, msg=key)
            self.assertIsNone(got["p99_9"])  # fewer than ten of the 1000 lie beyond
            self.assertEqual(sum(count for _, count in got["histogram"]["buckets"]), 1000)

    def test_scripted_losses_are_counted(self):
        result = self.run_json("topic", "--from", "null", "--to", "null", "-n", "100", "--rounds",
                               "2", "--set",
                               "lose=[3,7]", "--set", "duplicate=[5]", "--set", "reorder=[10]",
                               "--set", "corrupt=[20]")
        for part, rounds in ((result["cells"][0]["rounds"][1], 1),
                             (result["cells"][0]["summary"], 2)):
            self.assertEqual([part[key] for key in ("sent", "received", "lost", "duplicated",
                                                    "reordered", "corrupt")],
                             [100 * rounds, 97 * rounds, 3 * rounds, rounds, rounds, rounds])

    def test_last_message_lost_and_no_data(self):
        result = self.run_json("topic", "--from", "null", "--to", "null", "-n", "3", "--warmup",
                               "0", "--set",
                               "lose=[0,1,2]")
        part = result["cells"][0]["rounds"][0]
        self.assertEqual((part["sent"], part["received"], part["lost"]), (3, 0, 3))
        self.assertTrue(part["last_was_lost"])
        for key in ("latency_ns", "delivered_total_ns", "throughput_msgs_per_s"):
            self.assertIsNone(part[key], key)

    def test_saved_samples_confirm_the_result(self):
        self.run_it("service", "--client", "null", "--server", "null", "-n", "50", "--rounds", "2",
                    "--save-samples",
                    "samples", "-o", "result.json")
        _, said = self.run_it("report", "result.json")
        self.assertIn("2 rounds computed again", said)
        os.mkdir(self.path("moved"))
        for name in ("samples", "result.json"):
            shutil.move(self.path(name), self.path("moved"))
        _, said = self.run_it("report", "moved/result.json")
        self.assertIn("2 rounds computed again", said)
        for name in ("samples", "result.json"):
            shutil.move(self.path("moved/" + name), self.folder)
        victim = sorted(glob.glob(self.path("samples") + "/**/*", recursive=True))[-1]
        with open(victim, "r+b") as file:
            file.seek(64 + 40)
            byte = file.read(1)[0]
            file.seek(64 + 40)
            file.write(bytes([byte ^ 1]))
        _, said = self.run_it("report", "result.json", status=2)
        self.assertIn("was changed", said)
        self.assertIn(os.path.basename(victim), said)
        text = self.read("result.json")
        with open(self.path("other.json"), "w", encoding="utf-8") as file:
            file.write(re.sub(r'"sent": 50', '"sent": 51', text, count=1))
        _, said = self.run_it("report", "other.json", status=2)
        self.assertIn("cells[0].rounds[0]: sent is not received + lost", said)

    def test_every_format(self):
        self.run_it("topic", "--from", "null", "--to", "null", "-n", "20", "-o", "result.json")
        subprocess.run(["/usr/bin/python3", os.path.join(SOURCE, "bench/report/schema_test.py"),
                        os.path.join(SOURCE, "docs/result-schema.json"), self.path("result.json")],
                       check=True)
        for name, begins in (("r.txt", "Topic, ROS 2"), ("r.md", "# rclbench"),
                             ("r.html", "<!DOCTYPE html>"),
                             ("r.csv", "pattern,generation,"), ("r.json", "{")):
            self.run_it("report", "result.json", "-o", name)
            self.assertTrue(self.read(name).startswith(begins), name)
        self.assertEqual(self.read("r.json"), self.read("result.json"))

    def test_what_cannot_be_written_is_said_before_measuring(self):
        os.mkdir(self.path("folder"))
        for path in ("folder", "nowhere/x.json"):
            out, err = self.run_it("topic", "--from", "null", "-n", "20", "-o", path, status=2)
            self.assertIn(f"{path}: ", err)
            self.assertNotIn("[1/1]", err)
        self.measure_calls("file.json", 1000)
        out, err = self.run_it("topic", "--from", "null", "-n", "20", "--save-samples", "file.json",
                               status=2)
        self.assertIn("file.json: ", err)
        self.assertNotIn("FAILED", out)

    def test_a_result_that_cannot_be_written_is_kept(self):
        out, err = self.run_it("topic", "--from", "null", "-n", "20", "-o", "/dev/full", status=2)
        self.assertIn("/dev/full: No space left on device; the result is in ", err)
        kept = re.search(r"the result is in (\S+)", err).group(1)
        self.assertIn("null  null  20", self.run_it("report", kept)[0])
        for words in (["topic", "--help"], ["peers"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([os.path.join(BUILD, "bin", "rclbench"), *words], stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=DEADLINE_S,
                                      check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("standard output: No space left on device", done.stderr)

    def test_a_duration_at_a_rate_is_a_number(self):
        result = self.run_json("topic", "--from", "null", "-r", "100", "--duration", "100ms", "--rounds", "3")
        for part in result["cells"][0]["rounds"]:
            self.assertTrue(1 <= part["sent"] <= 10, part["sent"])  # fewer only where the machine is too slow

    def test_the_plan_of_the_help_is_one(self):
        text = self.run_it("run", "--help")[0]
        first = text.index("    rounds: 10")
        plan = "".join(line[4:] + "\n" for line in text[first:].split("\n\n")[0].splitlines())
        plan = plan.replace("rounds: 10", "rounds: 1").replace("[rclite, rclcpp]", "[null]")
        with open(self.path("plan.yaml"), "w", encoding="utf-8") as file:
            file.write(plan)
        result = self.run_json("run", "plan.yaml")
        self.assertEqual([cell["payload_bytes"] for cell in result["cells"]], [64, 1024, 1 << 20])

    def test_a_baseline_that_was_not_measured_is_said(self):
        out, _ = self.run_it("topic", "--from", "null", "-n", "20", "--baseline", "nobody")
        self.assertIn("no ratios: nobody with itself is not among the measurements", out)

    def test_compare(self):
        self.measure_calls("old.json", "[100000,120000]")
        self.measure_calls("new.json", "[200000,240000]")
        out, _ = self.run_it("compare", "old.json", "new.json", status=1)
        self.assertRegex(out, r"110 us +220 us +2\.00 .* worse")
        self.assertIn("--baseline NAME (a floor: cyclonedds, tcp) cancels it", out)
        out, _ = self.run_it("compare", "new.json", "old.json")
        self.assertIn("better: 1", out)
        out, _ = self.run_it("compare", "old.json", "old.json", "--format", "json")
        row = json.loads(out)["rows"][0]
        self.assertEqual((row["verdict"], row["ratio"], row["p"]), ("no change", 1.0, 1.0))
        self.run_it("compare", "old.json", "new.json", "--format", "csv", status=2)
        self.run_it("compare", "old.json", "missing.json", status=2)


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
