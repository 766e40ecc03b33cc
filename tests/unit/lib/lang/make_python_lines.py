#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Print functions of Python with their line tables, and what Python itself says of their lines.

	for python in python3.8 python3.10 python3.11 ...; do $python make_python_lines.py; done >python_lines.rows

A row is for `struct row` of test_python_lines.c: name, form, first line, table, and for each place where the line changes
its position and line (0: none).
"""

import dis
import sys

SOURCE = (
    '''
def plain(a):
    b = a + 1
    return b


def loop(items):
    total = 0
    for item in items:
        if item % 2:
            total += item
            continue
        while total > 100:
            total -= 7
    return total


def call(f):
    return f(
        1,
        2,
        f(
            3,
            f(4),
        ),
    )


def guarded(f):
    try:
        return f()
    except ValueError as e:
        print(e)
    finally:
        f(2)
    with f() as g:
        g(
            f
        )
'''
    + "\n\ndef far(f):\n    f(1)\n"
    + "\n" * 400
    + "    return f(\n"
    + "        2,\n"
    + "\n" * 300
    + "        f(3))\n"
    + "\n\ndef wide(f):\n    return ["
    + ", ".join("f(%d)" % i for i in range(9))
    + "]\n"
    + "\n\ndef branches(x):\n"
    + "".join("    if x == %d:\n        x = %d\n" % (i, i + 1) for i in range(5))
    + "    return lambda y: (\n        x +\n        y\n    )\n"
)


def lines(code):
    """Of each unit of 2 bytes."""
    of = [0] * (len(code.co_code) // 2)
    if hasattr(code, "co_lines"):
        for begin, end, line in code.co_lines():
            of[begin // 2 : end // 2] = [line or 0] * (end // 2 - begin // 2)
    else:
        starts = list(dis.findlinestarts(code)) + [(len(code.co_code), 0)]
        for (begin, line), (end, _) in zip(starts, starts[1:]):
            of[begin // 2 : end // 2] = [line] * (end // 2 - begin // 2)
    return of


def rows(code, form):
    table = code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab
    of, changes = lines(code), []
    for position, line in enumerate(of):
        if not position or line != of[position - 1]:
            changes.append("{%d, %d}" % (position, line))
    changes.append("{%d, %d}" % (len(of), 0))
    name = "%d.%d %s" % (sys.version_info[0], sys.version_info[1], code.co_name)
    print('{"%s", %s, %d, %d,' % (name, form, code.co_firstlineno, len(table)))
    print(' "%s",' % "".join("\\x%02x" % b for b in table))
    print(" {%s}}," % ", ".join(changes))
    for const in code.co_consts:
        if hasattr(const, "co_code"):
            rows(const, form)


version = sys.version_info[:2]
kind = "LINES_PYTHON_3_11" if version >= (3, 11) else "LINES_PYTHON_3_10" if version == (3, 10) else "LINES_PYTHON_3_8"
for const in compile(SOURCE, "source.py", "exec").co_consts:
    if hasattr(const, "co_code"):
        rows(const, kind)
