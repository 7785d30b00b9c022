#!/usr/bin/env python3
"""Holds the symbols of libpetri_record.so against the tables of what it calls.

Usage: check_symbols.py NM LIBRARY FOLDER

FOLDER is the recorder's, with its tables (*.inc) and sources. The library must leave no function of MPI undefined (a
program without MPI could not load it) and need no C++ run-time library; it must define each function that it wraps under
both names, at one address; each of them must stand in a table, and each entry of a table must be called.
"""

import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r"^PETRI_REAL\((\w+)\)", re.MULTILINE)
WRAPPER = re.compile(r"^PETRI_MPI\((\w+)\)", re.MULTILINE)
FORTRAN = re.compile(r"^PETRI_FORTRAN(?:_PERSISTENT)?\((\w+), ", re.MULTILINE)
CALL = re.compile(r"\breal::(\w+)\(")
# These make no event of the program.
NO_EVENT = re.compile(r"^(Pcontrol|Type_free|(Comm|File|Win)_create_errhandler|"
                      r"File_(i?(read|write)(_at|_shared)?|seek|get_position_shared|delete))$")
OF_MPI = re.compile(r"^P?MPIX?_\w+$")


def symbols(nm_output):
    """Addresses of the defined symbols, and the names of the undefined ones."""
    defined, undefined = {}, set()
    for line in nm_output.splitlines():
        words = line.split()
        name = words[-1].split("@")[0]
        if len(words) == 2:
            undefined.add(name)
        else:
            defined[name] = words[0]
    return defined, undefined


def violations(nm_output, tables, sources):
    defined, undefined = symbols(nm_output)
    for name in sorted(undefined):
        if OF_MPI.match(name):
            yield f"{name} is undefined"
        elif name.startswith("_Z"):
            yield f"{name} needs a C++ run-time library"
    entries, called = set(ENTRY.findall(tables)), set(CALL.findall(sources))
    wrapped = {name[len("MPI_"):] for name in defined if name.startswith("MPI_")}
    for name in sorted(wrapped | {name[len("PMPI_"):] for name in defined if name.startswith("PMPI_")}):
        if defined.get("MPI_" + name) != defined.get("PMPI_" + name):
            yield f"MPI_{name} and PMPI_{name} are not one function"
    for name in sorted(wrapped - entries - {"Pcontrol"}):  # MPI's own does nothing (MPI 4.1, section 15.2.4)
        yield f"MPI_{name} is wrapped but stands in no table"
    fortran = set(FORTRAN.findall(tables))
    for name in sorted(wrapped):
        if name.lower() not in fortran and not NO_EVENT.match(name):
            yield f"MPI_{name} is wrapped but does not stand in fortran_calls.inc"
    if not wrapped:
        yield "the library wraps nothing"
    for name in sorted(entries - called):
        yield f"{name} stands in a table but is not called"
    for name in sorted(set(WRAPPER.findall(sources)) - entries - {"Pcontrol"}):
        yield f"PETRI_MPI({name}) stands in no table"


def text_of(folder, patterns):
    return "\n".join(file.read_text() for pattern in patterns for file in sorted(folder.glob(pattern)))


def self_check():
    """Each kind of violation is found."""
    good = "10 T MPI_Send\n10 T PMPI_Send\n U malloc@GLIBC_2.2.5\n"
    table, source = "PETRI_REAL(Send)\nPETRI_FORTRAN(send, -1)\n", "PETRI_MPI(Send)(int) { real::Send(0); }"
    assert not list(violations(good, table, source))
    for bad in [(good + " U PMPI_Recv\n", table, source), (good + " U _Znwm@GLIBCXX_3.4\n", table, source),
                ("10 T MPI_Send\n20 T PMPI_Send\n", table, source), (good, "", source),
                ("", table, source), (good, table + "PETRI_REAL(Recv)\n", source),
                (good, "PETRI_REAL(Send)\n", source)]:
        assert list(violations(*bad)), bad


def main(arguments):
    if len(arguments) != 3:
        raise SystemExit(__doc__)
    self_check()
    nm, library, folder = arguments[0], arguments[1], pathlib.Path(arguments[2])
    output = subprocess.run([nm, "-D", library], check=True, capture_output=True, text=True).stdout
    found = list(violations(output, text_of(folder, ["*.inc"]), text_of(folder, ["*.cpp", "*.hpp"])))
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
