# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Pass on HTTP requests to a server, and half of the answers, or all, half of them late. usage: dropping_proxy.py SERVER_PORT [drop|delay]; prints its
own port
"""
import http.client, http.server, random, sys, time

random.seed(7)


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        unlucky = random.random() < 0.5
        dropped = unlucky and sys.argv[2:] != ["delay"]
        if unlucky and not dropped:
            time.sleep(random.random())
        before = dropped and random.random() < 0.3  # nor the request
        if not before:
            to = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
            to.request("POST", self.path, body, {k: v for k, v in self.headers.items() if k.lower() != "host"})
            answer = to.getresponse()
            text = answer.read()
        if dropped:
            self.close_connection = True
            self.connection.close()
            return
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
print(server.server_port, flush=True)
server.serve_forever()
