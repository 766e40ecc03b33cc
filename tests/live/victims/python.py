# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Calls getppid() in all ways in which Python calls functions, and logs its own stack each time.
# usage: python.py LOG ROUNDS
import asyncio
import contextlib
import ctypes
import functools
import json
import os
import sys
import threading

LOG = open(sys.argv[1], "w")
LOCK = threading.Lock()
main = threading.current_thread()


def frames(frame):
    stack = []
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        stack.append((name, code.co_filename, frame.f_lineno or 0))
        frame = frame.f_back
    return stack


def mark(*_):
    stack = frames(sys._getframe()); os.getppid()  # on one line: both have the same stack
    with LOCK:
        print(json.dumps([threading.get_native_id(), stack]), file=LOG)
    return 0


def recursion(n):
    if n:
        return recursion(n - 1)
    return mark()


def through_c(n):
    if n:
        return functools.reduce(lambda a, b: through_c(n - 1), [1, 2])
    return mark()


class Shop:
    @property
    def price(self):
        mark()
        return 1

    @staticmethod
    def open():
        mark()

    def __init__(self):
        self.order = [mark() for _ in range(2)]

    def __lt__(self, other):
        mark()
        return True

    def __getattr__(self, name):
        mark()
        return None

    def __enter__(self):
        mark()

    def __exit__(self, *_):
        mark()

    def __del__(self):
        mark()

    class Inner:
        here = mark()


def generator(n):
    for _ in range(n):
        mark()
        yield _


def delegates(n):
    yield from generator(n)
    mark()


def raises():
    try:
        try:
            raise KeyError("x")
        except KeyError as e:
            mark()
            raise ValueError from e
        finally:
            mark()
    except ValueError:
        mark()


@functools.lru_cache(maxsize=None)
def cached(n):
    return mark()


@contextlib.contextmanager
def managed():
    mark()
    yield
    mark()


async def coroutine(n):
    mark()
    await asyncio.sleep(0)
    if n:
        await coroutine(n - 1)
    mark()


async def gathers():
    await asyncio.gather(*(coroutine(i) for i in range(3)))
    async for _ in counts():
        mark()


async def counts():
    for i in range(2):
        mark()
        yield i


def größe(naïve=mark):
    return naïve()


def 大きさ():
    return mark()


def multiline(a,
              b):
    return [
        a,
        mark(
            b
        ),
        mark(),
    ]


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def from_c():
    array = (ctypes.c_int * 4)(4, 3, 2, 1)
    ctypes.CDLL(None).qsort(array, 4, 4, CALLBACK(lambda a, b: mark()))


far = "def far():\n" + "\n" * 300 + "    if True:\n" + "\n" * 40000 + "        mark()\n" + "\n" * 10 + "    mark()\n    return [mark(\n)]\n"
exec(compile(far, "far.py", "exec"))
exec(compile("def long_name_%s():\n    return mark()\n" % ("n" * 100), "<string>", "exec"))
long_name = globals()["long_name_" + "n" * 100]
exec(compile("def wide():\n" + "".join("    x%d = %d; mark() if %d %% 60 == 0 else 0\n" % (i, i, i) for i in range(600)), "/a/folder/wide.py", "exec"))


def everything():
    mark()
    recursion(40)
    through_c(5)
    shop = Shop()
    shop.price
    Shop.open()
    sorted([shop, shop, shop])
    shop.absent
    with shop:
        mark()
    del shop
    list(delegates(3))
    raises()
    cached.cache_clear()
    cached(1)
    with managed():
        mark()
    asyncio.run(gathers())
    größe()
    大きさ()
    multiline(1, 2)
    from_c()
    far()  # noqa: F821
    long_name()
    wide()  # noqa: F821
    list(map(lambda x: [mark() for _ in (x,)], [1, 2]))
    {k: mark() for k in (1, 2)}
    any(mark() for _ in (1, 2))
    # functions that are made, used and freed again and again, where the last ones were
    for i in range(10):
        space = {"mark": mark}
        exec(compile("\n" * i + "def made%d():\n    return mark()\nmade%d()\n" % (i, i), "<made>", "exec"), space)


for _ in range(int(sys.argv[2])):
    everything()
    threads = [threading.Thread(target=everything) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
LOG.close()
