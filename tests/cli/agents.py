# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Many agents, each of which sends a batch to a server or a collector every so often, as dusk-clickhouse does: frames, stacks and its
host once, then counts and samples. What fails is asked for, and sent again.

usage: agents.py ROWS_H http://USER:PASSWORD@HOST:PORT DATABASE AGENTS BATCHES ROWS [INTERVAL_S [STACKS]]

The columns and their types are those of src/fleet/clickhouse/rows.h. Prints the rows of samples that were sent, the posts, and the
seconds that it took.
"""
import asyncio, base64, gzip, random, re, struct, sys, time, urllib.parse

text = open(sys.argv[1]).read()
url = urllib.parse.urlsplit(sys.argv[2])
database = sys.argv[3]
nr_agents, nr_batches, nr_rows = map(int, sys.argv[4:7])
interval_s = float(sys.argv[7]) if len(sys.argv) > 7 else 0
nr_stacks = int(sys.argv[8]) if len(sys.argv) > 8 else 100
defines = {name: "".join(re.findall(r'"([^"]*)"', rest)) for name, rest in re.findall(r"#define (ROWS_\w+)((?:[^\\\n]|\\\n)*)\n", text)}
day = int(time.time()) // 86400 * 86400
nr_posts = 0


def varint(n):
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def encode(kind, value):
    if kind in "tlw":
        return varint(len(value)) + value.encode()
    return int(value).to_bytes(8 if kind in "nv" else int(kind), "little")


class Table:
    def __init__(self, name):
        self.columns = defines["ROWS_" + name]
        self.types = re.findall(r"[\[=]?.", defines["ROWS_" + name + "_TYPES"])
        self.names = self.columns[self.columns.index("(") + 1 : -1].split(",")

    def row(self, **values):
        """Columns that are not named are 0, "" and []."""
        out = b""
        for name, kind in zip(self.names, self.types):
            if kind[0] in "[=":
                elements = values.get(name.replace(".", "_"), [])
                out += varint(len(elements)) + b"".join(encode(kind[1], e) for e in elements)
            else:
                out += encode(kind, values.get(name, "" if kind in "tlw" else 0))
        return out


samples, counts, stacks, frames, hosts = map(Table, ("SAMPLES", "COUNTS", "STACKS", "FRAMES", "HOSTS"))

rests = [
    samples.row(service="service-%d" % (i % 20), pid=1000 + i, comm="worker-%d" % (i % 50), kind="on-cpu" if i % 3 else "sleeping",
                outcome="complete", ustack=1 + random.randrange(nr_stacks), n=1, value=random.randrange(10**9))[5:-8]
    for i in range(max(1000, nr_rows))
]  # fmt: skip


class Agent:
    def __init__(self, number):
        self.host = "host-%05d" % number
        self.random = random.Random(number)
        self.reader = self.writer = None

    async def say(self, sql, body=b"", id=""):
        """The status and the text of the answer; 0: it is not known what became of it."""
        global nr_posts
        query = "wait_end_of_query=1&query=" + urllib.parse.quote(sql) + ("&query_id=" + id if id else "")
        if body:
            query += "&max_insert_block_size=1048576"
        head = (
            "POST /?%s HTTP/1.1\r\nHost: x\r\nX-ClickHouse-User: %s\r\nX-ClickHouse-Key: %s\r\n%sContent-Length: %d\r\n\r\n"
            % (query, url.username, url.password, "Content-Encoding: gzip\r\n" if body else "", len(body))
        )
        nr_posts += 1
        try:
            if not self.writer:
                self.reader, self.writer = await asyncio.open_connection(url.hostname, url.port)
            self.writer.write(head.encode() + body)
            status = int((await self.reader.readline()).split()[1])
            length, chunked = 0, False
            while (line := await self.reader.readline()).strip():
                name, _, value = line.decode().partition(":")
                length = int(value) if name.lower() == "content-length" else length
                chunked |= name.lower() == "transfer-encoding"
            answer = b""
            if chunked:
                while n := int(await self.reader.readline(), 16):
                    answer += (await self.reader.readexactly(n + 2))[:-2]
                await self.reader.readline()
            else:
                answer = await self.reader.readexactly(length)
            return status, answer.decode()
        except (OSError, ValueError, IndexError, asyncio.IncompleteReadError):
            if self.writer:
                self.writer.close()
            self.writer = None
            return 0, ""

    async def insert(self, table, rows, batch=0, id=""):
        """Again and again, until it is there."""
        body = gzip.compress(rows, 6)
        sql = "INSERT INTO %s.%s FORMAT RowBinary" % (database, table.columns)
        asked = "SELECT count() > 0 FROM %s.samples WHERE ts >= toDateTime(%d) AND ts < toDateTime(%d) AND batch = %d"
        while (status := (await self.say(sql, body, id))[0]) != 200:
            if status == 400:
                sys.exit("refused")
            await asyncio.sleep(0.5)
            while batch:
                status, answer = await self.say(asked % (database, day, day + 86400, batch))
                if status == 200 and answer.strip() == "1":
                    return
                if status == 200:
                    break
                await asyncio.sleep(0.5)

    def make_samples(self, batch, ts):
        """ts and host are the first columns, and batch is the last one; what is between them is one of many, which differ."""
        head, tail = encode("4", ts) + encode("t", self.host), encode("8", batch)
        return b"".join(head + rest + tail for rest in self.random.sample(rests, nr_rows))

    async def run(self):
        mine = range(1, nr_stacks + 1)
        await asyncio.sleep(self.random.random() * (interval_s or 0.1))
        await self.insert(frames, b"".join(frames.row(frame=f, rev=1, module="/usr/lib/libwork.so", off=f, func="work_%d" % f) for f in mine))
        await self.insert(stacks, b"".join(stacks.row(stack=s, frames=[1 + s * k % nr_stacks for k in range(1, 20)]) for s in mine))
        for number in range(nr_batches):
            began = time.time()
            batch, ts = self.random.getrandbits(63) | 1, day + (number * 10) % 86400
            await self.insert(hosts, hosts.row(host=self.host, seen=int(began)))
            await self.insert(counts, counts.row(ts=ts, host=self.host, name="samples", value=nr_rows, batch=batch))
            await self.insert(samples, self.make_samples(batch, ts), batch, "dusk-%016x" % batch)
            await asyncio.sleep(max(0, interval_s - (time.time() - began)))
        if self.writer:
            self.writer.close()


async def main():
    await asyncio.gather(*(Agent(i).run() for i in range(nr_agents)))


began = time.time()
asyncio.run(main())
print(nr_agents * nr_batches * nr_rows, nr_posts, "%.1f" % (time.time() - began))
