#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What may dusk do beyond what its user may, in each phase? usage: test_privilege.sh DUSK MAKE_PROFILE MAKE_LOCATED
# As root: a copy of dusk gets the capabilities that `dusk doctor` advises, and nobody runs it.
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_profile=$(realpath "$2")
make_located=$(realpath "$3")
cd "$tmp" || exit 1
unset PAGER DEBUGINFOD_URLS SUDO_UID SUDO_GID
export LC_ALL=C

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
[ "$(id -u)" = 0 ] || skip_all "root gives capabilities to a file"
for tool in setcap setpriv cc; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
! ldd "$dusk" | grep -q libasan || skip_all "a program with sanitizers cannot look after itself when it has capabilities"
chmod 711 "$tmp"
mkdir -m 755 bin && mkdir -m 700 secret && mkdir -m 777 public
cp "$dusk" bin/capable && cp /bin/cat bin/reader && cp "$dusk" bin/setuid && chmod 4755 bin/setuid
lent=cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search,cap_syslog=ep
setcap $lent bin/capable 2>said || skip_all "$(cat said)"
setcap $lent bin/reader
cat >bin/nobody <<END
#!/bin/sh
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "\$@"
END
chmod 755 bin/nobody
PATH=$tmp/bin:$PATH
capable=$tmp/bin/capable
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)	# above 2, a recording by root keeps cap_sys_admin

