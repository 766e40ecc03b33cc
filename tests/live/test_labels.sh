#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does each thread have the labels of its cgroup and its process? usage: test_labels.sh DUSK
[ "$(id -u)" = 0 ] || {
	echo "1..0 # SKIP needs root"
	exit 0
}
[ "${alone-}" ] || alone=yes exec unshare -m --propagation private "$0" "$@"
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
cd "$tmp" && mount -t bpf bpf /sys/fs/bpf || exit 1
export LC_ALL=C
"$dusk" doctor >doctor 2>&1
[ $? != 3 ] || {
	echo "1..0 # SKIP this machine cannot unwind, see dusk doctor"
	exit 0
}
mkdir cgroup2 && mount -t cgroup2 none cgroup2 2>mount.said || {
	echo "1..0 # SKIP cgroup2 cannot be mounted: $(cat mount.said)"
	exit 0
}
top=$tmp/cgroup2 slice=dusk-test-$$.slice
leave() {
	echo $$ >"$top/cgroup.procs"
	find "$top/$slice" -depth -type d -exec rmdir {} \;
	umount -l "$top" /sys/fs/bpf
	rm -rf "$tmp"
} 2>/dev/null
trap leave EXIT
trap 'exit 130' INT TERM
id=$(printf 'ab%.0s' $(seq 32)) uid=11111111-2222-3333-4444-555555555555
pod=kubepods.slice/kubepods-pod$(echo $uid | tr - _).slice
export tmp top slice

# Each runs in a cgroup, which it makes: in COMMAND [ARGUMENT...] of the folder "at".
cat >in <<'END'
mkdir -p "$top/$slice/$at" && echo $$ >"$top/$slice/$at/cgroup.procs" && exec "$@"
END
# asked PROFILE SQL RESULT
asked() {
	got=$("$dusk" query -i "$1" --csv "$2" | tail -n +2)
	echo "$got"
	[ "$got" = "$3" ]
}

cat >storm <<'END'
for i in $(seq 200); do /bin/true; done
END
cat >jobs <<'END'
at=web.service sh in sh storm
at=short.service sh in sh storm; rmdir "$top/$slice/short.service"
at=$pod/cri-containerd-$id.scope OTEL_SERVICE_NAME=shop sh in sh busy &
at=cron.service sh in sh busy &
wait
END
# For a second of CPU time, however many want a CPU: less is not sampled often, and is over before its environment is read.
cat >busy <<'END'
ulimit -t 1
while :; do :; done
END
export id pod
claim "a recording" "$dusk" record -q -e cpu,offcpu -o p.dusk -- sh jobs
claim "each process of a storm has its cgroup" asked p.dusk \
	"select count(distinct pid) from labels where comm = 'true' and unit = 'web.service'" 200
claim "... also where the cgroup was removed at once" asked p.dusk \
	"select count(distinct pid) from labels where comm = 'true' and unit = 'short.service'" 200
claim "... and no process is without one" asked p.dusk "select count(*) from labels where cgroup is null" 0
claim "a path is whole" asked p.dusk "select distinct cgroup from labels where unit = 'cron.service'" "/$slice/cron.service"
claim "a container, its pod, and the service that its process says" asked p.dusk \
	"select distinct container, pod, service from labels where container > '' and comm = 'sh'" "$id,$uid,shop"
claim "a unit is the service where none is said" asked p.dusk \
	"select distinct service from labels where unit = 'cron.service'" cron.service
claim "the version is the program's build id" asked p.dusk \
	"select distinct length(version) from labels where service = 'shop'" 40
claim "a thread that changes its cgroup is two" asked p.dusk \
	"select count(distinct cgroup) from labels where pid in (select pid from labels where service = 'shop') and comm = 'sh'" 2

