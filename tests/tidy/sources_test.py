#!/usr/bin/env python3
"""The bounds on sources must be able to fail."""

import unittest

import check_sources

LONG_BODY = "  x = 1;\n" * check_sources.MAX_FUNCTION_LINES


def violations(name, text):
    return list(check_sources.violations_in(name, text))


class Sources(unittest.TestCase):
    def test_accepts_a_short_file(self):
        self.assertEqual(violations("a.cpp", "namespace a {\nint f() {\n  return 1;\n}\n}  // namespace a\n"), [])

    def test_rejects_a_long_file(self):
        self.assertEqual(len(violations("a.cpp", "\n" * (check_sources.MAX_FILE_LINES + 1))), 1)

    def test_rejects_a_long_function(self):
        for head in ("int f() {", "A::A(int x) : x_(x) {", "auto f(int x) const -> int {", "TEST(Name, does_it) {"):
            found = violations("a.cpp", "namespace a {\n" + head + "\n" + LONG_BODY + "}\n}\n")
            self.assertEqual(len(found), 1, head)
            self.assertIn("a.cpp:2: a function of", found[0])

    def test_does_not_take_a_namespace_or_class_for_a_function(self):
        self.assertEqual(violations("a.hpp", "namespace a {\nstruct alignas(8) S {\n" + "  int x;\n" * 100 + "};\n}\n"), [])

    def test_ignores_braces_in_literals_and_comments(self):
        self.assertEqual(violations("a.cpp", "int f() {\n  g(\"{\", '{');  // {\n}\n" + "int x;\n" * 100), [])

    def test_rejects_a_path_of_one_machine(self):
        path = "/".join(["", "home", "someone", "petri"])
        self.assertEqual(len(violations("a.md", f"see {path}\n")), 1)
        self.assertEqual(violations("a.md", "see ${HOME}/petri and build/work/x\n"), [])


if __name__ == "__main__":
    unittest.main()
