#!/usr/bin/python3
"""Validates result files against docs/result-schema.json: schema_test.py SCHEMA FILE...

Exits 77 where the module jsonschema is missing. Also checks that the schema is not so loose that it
accepts a result with a member missing or one too many."""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def accepts(validator, value):
    return next(validator.iter_errors(value), None) is None


def refuses_changes(validator, result):
    places = [(), ("environment",), ("cells", 0), ("cells", 0, "qos"), ("cells", 0, "rounds", 0),
              ("cells", 0, "summary"), ("cells", 0, "rounds", 0, "processes", 0)]
    for place in places:
        def inner(root):
            for step in place:
                root = root[step]
            return root
        for key in list(inner(result)):
            changed = copy.deepcopy(result)
            del inner(changed)[key]
            assert not accepts(validator, changed), f"accepted without {place} {key}"
        changed = copy.deepcopy(result)
        inner(changed)["unknown_member"] = 1
        assert not accepts(validator, changed), f"accepted an unknown member of {place}"


def main():
    with open(sys.argv[1], encoding="utf-8") as schema_file:
        schema = json.load(schema_file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as result_file:
            result = json.load(result_file)
        errors = list(validator.iter_errors(result))
        for error in errors[:10]:
            print(f"{path}: {error.json_path}: {error.message[:200]}")
            for inner in error.context[:6]:
                print(f"    {inner.json_path}: {inner.message[:200]}")
        if errors:
            return 1
        result["cells"] = result["cells"][:1]
        result["cells"][0]["rounds"] = result["cells"][0]["rounds"][:1]
        refuses_changes(validator, result)
    return 0


sys.exit(main())
