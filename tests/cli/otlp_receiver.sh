# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Receivers of OTLP for tests, each in a folder of the current one. The script that sources this sets $cli: the folder that this is in.

# can_receive: sets $python to one that can, and compiles the messages for it to the folder protos
can_receive() {
	for python in python3 /usr/bin/python3 ""; do	# another Python may hide Debian's
		[ ! "$python" ] || ! "$python" -c 'import grpc, google.protobuf' 2>/dev/null || break
	done
	[ "$python" ] || return
	export PYTHONDONTWRITEBYTECODE=1
	protos=$PWD/protos
	mkdir -p "$protos"
	(cd "$cli/proto" && find opentelemetry -name '*.proto' -exec protoc -I . --python_out="$protos" {} +)
}

# receive NAME [CERTIFICATE KEY]: start a receiver in the folder NAME; sets its process $receiver, which is added to $pids, its ports $http and
# $grpc, and $cut_http and $cut_grpc, which lose connections
receive() {
	name=$1
	shift
	mkdir -p "$name/taken"
	answer ok
	"$python" "$cli/otlp_receiver.py" "$protos" "$name" "$@" >"$name/ports" 2>"$name/said" &
	receiver=$!
	pids="${pids-} $receiver"
	for i in $(seq 300); do
		[ ! -s "$name/ports" ] || break
		sleep 0.1
	done
	read -r http grpc cut_http cut_grpc <"$name/ports" || cat "$name/said"
}

# answer MODE...: what the receiver answers from now on
answer() {
	echo "$@" >"$name/mode"
}