# The advice, pasted: to a copy, and without a new group on this machine.
mkdir advised && cp "$dusk" advised/dusk
printf '#!/bin/sh\nexec "$@"\n' >advised/sudo
printf '#!/bin/sh\necho "$@" >%s/group\n' "$tmp" >advised/groupadd
printf '#!/bin/sh\n[ $1 = dusk ] && exec /bin/chgrp 65534 "$2"\n' >advised/chgrp
chmod 755 advised/*
advice() {
	"$dusk" doctor >doctor
	line=$(sed -n 's/^  \(sudo .*\)/\1/p' doctor)
	(PATH=$tmp/advised:$PATH && eval "$line") && cat group && grep -x -e '-f dusk' group &&
		[ "$(stat -c %a:%g advised/dusk)" = 750:65534 ] && getcap advised/dusk && setcap -v $lent advised/dusk
}
claim "what doctor advises gives the capabilities to a group, and leaves others without" advice
# Without any capability, the sentence that lists them is a long one.
claim "doctor names each missing capability, to the end of the sentence" \
	sh -c "setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all $dusk doctor >all; grep 'for names and cheap off-CPU intervals)$' all"
refused() {
	exits 3 nobody "$dusk" record -d 1s -o public/x.dusk && says "cap_bpf is missing" &&
		says "$(sed -n 's/^  \(sudo .*\)/\1/p' doctor)"
}
claim "... and so does a recording that is refused" refused

# What only root may read: a text, a profile, a process.
echo 'int kept_secret = 4711;' >secret/text.c
"$make_profile" secret/x.dusk && cp secret/x.dusk good.dusk && chmod 644 good.dusk || exit 1
sleep 1000 &
roots=$!
nobody sleep 1000 &
own=$!
waiter= view= pid=
trap 'kill -KILL $roots $own $waiter $view $pid 2>/dev/null; rm -rf "$tmp"' EXIT
sleep 0.2

bait() {
	nobody reader secret/text.c | grep kept_secret && ! nobody cat secret/text.c
}
claim "a program with such capabilities reads for nobody what is root's" bait

# A view has none of them, wherever the name of a file comes from.
cat >public/prog.c <<END
#line 1 "$tmp/secret/text.c"
__attribute__((noinline)) unsigned spin(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += (s ^ i) * 2654435761u; return s; }
int main(int argc, char **argv) { return spin(argc) == 0; }
END
named_by_a_program() {
	cc -g -O1 -Wl,--build-id=sha1 -o public/prog public/prog.c || return
	id=$(readelf -n public/prog | sed -n 's/.*Build ID: //p')
	place=$(readelf -sW public/prog | awk '$8 == "spin" { print "0x" $2 }')
	"$make_located" public/located.dusk "$tmp/public/prog" "$id" $((place)) 6 && chmod 644 public/located.dusk || return
	"$dusk" annotate -i public/located.dusk spin | grep kept_secret || return	# as root: the place is right
	nobody "$capable" annotate -i public/located.dusk spin >said && grep text.c said && ! grep kept_secret said
}
claim "annotate shows nobody the source that a program of his claims to be made from" named_by_a_program
cat >views <<END
info -i
report -i
report --tree -i
query -i
script -i
export -f folded -o - -i
flame -o - -i
stackmap show -i
stackmap stat -i
stackmap dump -o public/dump -i
stackmap read
annotate main -i
diff good.dusk
import -q -o public/imported.dusk
recover -i
doctor --walk
END
hidden() {
	! nobody "$capable" $1 secret/x.dusk >said 2>&1 && cat said && grep 'Permission denied' said
}
while read -r view; do
	claim "dusk $view: what nobody may not read stays unread" hidden "$view"
done <views

# Memory of processes: the kernel's answer to the user, not to the program.
walks() {
	nobody "$capable" doctor --walk --keep public/own $own && [ -s public/own ]
}
claim "doctor --walk walks the stack of one's own process" walks
walks_not() {
	exits 3 nobody "$capable" doctor --walk --keep public/roots $roots && [ ! -e public/roots ]
}
claim "... and not of root's; nothing is kept of it" walks_not

able() {
	nobody "$capable" stacks $own >said 2>&1
	[ $? != 3 ] && return
	claims=$((claims + 1))
	echo "ok $claims - $1 # SKIP $(tail -n 1 said)"
	return 1
}
if able "stacks of one's own processes only"; then
	claim "stacks shows one's own process" grep -q "process $own sleep" said
	claim "... not root's" exits 3 nobody "$capable" stacks $roots
	claim "... which it says" says "process $roots is not yours to look at"
	claim "... nor its thread" exits 3 nobody "$capable" stacks --tid $roots
	all() {
		exits 0 nobody "$capable" stacks --all --kernel-threads && says "process $own sleep" && says "left out" &&
			! says "process $roots sleep" && ! says kthreadd
	}
	claim "... nor among all" all
	claim "root sees both" sh -c "$dusk stacks -a >all && grep -q '^process $own sleep' all && grep -q '^process $roots sleep' all"
fi

# status PID WORD: that line of the process's status
status() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}
# has PID SET CAPABILITY: does the set of the process have it?
has() {
	[ $((0x$(status "$1" "$2") >> $3 & 1)) = 1 ]
}
BPF=39 PERFMON=38 PTRACE=19 READ=2 SYSLOG=34 OVERRIDE=1 CHOWN=0 ADMIN=21 MODULE=16 NET_ADMIN=12 RAWIO=17

# Root's views may read and give away files, and let user nobody read them; not more. This one waits for a reader of what it prints.
mkfifo reader
sleep 1000 <reader &
waiter=$!
"$dusk" flame -i good.dusk -o - >reader 2>said &
view=$!
for _ in $(seq 50); do
	sleep 0.1
	[ "$(status $view Name) $(status $view State)" = "dusk S (sleeping)" ] && break
done
roots_view() {
	has $view CapEff $READ && has $view CapEff $OVERRIDE && has $view CapEff $CHOWN && ! has $view CapPrm $ADMIN &&
		! has $view CapPrm $BPF && ! has $view CapPrm $MODULE && ! has $view CapPrm $NET_ADMIN && ! has $view CapPrm $RAWIO
}
claim "root's view may read and give away files, and not load what runs in the kernel" roots_view
kill -KILL $waiter $view
waiter= view=
of_a_user() {
	mkdir -m 700 theirs && cp good.dusk theirs/x.dusk && chmod 600 theirs/x.dusk && chown -R 12345:23456 theirs &&
		"$dusk" info -i theirs/x.dusk >said && SUDO_UID=12345 SUDO_GID=23456 "$dusk" flame -i theirs/x.dusk -o theirs/page &&
		[ "$(stat -c %u:%g:%a theirs/page)" = 12345:23456:600 ]
}
claim "... so it reads the caller's profile, and the page is the caller's" of_a_user

# Recording: what set-up needed goes when it is done, and what the end needed when that is.
recorded() {
	(cd public && exec nobody "$capable" record -q -p $own -d 100ms -o first.dusk) >said 2>&1
	[ $? != 3 ] && return
	claims=$((claims + 1))
	echo "ok $claims - $1 # SKIP $(tail -n 1 said)"
	return 1
}
# while_recording COMMAND...: $pid is recording; it ends at a signal.
while_recording() {
	for _ in $(seq 100); do
		[ -e public/x.dusk.recording ] && [ "$(status $pid NoNewPrivs)" = 1 ] && break
		sleep 0.1
	done
	"$@"
	result=$?
	kill -TERM $pid
	wait $pid && pid= && return $result
}
if recorded "nobody records with the capabilities that doctor advises"; then
	claim "nobody records with the capabilities that doctor advises" exits 0 nobody "$dusk" info -i public/first.dusk
	only_lent() {
		has $pid CapEff $BPF && has $pid CapEff $PTRACE && [ "$(status $pid CapInh)" = 0000000000000000 ] &&
			[ "$(status $pid CapAmb)" = 0000000000000000 ] &&
			[ $((0x$(status $pid CapPrm) & ~((paranoid > 2) << ADMIN | 1 << BPF | 1 << PERFMON | 1 << PTRACE | 1 << READ | 1 << SYSLOG))) = 0 ]
	}
	setcap "${lent%=ep},cap_sys_admin,cap_net_admin=eip" bin/capable
	nobody "$capable" record -q -p $own -o public/x.dusk &
	pid=$!
	claim "a recording has what it needs, even if it was lent more" while_recording only_lent
	setcap $lent bin/capable
	"$dusk" record -q -p $own -o public/x.dusk &
	pid=$!
	roots_recording() {
		"$dusk" stackmap stat >said && nobody "$capable" stackmap stat && return 1
		has $pid CapEff $BPF && has $pid CapEff $OVERRIDE && ! { has $pid CapPrm $ADMIN && [ "$paranoid" -le 2 ]; } && ! has $pid CapPrm $MODULE &&
			! has $pid CapPrm $NET_ADMIN && ! has $pid CapPrm $RAWIO
	}
	claim "root's recording, too; nobody sees its stackmap" while_recording roots_recording
	# execve() of a file with capabilities makes the kernel forget which signal a process gets at its parent's death.
	killed_agent() {
		nobody "$capable" agent --config /dev/null --store "$tmp/public/store" --window 500ms --compact 0 2>agent.said &
		agent=$!
		until_true sh -c "recording=\$(ls -d public/store/*.dusk.recording) &&
			'$dusk' query -i \"\${recording%.recording}\" --csv 'select count(*) from window' | grep -qx '[1-9][0-9]*'" || { cat agent.said; return 1; }
		kill -9 $agent
		until_true sh -c "! pgrep -f '^dusk record .*$tmp/public/store/'" || { pkill -9 -f "^dusk record .*$tmp/public/store/"; return 1; }
	}
	claim "the recorder of an agent that is killed ends" killed_agent
	claim "... in order" sh -c "ls public/store/*.dusk && ! ls -d public/store/*.recording"
	mkdir secret/there
	alike() {
		for option in -o -G; do
			exits 1 nobody "$capable" record -q -d 10ms -o public/x.dusk $option "$tmp/secret/there/x" && says "x: Permission denied" &&
				exits 1 nobody "$capable" record -q -d 10ms -o public/x.dusk $option "$tmp/secret/none/x" && says "x: Permission denied" ||
				return
		done
	}
	claim "what is not there and what is look alike in a folder that is hidden" alike
	# The recording is over after 100 ms, but its command goes on.
	afterwards() {
		rm -f public/x.dusk
		nobody "$capable" record -q -d 100ms -o public/x.dusk -- sh -c 'cat /proc/self/status >public/command; exec sleep 1000' &
		pid=$!
		for _ in $(seq 150); do
			[ -e public/x.dusk ] && [ "$(status $pid CapPrm)" = 0000000000000000 ] && break
			sleep 0.1
		done
		left=$(status $pid CapPrm)
		kill -TERM $pid
		wait $pid
		pid=
		[ "$left" = 0000000000000000 ]
	}
	claim "when all is written it has none" afterwards
	claim "what is recorded never had any" grep -x 'CapPrm:.0*' public/command
	roots_command() {
		"$dusk" record -q -o public/x.dusk -- cat /proc/self/status >said && grep -x 'NoNewPrivs:.0' said &&
			grep "^CapEff:.*$(status $$ CapEff)" said
	}
	claim "what root records is as root would start it" roots_command
fi

claim "set-user-ID it does not run" exits 3 nobody bin/setuid info -i good.dusk
claim "... and says what to do instead" says "not made to run set-user-ID"
done_testing
