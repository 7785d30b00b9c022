#!/usr/bin/env python3
"""The layering check must be able to fail: each test plants one violation in a small tree of its own."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import check_layering

LINKS = "petri_trace harness/trace petri_types simdjson::simdjson petri_options\npetri_types kernels/types petri_options\n"


class Layering(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def plant(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def check(self, links=None):
        """Exit status and output of the check on the planted tree."""
        arguments = [str(self.root)]
        if links is not None:
            self.plant("links.txt", links)
            arguments.append(str(self.root / "links.txt"))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = check_layering.main(arguments)
        return status, output.getvalue()

    def assert_violation(self, text, links=None):
        status, output = self.check(links)
        self.assertEqual(status, 1, output)
        self.assertIn(text, output)

    def test_accepts_allowed_arrows(self):
        self.plant("harness/model/a.cpp", '#include <vector>\n#include "harness/trace/event.hpp"\n')
        self.plant("harness/record/a.cpp", '#include <mpi.h>\n#include "harness/trace/record_layout.hpp"\n')
        self.plant("harness/cli/a.cpp", '#include <boost/program_options.hpp>\n#include "reducers/engine.hpp"\n')
        status, output = self.check(LINKS)
        self.assertEqual(status, 0, output)

    def test_rejects_an_upward_include(self):
        self.plant("harness/trace/a.cpp", '#include "harness/model/graph.hpp"\n')
        self.assert_violation("harness/trace/a.cpp:1: trace must not use harness/model/graph.hpp")

    def test_rejects_diagnosis_in_reducers(self):
        self.plant("reducers/passes/a.cpp", '\n#include "harness/diagnose/diagnose.hpp"\n')
        self.assert_violation("reducers/passes/a.cpp:2")

    def test_rejects_mpi_outside_workers(self):
        self.plant("harness/launch/a.cpp", "#include <mpi.h>\n")
        self.assert_violation("launch must not include mpi.h")

    def test_rejects_cuda_in_the_command_line(self):
        self.plant("harness/cli/a.cpp", "#include <cuda_runtime.h>\n")
        self.assert_violation("cli must not include cuda_runtime.h")

    def test_rejects_option_parsing_elsewhere(self):
        self.plant("harness/worker/a.cpp", "#include <boost/program_options.hpp>\n")
        self.assert_violation("options are parsed by the command line alone")

    def test_rejects_the_recorder_reading_scenarios(self):
        self.plant("harness/record/a.cpp", '#include "harness/trace/scenario.hpp"\n')
        self.assert_violation("record must not use harness/trace/scenario.hpp")

    def test_rejects_code_outside_every_room(self):
        self.plant("harness/misc/a.cpp", "int x;\n")
        self.assert_violation("harness/misc/a.cpp: lies in no room")

    def test_rejects_relative_includes(self):
        self.plant("harness/trace/a.cpp", '#include "event.hpp"\n')
        self.assert_violation("write the include from the project's root")

    def test_rejects_a_forbidden_link(self):
        self.assert_violation("trace must not link Boost::program_options",
                              LINKS.replace("simdjson::simdjson", "Boost::program_options"))

    def test_rejects_a_link_to_a_higher_room(self):
        links = LINKS.replace("kernels/types ", "kernels/types petri_trace ")
        self.assert_violation("types must not link petri_trace", links)


if __name__ == "__main__":
    unittest.main()
