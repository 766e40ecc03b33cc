#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A newer ClickHouse behind HTTP: the engine of npm's chdb, which is a library. usage: chdb_server.py LIBCHDB.so FOLDER
# Prints the port. Statements and rows come as dusk-clickhouse sends them; who asks does not matter.
import ctypes
import gzip
import http.server
import os
import sys
import threading
import urllib.parse

lib = ctypes.CDLL(sys.argv[1])
folder = sys.argv[2]
lib.chdb_connect.restype = ctypes.POINTER(ctypes.c_void_p)
lib.chdb_connect.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
lib.chdb_query_n.restype = ctypes.c_void_p
lib.chdb_query_n.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
lib.chdb_result_buffer.restype = ctypes.c_void_p
lib.chdb_result_length.restype = ctypes.c_size_t
lib.chdb_result_error.restype = ctypes.c_char_p
for f in (lib.chdb_result_buffer, lib.chdb_result_length, lib.chdb_result_error, lib.chdb_destroy_query_result):
    f.argtypes = [ctypes.c_void_p]
words = (ctypes.c_char_p * 2)(b"clickhouse", b"--path=" + os.fsencode(folder) + b"/data")
connection = lib.chdb_connect(2, words)
if not connection:
    sys.exit("chdb does not start")


def ask(sql):
    """Return what it answers, and its error or None."""
    result = lib.chdb_query_n(connection[0], sql, len(sql), b"TabSeparated", 12)
    error = lib.chdb_result_error(result)
    length = lib.chdb_result_length(result)
    answer = ctypes.string_at(lib.chdb_result_buffer(result), length) if length and not error else b""
    lib.chdb_destroy_query_result(result)
    return answer, error


one_at_a_time = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with one_at_a_time:
            self.do_statement(body)

    def do_statement(self, body):
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        words = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        if "session_id" in words:
            self.answer(404, b"Code: 372: there are no sessions here")
            return
        query = words.get("query")
        if query:  # rows are behind it
            with open(folder + "/rows", "wb") as f:
                f.write(body)
            sql = query[0].encode().replace(b" FORMAT ", b" FROM INFILE '" + os.fsencode(folder) + b"/rows' FORMAT ")
        else:
            sql = body
        text, error = ask(sql)
        self.answer(500 if error else 200, error or text)


# dusk inserts over a connection of its own, while another one is open.
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
