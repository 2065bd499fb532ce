#!/usr/bin/python3
"""Computes the reference vectors of bench/stats with numpy and scipy.

Run by hand when a statistic is added: ./make_vectors.py > vectors.json
The output is checked in; the tests need neither Python nor scipy.
"""
import json
import math
import sys
from fractions import Fraction

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20100811)
PROBABILITIES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999}


def sample_sets():
    log_normal = np.exp(rng.normal(11.0, 0.6, 1000)).astype(np.int64)
    yield "one", np.array([42_000])
    yield "two", np.array([7, 10])
    yield "three_unsorted", np.array([30, 10, 20])
    yield "constant", np.full(50, 123_456)
    yield "negative", rng.integers(-5000, 5000, 101)
    yield "log_normal", log_normal
    yield "ties", rng.integers(0, 5, 500)
    yield "bimodal", np.concatenate([rng.normal(4e4, 3e3, 700),
                                     rng.normal(1e8, 1e6, 50)]).astype(np.int64)
    # A wall-clock time with a jitter of 20 us: sums of squares overflow 64 bits, doubles lose it.
    yield "large_offset", 1_700_000_000_000_000_000 + rng.normal(0, 2e4, 400).astype(np.int64)
    yield "wide", np.array([0, 1, 2 ** 61, 2 ** 61 + 1, -(2 ** 61)])
    yield "descending", np.arange(2000, 0, -1) * 17


def distribution(values):
    base = int(values[0])
    shifted = np.array([int(v) - base for v in values], dtype=object)
    exact = [Fraction(int(v)) for v in shifted]
    mean = sum(exact) / len(exact)
    absolute = sum(abs(v - mean) for v in exact) / len(exact)
    out = {
        "n": len(values),
        "mean": float(base + mean),
        "mean_abs_dev": float(absolute),
        "min": int(min(values)),
        "max": int(max(values)),
    }
    if len(values) > 1:
        squares = sum((v - mean) ** 2 for v in exact) / (len(exact) - 1)
        out["stddev"] = math.sqrt(squares)
    floats = shifted.astype(np.float64)
    for name, p in PROBABILITIES.items():
        out[name] = float(base + Fraction(float(np.quantile(floats, p, method="linear"))))
    q1, q3 = np.quantile(floats, [0.25, 0.75])
    outside = lambda k: int(np.sum((floats < q1 - k * (q3 - q1)) | (floats > q3 + k * (q3 - q1))))
    out["outliers_severe"] = outside(3)
    out["outliers_mild"] = outside(1.5) - outside(3)
    return out


def u_tests():
    def rank_sum(a, b):
        return stats.rankdata(np.concatenate([a, b]))[:len(a)].sum()

    cases = [
        ("apart", [1, 2, 3, 4], [5, 6, 7, 8]),
        ("three_each", [1.5, 2.5, 9], [3, 4, 5]),
        ("equal_spread", [1, 4, 6, 7, 10], [2, 3, 5, 8, 9]),
        ("one_and_many", [3.5], [1, 2, 3, 4, 5, 6]),
        ("ten_each", list(rng.normal(100, 10, 10)), list(rng.normal(108, 10, 10))),
        ("twenty_each", list(rng.normal(100, 10, 20)), list(rng.normal(104, 10, 20))),
        ("uneven", list(rng.normal(5, 1, 7)), list(rng.normal(6, 1, 12))),
    ]
    for name, a, b in cases:
        result = stats.mannwhitneyu(a, b, method="exact")
        yield {"name": name, "a": a, "b": b, "exact": True, "u": float(result.statistic),
               "p": float(result.pvalue)}
    tied = [
        ("ties", [1, 2, 2, 3, 3], [2, 3, 3, 4, 5]),
        ("all_equal", [7, 7, 7, 7], [7, 7, 7, 7]),
        ("ties_uneven", [1, 1, 2, 2], [2, 2, 2, 3, 3, 9, 9]),
    ]
    for name, a, b in tied:
        result = stats.permutation_test((a, b), rank_sum, permutation_type="independent",
                                        alternative="two-sided", n_resamples=np.inf)
        u = stats.mannwhitneyu(a, b, method="asymptotic").statistic
        yield {"name": name, "a": a, "b": b, "exact": True, "u": float(u),
               "p": float(result.pvalue)}
    large = [
        ("large", list(rng.normal(100, 10, 60)), list(rng.normal(103, 10, 55))),
        ("large_ties", [int(v) for v in rng.integers(0, 9, 40)],
         [int(v) for v in rng.integers(1, 10, 45)]),
    ]
    for name, a, b in large:
        result = stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=True)
        yield {"name": name, "a": a, "b": b, "exact": False, "u": float(result.statistic),
               "p": float(result.pvalue)}


def median_intervals():
    for n in (1, 5, 6, 9, 10, 20, 25, 100, 1000):
        values = np.sort(np.round(rng.normal(1000, 50, n), 3))
        k = 0
        while k < n // 2 and 1 - 2 * stats.binom.cdf(k, n, 0.5) >= 0.95:
            k += 1
        out = {"values": [float(v) for v in rng.permutation(values)],
               "estimate": float(np.median(values)),
               "valid": k > 0}
        if k > 0:
            out["low"], out["high"] = float(values[k - 1]), float(values[n - k])
        yield out


def bootstraps():
    for n, m in ((5, 5), (10, 10), (21, 9)):
        a, b = rng.lognormal(3, 0.1, n), rng.lognormal(2.5, 0.1, m)
        ratio = lambda x, y, axis=-1: np.median(x, axis=axis) / np.median(y, axis=axis)
        got = stats.bootstrap((a, b), ratio, n_resamples=200_000, vectorized=True,
                              method="percentile", batch=20_000,
                              random_state=rng)
        yield {"above": list(a), "below": list(b), "estimate": float(np.median(a) / np.median(b)),
               "low": float(got.confidence_interval.low),
               "high": float(got.confidence_interval.high)}


def holm(p_values):
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(
        np.asarray(p_values)[order] * np.arange(len(p_values), 0, -1)))
    return {"p": list(p_values), "adjusted": list(adjusted)}


json.dump({
    "made_with": f"numpy {np.__version__}, scipy {scipy.__version__}",
    "distributions": [{"name": name, "values": [int(v) for v in values],
                       "expected": distribution(values)}
                      for name, values in sample_sets()],
    "u_tests": list(u_tests()),
    "median_intervals": list(median_intervals()),
    "bootstraps": list(bootstraps()),
    "holm": [holm([0.01, 0.04, 0.03, 0.005]), holm([0.5, 0.9, 0.2]), holm([0.001])],
}, sys.stdout, indent=None, separators=(",", ":"))
sys.stdout.write("\n")
