# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Receive profiles over OTLP, as HTTP and as gRPC. usage: otlp_receiver.py PROTOS FOLDER [CERTIFICATE KEY]

PROTOS: where protoc has written the messages in Python. Prints the ports: HTTP, gRPC, and of each one whose connections are cut at random
moments. A request that is taken is a file in FOLDER/taken, before it is answered. FOLDER/mode says what is answered:

ok | unavailable SECONDS | until SECONDS | refuse | partial N | small BYTES | broken | poison | unknown | garbage | only gzip|none

With "header NAME VALUE" before it, requests without that header are not taken."""
import email.utils, gzip, http.server, os, random, select, socket, ssl, sys, threading, time
from concurrent import futures

sys.path.insert(0, sys.argv[1])
import grpc
from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2 as service

folder = sys.argv[2]
lock = threading.Lock()
random.seed(11)
count = 0


def mode(headers):
    words = open(folder + "/mode").read().split()
    if words and words[0] == "header":
        if headers.get(words[1].lower()) != words[2]:
            return ["unauthorized"]
        words = words[3:]
    return words or ["ok"]


def note(kind, what):
    with lock:
        with open(folder + "/log", "a") as log:
            print(kind, what, file=log)


def take(data):
    """It is a request. Returns it."""
    global count
    request = service.ExportProfilesServiceRequest.FromString(data)
    if not data:
        return request
    with lock:
        count += 1
        name = "%s/taken/%06d" % (folder, count)
        with open(name + ".new", "wb") as file:
            file.write(data)
        os.rename(name + ".new", name + ".pb")
    return request


def answer_partly(rejected):
    answer = service.ExportProfilesServiceResponse()
    answer.partial_success.rejected_profiles = rejected
    answer.partial_success.error_message = "not these" if rejected else ""
    return answer


class Http(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        words = mode({k.lower(): v for k, v in self.headers.items()})
        note("http", words[0] + " " + self.path)
        packed = self.headers.get("Content-Encoding") == "gzip"
        data = gzip.decompress(body) if packed else body
        if self.path != "/v1development/profiles":
            self.answer(404, b"no such path\n")
        elif self.headers.get("Content-Type") != "application/x-protobuf":
            self.answer(415)
        elif words[0] == "unauthorized":
            self.answer(401, b"who are you?")
        elif words[0] == "unavailable":
            self.answer(503, b"busy", Retry_After=words[1])
        elif words[0] == "until":  # the same as a date
            self.answer(503, b"busy", Retry_After=email.utils.formatdate(time.time() + int(words[1]), usegmt=True))
        elif words[0] == "refuse":  # a google.rpc.Status: code, message
            self.answer(400, b"\x08\x03\x12\x0dit is no good", Content_Type="application/x-protobuf")
        elif words[0] == "broken" or words[0] == "poison" and data:
            self.answer(500, b"a table is gone")
        elif words[0] == "small" and len(data) > int(words[1]):
            self.answer(413, b"too large")
        elif words[0] == "garbage":
            take(data)
            self.answer(200, b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
        elif words[0] == "only" and (words[1] == "gzip") != packed:
            self.answer(415)
        else:
            take(data)
            rejected = int(words[1]) if words[0] == "partial" else 0
            self.answer(200, answer_partly(rejected).SerializeToString(), Content_Type="application/x-protobuf")

    def log_message(self, *args):
        pass


RETRY_INFO = b"type.googleapis.com/google.rpc.RetryInfo"


def retry_details(seconds):
    """A google.rpc.Status of UNAVAILABLE, which asks for a delay."""
    duration = bytes([0x08, seconds])
    info = bytes([0x0A, len(duration)]) + duration
    detail = bytes([0x0A, len(RETRY_INFO)]) + RETRY_INFO + bytes([0x12, len(info)]) + info
    return b"\x08\x0e\x12\x04busy\x1a" + bytes([len(detail)]) + detail


def export(data, context):
    words = mode(dict(context.invocation_metadata()))
    note("grpc", words[0])
    if words[0] == "unauthorized":
        context.abort(grpc.StatusCode.UNAUTHENTICATED, "who are you?")
    if words[0] == "unavailable":
        context.set_trailing_metadata((("grpc-status-details-bin", retry_details(int(words[1]))),))
        context.abort(grpc.StatusCode.UNAVAILABLE, "busy, 100 %")
    if words[0] == "refuse":
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "it is no good")
    if words[0] == "broken":
        context.abort(grpc.StatusCode.INTERNAL, "a table is gone")
    if words[0] == "unknown":
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "profiles?")
    take(data)
    return answer_partly(int(words[1]) if words[0] == "partial" else 0).SerializeToString()


class Handler(grpc.GenericRpcHandler):
    def service(self, call):
        name = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
        return grpc.unary_unary_rpc_method_handler(export) if call.method == name else None


def cut(client, port):
    """Pass on a connection, up to some byte of what is asked, or of what is answered."""
    server = socket.create_connection(("127.0.0.1", port))
    left = {client: int(random.expovariate(1 / 8000)), server: int(random.expovariate(1 / 400))}
    other = {client: server, server: client}
    while all(left.values()):
        for end in select.select(list(left), [], [])[0]:
            try:
                data = end.recv(min(left[end], 65536))
                left[end] = left[end] - len(data) if data else 0
                other[end].sendall(data)
            except OSError:
                left[end] = 0
    client.close()
    server.close()


def cutting(port):
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            threading.Thread(target=cut, args=(listener.accept()[0], port), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


os.makedirs(folder + "/taken", exist_ok=True)
web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Http)
if len(sys.argv) > 3:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[3], sys.argv[4])
    web.socket = tls.wrap_socket(web.socket, server_side=True)
limit = int(os.environ.get("GRPC_BYTES", 4 << 20))
rpc = grpc.server(futures.ThreadPoolExecutor(4), options=(("grpc.max_receive_message_length", limit),))
rpc.add_generic_rpc_handlers((Handler(),))
if len(sys.argv) > 3:
    pair = (open(sys.argv[4], "rb").read(), open(sys.argv[3], "rb").read())
    rpc_port = rpc.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
else:
    rpc_port = rpc.add_insecure_port("127.0.0.1:0")
rpc.start()
print(web.server_port, rpc_port, cutting(web.server_port), cutting(rpc_port), flush=True)
web.serve_forever()
