# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Are the stacks that dusk has seen those that the language itself has written? For the tests that source language.sh."""
import csv
import json
import sys


def read_log(path):
    """Stacks by thread, from lines of JSON: a thread and its frames, of function, file and line."""
    log = {}
    for line in open(path, encoding="utf-8"):
        thread, stack = json.loads(line)
        log.setdefault(thread, []).append([tuple(f) for f in stack])
    return log


def read_rows(path):
    """What language.sh asks for: occurrence, thread, function, file and line of each frame."""
    for row in csv.reader(open(path, encoding="utf-8")):
        if row[0].isdigit():
            yield (*row[:4], int(row[4]))


def read_seen(path):
    """The same as stacks by thread."""
    seen, last = {}, None
    for o, tid, name, file, line in read_rows(path):
        if o != last:
            seen.setdefault(int(tid), []).append([])
        last = o
        seen[int(tid)][-1].append((name, file, line))
    return seen


def short(name, room=128):
    """A name that is longer than what is kept ends in "..."."""
    return name if len(name.encode()) <= room else name.encode()[:room].decode() + "..."


def compare(language, log, seen, same, least=500, may_be_cut=0.0):
    """Exit with 0 if all stacks of each thread are the same, and at least so many; up to that share of them may have no frames."""
    different = nr = cut = 0
    for thread in log:
        if len(log[thread]) != len(seen.get(thread, [])):
            print("thread", thread, ":", len(log[thread]), "stacks,", len(seen.get(thread, [])), "seen")
            different += 1
        for a, b in zip(log[thread], seen.get(thread, [])):
            nr += 1
            if may_be_cut and not b:
                cut += 1
            elif not same(a, b):
                different += 1
                if different < 4:
                    print(language + ":", *a, "dusk:", *b, sep="\n  ")
    print(nr, "stacks,", different, "different,", cut, "cut")
    sys.exit(different > 0 or cut > nr * may_be_cut or nr < least)
