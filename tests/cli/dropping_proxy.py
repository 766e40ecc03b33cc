# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Pass on HTTP requests to a server, and answers to who asks, but half of them not, or late. Prints its own port.

usage: dropping_proxy.py SERVER_PORT [drop | delay PATIENCE_S]

drop: of each second request the answer is dropped; of some of these the request, too
delay: each second request that brings rows is late, or its answer: by less than PATIENCE_S, for which who asks waits; or by more, as the first
INSERT of samples is, until it was sent again, and the server has answered that. At SIGTERM what was held back goes on, and then the
proxy says how many INSERTs of samples came after they were sent again
"""
import collections, http.client, http.server, os, random, signal, sys, threading, time

random.seed(7)
patience_s = float(sys.argv[3]) if sys.argv[2:3] == ["delay"] else 0


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def pass_on(self, body):
        to = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
        to.request("POST", self.path, body, {k: v for k, v in self.headers.items() if k.lower() != "host"})
        answer = to.getresponse()
        text = answer.read()
        with change:
            answered[body] += 1
            change.notify_all()
        return answer.status, text

    def answer(self, status, text):
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
        except ConnectionError:
            self.close_connection = True

    def drop(self, body):
        if random.random() >= 0.3:
            self.pass_on(body)
        self.close_connection = True
        self.connection.close()

    def delay(self, body, for_certain):
        global nr_late
        long, of_answer, part = random.random() < 0.5, random.random() < 0.3, random.random()
        if for_certain:
            long, of_answer = True, False
        times = answered[body]
        held.append(self)
        try:
            if not long:
                time.sleep(part * patience_s / 2)
            elif not of_answer:
                hold(lambda: answered[body] > times)
                nr_late += answered[body] > times and "samples" in self.path
            status, text = self.pass_on(body)
            if long and of_answer:
                hold(lambda: answered[body] > times + 1)
            self.answer(status, text)
        finally:
            held.remove(self)

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:  # who asks has given up
            return
        if patience_s and "samples" in self.path and not seen:
            seen.append(body)
            self.delay(body, True)
        elif random.random() < 0.5 or (patience_s and "query=" not in self.path):
            self.answer(*self.pass_on(body))
        elif patience_s:
            self.delay(body, False)
        else:
            self.drop(body)

    def log_message(self, *args):
        pass


def hold(until):
    with change:
        change.wait_for(lambda: ending or until(), 20 * patience_s)


def end(*args):
    global ending
    with change:
        ending = True
        change.notify_all()
    while held:
        time.sleep(0.01)
    print(nr_late, flush=True)
    os._exit(0)


answered = collections.Counter()
change = threading.Condition()
ending = False
nr_late = 0
held = []
seen = []  # the first INSERT of samples
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
signal.signal(signal.SIGTERM, lambda *args: threading.Thread(target=end).start())
print(server.server_port, flush=True)
server.serve_forever()
