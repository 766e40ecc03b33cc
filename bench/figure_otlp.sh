# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What does it take to send an agent's windows to a receiver of OpenTelemetry? Sourced by run; README.md explains the table.
# shellcheck shell=bash disable=SC2154

otlp_seconds=${otlp_seconds:-50}

# A receiver that throws away what it gets. It prints its port, and writes "SECONDS PACKED UNPACKED" of each request to the file $1.
otlp_receiver() {
	exec /usr/bin/python3 -c '
import gzip, http.server, sys, time
class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        print("%.2f %d %d" % (time.time(), len(body), len(gzip.decompress(body))), file=open(sys.argv[1], "a"))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()' "$1"
}

# Some dozens of shells that wait for something, and for the other row two compilers without an end.
load_waiting() {
	local i
	for i in $(seq 40); do forever sleep 0.5 & done
	wait
}
load_compiling() {
	load_waiting &
	forever gcc -O2 -S -o /dev/null big.c &
	forever gcc -O2 -S -o /dev/null big.c &
	wait
}

otlp_cpu_s() { # otlp_cpu_s PID: what it has used
	calc "($(sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 12,13 | tr ' ' +)) / $(getconf CLK_TCK)"
}

otlp_round() { # otlp_round LOAD: lines of "key number" to the file $1.otlp
	local load=$1 receiver port agent sender cpu_s sums begin out=$1.otlp
	rm -rf st requests port
	otlp_receiver requests >port &
	receiver=$!
	until [ -s port ]; do sleep 0.1; done
	port=$(cat port)
	: >requests
	start_load "$load"
	"$dusk" agent -q --config /dev/null --store st --to "otlp://127.0.0.1:$port" 2>agent.said &
	agent=$!
	sleep "$otlp_seconds"
	sender=$(pgrep -P $agent dusk-otlp)
	echo "live_cpu_s $(otlp_cpu_s "$sender")" >>"$out"
	echo "memory_mb $(awk '/^VmHWM/ { print $2 / 1024 }' "/proc/$sender/status")" >>"$out"
	echo "requests $(wc -l <requests)" >>"$out"
	kill $agent
	wait $agent
	stop_load
	sums=$("$dusk" query -i "$(ls -d st/*.dusk)" --csv 'select count(*) from sums' | tail -n 1)
	echo "sums $sums" >>"$out"
	# The same once more, all at once.
	rm -f st/.sen*
	: >requests
	begin=$(date +%s.%N)
	TIMEFORMAT='%U %S'
	cpu_s=$({ time "$dusk" store send st "otlp://127.0.0.1:$port" >/dev/null; } 2>&1 | awk '{ print $1 + $2 }')
	echo "once_s $(calc "$(date +%s.%N) - $begin")" >>"$out"
	echo "once_cpu_s $cpu_s" >>"$out"
	echo "speed $(calc "$sums / $cpu_s")" >>"$out"
	echo "bytes_a_sum $(awk -v sums="$sums" '{ n += $2 } END { print n / sums }' requests)" >>"$out"
	awk -v s="$otlp_seconds" '{ n += $2 } $3 > most { most = $3 } END { print "kb_a_window", n / 1000 / (s / 10); print "largest_mb", most / 1e6 }' requests >>"$out"
	echo "sums_a_window $(calc "$sums / ($otlp_seconds / 10)")" >>"$out"
	kill $receiver
	wait $receiver 2>/dev/null || true
}

otlp_row() { # otlp_row TEXT KEY DIGITS
	echo "| $1 | $(of "$2" waiting.otlp | spread "$3") | $(of "$2" compiling.otlp | spread "$3") |"
}

figure_otlp() {
	make_data
	rm -f ./*.otlp
	for _ in $(seq "$rounds"); do
		otlp_round waiting
		otlp_round compiling
	done
	echo "### To a receiver of OpenTelemetry"
	echo
	echo "| | waiting | compiling |"
	echo "|---|---|---|"
	otlp_row "sums in ten seconds" sums_a_window 0
	otlp_row "kB in ten seconds, packed" kb_a_window 0
	otlp_row "bytes a sum, packed" bytes_a_sum 1
	otlp_row "the largest request before it is packed, MB" largest_mb 2
	otlp_row "requests in $otlp_seconds s" requests 0
	otlp_row "the sender's CPU time in $otlp_seconds s, s" live_cpu_s 2
	otlp_row "the sender's memory, MiB" memory_mb 0
	otlp_row "all at once: CPU time, s" once_cpu_s 2
	otlp_row "... sums for each second of that" speed 0
	otlp_row "... by the clock, with the receiver, in Python, s" once_s 2
	echo
}
