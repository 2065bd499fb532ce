"""What is generated from the option tables against what the programs themselves say: every command
and option of --help stands in the manual page and in the completion, and the pages are well-formed.

Run by CTest as: manual_test.py BUILD_DIR"""

import os
import re
import shutil
import subprocess
import sys
import unittest

BUILD = os.path.abspath(sys.argv[1])
BIN = os.path.join(BUILD, "bin")
SHARE = os.path.join(BUILD, "share")
PROGRAMS = ["publisher-stress-test", "subscription-stress-test", "client-stress-test",
            "service-stress-test", "roundtrip_client", "roundtrip_server"]


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def page_of(name):
    with open(os.path.join(SHARE, name + ".1"), encoding="utf-8") as file:
        return file.read()


def options_in(text):
    return set(re.findall(r"^ {2}(?:-\w, | {4})(--[a-z0-9-]+)", text, re.M))


def commands():
    return re.findall(r"^  ([a-z]+) ",
                      said(os.path.join(BIN, "rclbench"), "--help").split("Commands:")[1], re.M)


def completed(*words):
    """What bash offers for the last of these words."""
    script = (f'. {SHARE}/rclbench.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rclbench; '
              'echo "${COMPREPLY[@]}"')
    return said("bash", "-c", script, "bash", "rclbench", *words).split()


class Manual(unittest.TestCase):
    def test_every_option_is_in_the_page_and_completed(self):
        page = page_of("rclbench").replace("\\-", "-")
        for command in commands():
            self.assertIn(f"\\fBrclbench {command}\\fR", page)
            options = options_in(said(os.path.join(BIN, "rclbench"), command, "--help"))
            self.assertGreaterEqual(len(options), 2)
            for option in options:
                self.assertIn(f"\\fB{option}\\fR", page, command)
            self.assertEqual(set(completed(command, "-")), options, command)

    def test_completion_knows_commands_and_choices(self):
        self.assertEqual(set(completed("")), set(commands()))
        self.assertEqual(completed("se"), ["service"])
        self.assertEqual(set(completed("service", "--only", "")), {"client", "server"})
        self.assertEqual(set(completed("topic", "--only", "")), {"publisher", "subscriber"})
        self.assertEqual(completed("report", "--format", "h"), ["html"])
        self.assertEqual(completed("report", "re"), [])  # files, by bash itself

    def test_the_programs_have_pages(self):
        for name in PROGRAMS:
            page = page_of(name).replace("\\-", "-")
            help_text = said(os.path.join(BIN, name), "--help")
            self.assertIn(f".SH NAME\n{name} - {help_text.splitlines()[1][:-1]}\n", page)
            for option in re.findall(r"--[a-z]+", help_text.split("The environment")[0]):
                self.assertIn(option, page, name)
            self.assertIn("ROS_DOMAIN_ID", page)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_the_pages_are_well_formed(self):
        for name in ["rclbench", *PROGRAMS]:
            done = subprocess.run(["groff", "-man", "-ww", "-z", os.path.join(SHARE, name + ".1")],
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
