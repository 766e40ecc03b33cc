#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Do receivers of OTLP get what is in stores, over HTTP and gRPC? usage: test_otlp.sh DUSK MAKE_PROFILE
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")") cli=$here
. "$here/otlp_receiver.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
cd "$tmp" || exit 1
export LC_ALL=C HOME="$tmp" TZ=UTC
unset DEBUGINFOD_URLS PAGER OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_PROTOCOL http_proxy https_proxy

for command in protoc sqlite3 openssl; do
	needs "$command" "receivers get what is in stores" || { done_testing; exit; }
done
if ! can_receive; then
	claims=$((claims + 1))
	echo "ok $claims - receivers get what is in stores # SKIP python3-grpcio and python3-protobuf are not installed"
	done_testing
	exit
fi
pids=
trap 'kill -9 $pids 2>/dev/null; rm -rf "$tmp"' EXIT
failed() {
	wanted=$1
	shift
	exits 1 "$dusk" "$@" && says "$wanted"
}
# at FOLDER SECOND: a profile of twenty samples and 44 intervals, that began at that second of 2026-11-24T02:00:00Z
at() {
	begin=$(($(date -ud 2026-11-24T02:00:00Z +%s) + $2))
	"$make_profile" one.dusk 0 off || exit 1
	sqlite3 one.dusk "insert or replace into setting values('boot_id','boot'),('hostname','web-1'),
		('start_realtime_ns',$begin||'000000000')"
	"$dusk" merge -q --window 1s -o "$1/$(date -ud "@$begin" +%Y%m%dT%H%M%SZ).dusk" one.dusk
}
# got TYPE: what the receiver has of it, folded, those with the same id once
got() {
	find "$name/taken" -name '*.pb' | sort | xargs "$python" "$here/otlp_folded.py" protos "$1" 2>doubles
}
summed() { # of code without a name, addresses may be those of the call, or behind it
	# BPF programs are gone when their recorder is, and then have no names.
	sed 's/+0x[0-9a-f]*//g; s/bpf_prog_[0-9a-f]*_[a-z_]*/bpf/g; s/ftrace_trampoline/bpf/g' | awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum[$0] += n } END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' | sort
}
has_all() { # has_all STORE: the receiver, of samples and of time off CPU
	"$dusk" export -i "$1" -f folded | summed >want.samples
	"$dusk" export -i "$1" -f folded --off-cpu | summed >want.off_cpu
	got samples | summed >have.samples
	got off_cpu | summed >have.off_cpu
	cat doubles
	[ -s want.samples ] && diff want.samples have.samples && diff want.off_cpu have.off_cpu
}
clean() { # nothing was received, and nothing was sent
	rm -rf "$name"/taken/* st/.sen* big/.sen*
}
sent() { # sent URL WANTED: the store st, and that is printed
	[ "$("$dusk" store send st "$1" 2>said)" = "$2" ] || { cat said; return 1; }
}

mkdir st
for i in $(seq 0 30 270); do at st "$i"; done
receive plain
for over in http grpc; do
	case $over in
	http) url=otlp://127.0.0.1:$http ;;
	grpc) url=otlp+grpc://127.0.0.1:$grpc ;;
	esac
	clean
	answer ok
	claim "$over: a store is sent, and it is said how much" sent "$url" "100 profiles"
	claim "$over: ... each sample, and all time off CPU" has_all st
	claim "$over: ... also in nanoseconds" [ "$(got cpu | awk '{ ns += $NF } END { print ns }')" = 2000000000 ]
	claim "$over: ... and the number of intervals" [ "$(got intervals | awk '{ nr += $NF } END { print nr }')" = 440 ]
	claim "$over: ... and nothing when it is sent again" sent "$url" "0 profiles"
	clean
	answer partial 1
	claim "$over: what a receiver rejects is counted" sent "$url" "90 profiles"
	claim "$over: ... and said once" [ "$(grep -c 'does not take 1 profiles, which are lost: not these' said)" = 1 ]
	clean
	answer refuse
	claim "$over: what is refused is not sent again" sent "$url" "0 profiles"
	claim "$over: ... but said" grep -q 'does not take 10 profiles, which are lost: .*it is no good' said
	claim "$over: ... and counted, as the status says" sh -c "'$dusk' store status st | grep -E '127.0.0.1.* 0 +100 +0\$'"
	answer ok
	claim "$over: ... and it stays so" sent "$url" "0 profiles"
	clean
	answer unavailable 1
	claim "$over: a receiver that is busy is a failure" failed "busy" store send st "$url"
	claim "$over: ... that loses nothing" [ "$("$dusk" store send st "$url" 2>&1 >/dev/null | grep -c lost)" = 0 ]
	answer ok
	claim "$over: ... all is sent later" sent "$url" "100 profiles"
	claim "$over: ... each sample" has_all st
	clean
	answer broken
	for i in $(seq 7); do "$dusk" store send st "$url" 2>/dev/null && echo "$i"; done >early
	claim "$over: a receiver that fails is tried again" [ ! -s early ]
	answer ok
	claim "$over: ... with all of it" sent "$url" "100 profiles"
	clean
	answer header x-scope team-7
	claim "$over: without its header a receiver takes nothing" failed "who are you" store send st "$url"
	claim "$over: ... and with it all" env OTEL_EXPORTER_OTLP_HEADERS="a=b,x-scope=team%2d7" "$dusk" store send st "$url"
	claim "$over: ... each sample" has_all st
	clean
	answer ok
	claim "$over: not compressed, if that is wanted" env OTEL_EXPORTER_OTLP_COMPRESSION=none "$dusk" store send st "$url"
	claim "$over: ... it is the same" has_all st
done
clean
answer broken
: >plain/log
"$dusk" store send --follow st "otlp://127.0.0.1:$http" 2>said &
follower=$!
claim "http: a receiver that fails is tried again and again" until_true sh -c '[ "$(grep -c broken plain/log)" -ge 7 ]'
claim "http: ... and nothing is given up" sh -c "! grep lost said"
answer poison
claim "http: what fails where a request with nothing does not is lost, which is said" until_true says "profiles, which are lost: 500: a table is gone"
kill $follower
wait $follower
clean
answer until 3000
claim "http: a receiver that is busy may say until when" failed "busy; it asks for a pause of " store send st "otlp://127.0.0.1:$http"
answer small 1500
claim "http: what is too large is sent in parts" exits 0 "$dusk" store send st "otlp://127.0.0.1:$http"
claim "http: ... each sample" has_all st
claim "http: ... of which none is too large" sh -c "[ \"\$(find plain/taken -type f | wc -l)\" -gt 10 ] && [ ! \"\$(find plain/taken -type f -size +1500c)\" ]"
clean
answer garbage
claim "http: an answer that cannot be read is one" exits 0 "$dusk" store send st "otlp://127.0.0.1:$http"
clean
answer unknown
claim "grpc: a receiver without profiles is a failure" failed "profiles?" store send st "otlp+grpc://127.0.0.1:$grpc"
answer ok
claim "grpc: what speaks HTTP only is a failure" exits 1 "$dusk" store send st "otlp+grpc://127.0.0.1:$http"
claim "http: what speaks gRPC only is a failure" exits 1 "$dusk" store send st "otlp://127.0.0.1:$grpc"
claim "a receiver that is not there is a failure" failed "cannot reach" store send st otlp://127.0.0.1:1
claim "http: a path is before that of profiles" failed "says 404" store send st "otlp://127.0.0.1:$http/otlp"
claim "an address that is none is a failure" failed "a receiver is otlp://" store send st "otlp://127.0.0.1/?x=y"
claim "an endpoint of the environment" env OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:$http" "$dusk" store send st otlp:
claim "... has each sample" has_all st
clean
claim "... and over gRPC" env OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:$grpc" OTEL_EXPORTER_OTLP_PROTOCOL=grpc "$dusk" store send st otlp:
claim "... has each sample" has_all st
claim "... without one there is none" failed "OTEL_EXPORTER_OTLP_ENDPOINT" store send st otlp:
odd() { # each of two profiles as much, whatever lies beside them
	mkdir odd && at odd 0 && cp odd/2*.dusk odd/web-2.dusk && "$dusk" store send odd "$1" >one && at odd 600 && "$dusk" store send odd "$1" >two
	cat one two
	cmp one two && ! grep -q "^0 " one
}
claim "a file with another name keeps none from being sent" odd "otlp://127.0.0.1:$http"
claim "each receiver has a position of its own" sh -c "'$dusk' store send st otlp://127.0.0.1:$http &&
	[ \"\$('$dusk' store status st | grep -c ' 100 * 0 * 0\$')\" = 2 ]"

# At least once: whatever is killed, or lost on the way. Doubles have the same id, and say the same: otlp_folded.py demands it.
mkdir big
cp st/*.dusk big/
for i in $(seq 300 10 500); do at big "$i"; done
had_doubles() {
	read -r nr word <doubles
	echo "$nr $word"
	[ "$nr" -gt 0 ]
}
through() { # through PORT'S URL: sends big until all of it has arrived
	for i in $(seq 500); do
		"$dusk" store send big "$1" >/dev/null 2>&1 && break
	done
	echo "$i times"
	[ "$i" -gt 2 ] && has_all big
}
killed() { # killed URL
	for i in $(seq 50); do
		timeout -s KILL "0.$(printf %03d $((i * 7 % 97 + 3)))" "$dusk" store send big "$1" && break
	done >/dev/null 2>&1
	echo "after $i kills"
	[ "$i" -gt 5 ] && "$dusk" store send big "$1" && has_all big
}
clean
claim "http: a network that cuts connections loses nothing" through "otlp://127.0.0.1:$cut_http"
clean
claim "grpc: a network that cuts connections loses nothing" through "otlp+grpc://127.0.0.1:$cut_grpc"
claim "... what came again has the same id" had_doubles
clean
claim "http: a sender that is killed loses nothing" killed "otlp://127.0.0.1:$http"
clean
claim "grpc: a sender that is killed loses nothing" killed "otlp+grpc://127.0.0.1:$grpc"
kill -9 $receiver

openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>/dev/null
receive tls certificate key
for url in otlps://127.0.0.1:$http otlps+grpc://127.0.0.1:$grpc; do
	clean
	claim "${url%%:*}: a certificate that nobody has signed is refused" failed "certificate" store send st "$url"
	claim "${url%%:*}: ... and taken if it is named" env OTEL_EXPORTER_OTLP_CERTIFICATE=certificate "$dusk" store send st "$url"
	claim "${url%%:*}: ... each sample" has_all st
done
kill -9 $receiver

# The server of gRPC for Node is another one.
packages=${GRPC_JS:-$(npm root -g 2>/dev/null)}
if [ -d "$packages/@grpc/grpc-js" ] && [ -d "$packages/@grpc/proto-loader" ]; then
	name=node
	mkdir -p node/taken
	NODE_PATH=$packages node "$here/otlp_receiver.js" "$here/proto" node >node/ports 2>node/said &
	pids="$pids $!"
	until [ -s node/ports ] || ! kill -0 $!; do sleep 0.1; done
	rm -f st/.sen*
	claim "grpc-js: a store is sent" sent "otlp+grpc://127.0.0.1:$(cat node/ports)" "100 profiles"
	claim "grpc-js: ... each sample" has_all st
	claim "grpc-js: ... as its own reader says" sh -c "grep -qx '30 resources, 100 profiles' node/said || { cat node/said; false; }"
else
	claims=$((claims + 1))
	echo "ok $claims - grpc-js: a store is sent # SKIP npm install -g @grpc/grpc-js @grpc/proto-loader"
fi

can_record "an agent sends what it records" || { done_testing; exit; }
receive live_grpc
rpc=$grpc
receive live
cp "$(command -v sh)" worker
./worker -c 'while :; do :; done' &
busy=$!
"$dusk" agent --config /dev/null --store record -F 49 --window 1s --rotate 10s --to "otlp://127.0.0.1:$http,otlp+grpc://127.0.0.1:$rpc" >agent.said 2>&1 &
agent=$!
claim "an agent sends what it records" until_true sh -c "[ \"\$(ls live/taken/*.pb | wc -l)\" -gt 8 ]"
claim "... from more than one profile" until_true sh -c "[ \"\$(ls record/*Z.dusk | wc -l)\" -ge 2 ]"
kill -TERM $agent
wait $agent
kill $busy
# On a busy machine it does not wait until all is sent.
claim "the agent says what it does, and no more" sh -c "cat agent.said; [ \"\$(grep -v 'still to be sent to otlp' agent.said)\" = 'dusk: recording into record' ]"
claim "what it says is still to be sent can be sent" sh -c "! grep -q 'still to be sent' agent.said ||
	{ '$dusk' store send record otlp://127.0.0.1:$http && '$dusk' store send record otlp+grpc://127.0.0.1:$rpc; }"
# Files of others may be gone when one of both looks for names.
by_thread() {
	awk '{ n = $NF; sub(/[; ].*/, ""); sum[$0] += n } END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' | sort
}
same() { # same RECEIVER: by thread all that is recorded, and the stacks of the worker
	name=$1
	"$dusk" export -i record -f folded --no-inline >want
	got samples >have
	"$dusk" export -i record -f folded --off-cpu | by_thread >want.off
	got off_cpu | by_thread >have.off
	for file in want have; do
		by_thread <$file >$file.threads
		grep '^worker;' $file | summed >$file.worker
	done
	awk '{ n += $NF } END { print n, "samples" }' want
	grep -q ' [1-9]' want.worker && diff want.threads have.threads && diff want.off have.off && diff want.worker have.worker
}
claim "... to each receiver all of it, at its end" same live
claim "... over gRPC, too" same live_grpc
done_testing
