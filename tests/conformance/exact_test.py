"""Null peers with scripted stamps: what comes out of rclbench must equal reference statistics that
another tool computed (bench/stats/reference/), and scripted faults must be counted exactly.

Run by CTest as: exact_test.py BUILD_DIR SOURCE_DIR"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = map(os.path.abspath, sys.argv[1:3])
RCLBENCH = os.path.join(BUILD, "bin", "rclbench")
VECTORS = os.path.join(SOURCE, "bench", "stats", "reference", "vectors.json")

# Pattern, and the figure that shows t4 - t1.
PATTERNS = [
    (["topic", "--from", "null"], "latency_ns"),
    (["topic", "--echo", "--from", "null"], "roundtrip_ns"),
    (["service", "--client", "null"], "roundtrip_ns"),
    (["action", "--client", "null", "--period", "0"], "total_ns"),
]


def run(arguments, settings, count):
    command = [RCLBENCH, *arguments, "-n", str(count), "--format", "json"]
    for key, value in settings.items():
        command += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)["cells"][0]["rounds"][0]


def latencies():
    """Those of the reference sets that can be latencies."""
    with open(VECTORS, encoding="utf-8") as file:
        sets = json.load(file)["distributions"]
    return [it for it in sets if 0 <= min(it["values"]) and max(it["values"]) < 10**9]


class Statistics(unittest.TestCase):
    def check(self, found, expected):
        self.assertEqual(found["n"], expected["n"])
        for key, value in expected.items():
            if key in ("n", "stddev") and expected["n"] == 1:
                continue
            beyond = {"p90": 0.1, "p99": 0.01, "p99_9": 0.001, "p99_99": 0.0001}.get(key)
            if beyond is not None and expected["n"] * beyond < 10 - 1e-9:
                self.assertIsNone(found[key], f"{key} of {expected['n']} values")
            else:
                self.assertAlmostEqual(found[key], value, delta=1e-9 * max(1, abs(value)), msg=key)

    def test_reference_vectors_come_out_again(self):
        sets = latencies()
        self.assertGreaterEqual(len(sets), 5)
        for arguments, figure in PATTERNS:
            for it in sets:
                with self.subTest(pattern=arguments[0], figure=figure, values=it["name"]):
                    with tempfile.NamedTemporaryFile("w", suffix=".txt") as script:
                        script.write("\n".join(map(str, it["values"])))
                        script.flush()
                        result = run(arguments, {"latency_ns": "@" + script.name},
                                     len(it["values"]))
                    self.check(result[figure], it["expected"])
                    self.assertEqual(result["lost"], 0)


class Faults(unittest.TestCase):
    def counts(self, **settings):
        result = run(PATTERNS[0][0], {"latency_ns": [1000], **settings}, 100)
        self.assertEqual(result["sent"], result["received"] + result["lost"])
        self.assertEqual(result["latency_ns"]["n"], result["received"])
        return [result[key] for key in ("sent", "lost", "duplicated", "reordered", "corrupt")]

    def test_faults_are_counted(self):
        self.assertEqual(self.counts(), [100, 0, 0, 0, 0])
        self.assertEqual(self.counts(lose=[0, 1, 2, 50, 99]), [100, 5, 0, 0, 0])
        self.assertEqual(self.counts(duplicate=[3, 7, 99]), [100, 0, 3, 0, 0])
        self.assertEqual(self.counts(reorder=[10, 20]), [100, 0, 0, 2, 0])
        self.assertEqual(self.counts(corrupt=[5]), [100, 1, 0, 0, 1])
        self.assertEqual(self.counts(lose=[1], duplicate=[2], reorder=[30], corrupt=[40]),
                         [100, 2, 1, 1, 1])

    def test_a_lost_answer_is_given_up_and_the_next_call_goes(self):
        for arguments, figure in PATTERNS[1:]:
            with self.subTest(pattern=arguments[0]):
                result = run(arguments, {"latency_ns": [1000], "lose": [4]}, 10)
                self.assertEqual((result["sent"], result["lost"]), (10, 1))
                self.assertEqual(result[figure]["n"], 9)

    def test_nothing_arrived_is_null_and_not_zero(self):
        result = run(PATTERNS[0][0], {"lose": list(range(20))}, 20)
        self.assertEqual((result["received"], result["lost"]), (0, 20))
        self.assertIsNone(result["latency_ns"])
        self.assertIsNone(result["delivered_total_ns"])
        self.assertTrue(result["last_was_lost"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