cpu() { # cpu PROFILE OPTION...: samples of CPU time that a view has, in all
	"$dusk" report --cpu -i "$@" --sort comm --csv --fields self 2>/dev/null | tail -n +2 | awk '{ nr += $1 } END { print nr + 0 }'
}
all=$(cpu p.dusk) shop=$(cpu p.dusk --service shop) cron=$(cpu p.dusk --unit cron) both=$(cpu p.dusk --service shop --container abababababab)
claim "filters select: $shop of $all are the shop's" [ "$shop" -gt 5 ]
claim "... also by two labels at once: $both" [ "$both" -gt 5 -a "$both" -le "$shop" ]
claim "... $cron of a unit without .service" [ "$cron" -gt 5 ]
claim "... and not more" [ $((shop + cron)) -le "$all" ]
claim "... patterns" [ "$(cpu p.dusk --cgroup "/$slice")" -ge $((shop + cron)) ]
claim "rows are grouped" sh -c "'$dusk' report -i p.dusk --sort service,pod --csv | grep -q '^[0-9.]*,[0-9]*,shop,$uid$'"
claim "what there is not is said" exits 4 "$dusk" report -i p.dusk --unit nothing
claim "folded stacks begin with them" sh -c "'$dusk' export -i p.dusk --by unit,pod -o - | grep -q '^cron.service;\[no pod\];sh;'"
claim "... and what is none is said" exits 2 "$dusk" export -i p.dusk --by units
claim "flame graphs have them" "$dusk" flame -i p.dusk --by service -o p.html
claim "pprof has them" sh -c "'$dusk' export -i p.dusk -f pprof -o - | gzip -dc | grep -aq '$uid'"
claim "OTLP has them" sh -c "'$dusk' export -i p.dusk -f otlp -o - | grep -aq 'k8s.pod.uid'"
claim "JSON has them" sh -c "'$dusk' export -i p.dusk -f jsonl -o - | grep -q '\"service\":\"shop\".*\"pod\":\"$uid\"'"

"$dusk" record -q -e cpu,offcpu --window 200ms -o w.dusk -- sh jobs
claim "sums have them" asked w.dusk \
	"select count(*) > 0 from sums s join labels l on l.pid = s.pid where l.unit = 'cron.service'" 1
claim "two profiles become one" "$dusk" merge -o both.dusk p.dusk w.dusk
claim "... with the labels of both" asked both.dusk \
	"select count(distinct pid) from labels where unit = 'web.service' and comm = 'true'" 400
of_shop="select count(distinct pid) from labels where service = 'shop' and container > ''"
each=$(for f in p w; do "$dusk" query -i $f.dusk --csv "$of_shop" | tail -n 1; done | awk '{ nr += $1 } END { print nr }')
claim "... and services" asked both.dusk "$of_shop" "$each"

rmdir "$top/$slice/cron.service"
claim "only a unit is recorded, that begins under way" exits 0 "$dusk" record -q -e cpu,offcpu --unit cron -o u.dusk -- sh jobs
claim "... which is said" says "no unit, container or pod of that name is there now: it is recorded when it begins"
claim "... is in the profile" [ "$(cpu u.dusk --unit cron)" -gt 5 ]
claim "... and nothing else" asked u.dusk "select distinct unit from labels" cron.service
claim "only a container" "$dusk" record -q -e cpu,offcpu --container abababababab -o c.dusk -- sh jobs
claim "... is in the profile" [ "$(cpu c.dusk --service shop)" -gt 5 ]
claim "... and nothing else" asked c.dusk "select distinct container from labels" "$id"
claim "only a pod" "$dusk" record -q --pod "$uid" -o d.dusk -- sh jobs
claim "... and nothing else" asked d.dusk "select distinct pod from labels" "$uid"
mkdir -p "$top/$slice"
claim "only a folder, and what is made in it" "$dusk" record -q -e cpu,offcpu -G "$top/$slice" -o g.dusk -- sh jobs
claim "... each process of a storm in a cgroup made under way" asked g.dusk \
	"select count(distinct pid) from labels where comm = 'true' and unit in ('web.service', 'short.service')" 400
claim "... and nothing else" asked g.dusk "select count(*) from labels where cgroup not like '/$slice/%'" 0
claim "a folder and a label exclude each other" exits 2 "$dusk" record -G "$top/$slice" --unit x -- true
claim "modes without BPF cannot choose by label" exits 3 "$dusk" record --mode copied --unit x -d 1s

claim "mode copied knows what lives long enough" "$dusk" record -q --mode copied -o copied.dusk -- sh jobs
claim "... service and pod" asked copied.dusk \
	"select distinct container, pod, service from labels where container > '' and comm = 'sh'" "$id,$uid,shop"
done_testing
