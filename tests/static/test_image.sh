#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is the image of dusk whole, do others read it, and does it record with two capabilities? usage: test_image.sh TREE DUSK VICTIMS
. "$(dirname "$0")/../tools/tap.sh"
here=$(realpath "$(dirname "$0")") tree=$(realpath "$1") dusk=$(realpath "$2") victims=$(realpath "$3")
image=$tree/build-static/dusk-image.tar
. "$here/made.sh"
cd "$tmp" || exit 1
export LC_ALL=C

claim "tools/image makes it" "$tree/tools/image"
[ -e "$image" ] || { done_testing; exit; }
same_bytes() {
	sha256sum "$image" >first && touch "$tree/build-static/dusk-x86_64" && "$tree/tools/image" && sha256sum -c first
}
claim "and makes the same again" same_bytes
claim "it has less than 30 MB" [ "$(stat -c %s "$image")" -lt 30000000 ]
claim "a name that is none is refused" exits 2 "$tree/tools/image" "Dusk latest"

needs jq "what it says of itself is true" || { done_testing; exit; }
mkdir image && tar -C image -xf "$image"
# is_there DIGEST [SIZE]: such a blob is there, and is that
is_there() {
	echo "$1 $2"
	file=image/blobs/sha256/${1#sha256:}
	echo "${1#sha256:}  $file" | sha256sum -c && { [ "$2" = any ] || [ "$(stat -c %s "$file")" = "$2" ]; } && echo "$file" >>known
}
blob_of() {
	echo "image/blobs/sha256/$(jq -r "$1" "$2" | sed 's/^sha256://; s,^blobs/sha256/,,')"
}
described() {
	: >known
	jq -r '.manifests[] | "\(.digest) \(.size)"' image/index.json >list &&
		manifest=$(blob_of '.manifests[0].digest' image/index.json) &&
		jq -r '.config, .layers[] | "\(.digest) \(.size)"' "$manifest" >>list &&
		config=$(blob_of .config.digest "$manifest") &&
		jq -r '.rootfs.diff_ids[] | "\(.) any"' "$config" >>list &&
		[ "$(wc -l <list)" = 4 ] || return
	while read -r digest size; do
		is_there "$digest" "$size" || return
	done <list
}
claim "each blob has the digest and the size that it is said to have" described
claim "and no other is there" sh -c '[ "$(sort -u known)" = "$(find image/blobs -type f | sort)" ]'
same_blobs() {
	[ "$(blob_of '.[0].Config' image/manifest.json)" = "$config" ] &&
		[ "$(blob_of '.[0].Layers[0]' image/manifest.json)" = "$(blob_of '.layers[0].digest' "$manifest")" ] &&
		[ "$(jq -r '.[0].RepoTags[0]' image/manifest.json)" = "dusk:$("$dusk" --version | cut -d ' ' -f 2)" ]
}
claim "docker's manifest names the same blobs, and dusk with its version" same_blobs

layer=$(blob_of '.layers[0].digest' "$manifest")
mkdir root && tar -C root -xf "$layer"
only_root() {
	! tar -tvf "$layer" --numeric-owner | awk '$2 != "0/0" || ($1 ~ /^-..s|^-.....s|w..$/ && $NF != "tmp/")' | grep .
}
claim "its files are root's, which no other can write to" only_root
claim "the program is the one of tools/static" cmp root/usr/bin/dusk "$tree/build-static/dusk-x86_64"
claim "it is the entry point" [ "$(jq -c .config.Entrypoint "$config")" = '["/usr/bin/dusk"]' ]
claim "the licences are there" cmp root/usr/share/doc/dusk/LICENSE "$tree/LICENSE"

# Real readers: what podman and its kin read images with.
if needs skopeo "others read it"; then
	claim "skopeo reads it as a docker-archive" skopeo inspect --tmpdir "$tmp" "docker-archive:$image"
	claim "... and as an OCI archive" skopeo inspect --tmpdir "$tmp" "oci-archive:$image"
	claim "... and converts it, with a look at every digest" skopeo copy --tmpdir "$tmp" -q "docker-archive:$image" "oci:$tmp/converted:dusk"
	if needs umoci "it is unpacked for a runtime"; then
		same_files() {
			umoci unpack --image converted:dusk bundle && diff -r root bundle/rootfs &&
				[ "$(jq -c .process.args bundle/config.json)" = '["/usr/bin/dusk","help"]' ]
		}
		if [ "$(id -u)" = 0 ]; then
			claim "umoci unpacks the same files, for a runtime that starts dusk" same_files
		else
			skipped "needs root" "umoci unpacks the same files, for a runtime that starts dusk"
		fi
	fi
fi

reason=$(cannot_record)
for program in perl busybox; do
	command -v $program >/dev/null || reason="$program is not installed"
done
if [ "$reason" ]; then
	skipped "$reason" "it records its container with two capabilities"
	done_testing
	exit
fi
mkdir data && cp "$victims/recurse_static" data/victim && cp "$(command -v busybox)" data
contained() {
	"$here/container.sh" "$tmp/root" "$tmp/data" "$@"
}
BPF=39 PERFMON=38 SYSLOG=34
export NEIGHBOUR=

claim "without a command it tells its commands" exits 0 contained 0 dusk help
claim "doctor is content with cap_bpf and cap_perfmon" exits 0 contained $BPF,$PERFMON dusk doctor
claim "... and they are all that it has" says "missing: cap_sys_ptrace"
has_capabilities() {
	[ "$(contained $BPF,$PERFMON dusk doctor --json | jq -r 'select(.check == "capabilities") | .state')" = WARN ]
}
claim "... as it says" has_capabilities
claim "without cap_bpf mode copied records" exits 0 contained $PERFMON dusk record -d 1s -o /data/copied.dusk
claim "... and says why" says "cap_bpf is missing"
claim "... and the full mode refuses" exits 3 contained $PERFMON dusk record --mode full -d 1s -o /data/no.dusk
claim "without cap_perfmon the machine is not recorded" exits 3 contained $BPF dusk record -d 1s -o /data/no.dusk
claim "... and it is named" says "cap_perfmon is missing"
claim "a runtime that forbids bpf() is named" exits 0 env FILTERED=yes "$here/container.sh" "$tmp/root" "$tmp/data" $BPF,$PERFMON dusk record -d 1s -o /data/copied.dusk
claim "..." says "--security-opt seccomp=unconfined"
claim "its root is read-only, which is said" exits 1 contained $BPF,$PERFMON dusk record -d 1s -o /no.dusk
claim "..." says "Read-only file system"

# stacks FILE: of the victim, all complete and named; the process has another number outside.
stacks() {
	contained 0 dusk export --format folded -i "/data/$1" >folded && grep '^victim;' folded >of_victim &&
		complete of_victim
}
export NEIGHBOUR="victim 10"
claim "a process of the container is recorded by its number there" exits 0 contained $BPF,$PERFMON dusk record -e cpu -F 499 -d 2s -p NEIGHBOUR -o /data/a.dusk
claim "... and its stacks are complete" says "100.00 % of"
claim "... and named" stacks a.dusk
export NEIGHBOUR=
claim "a command is recorded" exits 143 contained $BPF,$PERFMON dusk record -e cpu -F 499 -o /data/b.dusk -- busybox timeout 2 victim 10
claim "... whose stacks are complete and named" stacks b.dusk
claim "a process that is not in the container is none" exits 1 contained $BPF,$PERFMON dusk record -d 1s -p 4000000 -o /data/no.dusk
claim "..." says "there is no such process"
claim "the machine is recorded, and each off-CPU interval" exits 0 contained $BPF,$PERFMON dusk record -d 1s -o /data/c.dusk
claim "... and that the kernel's names take cap_syslog is said" says "the kernel shows no addresses, for lack of cap_syslog"
claim "with it nothing is missing" exits 0 contained $BPF,$PERFMON,$SYSLOG dusk record -d 1s -o /data/d.dusk
claim "..." sh -c "! grep 'shows no addresses' '$tmp/said'"
claim "reports need no capability" exits 0 contained 0 dusk report -i /data/c.dusk
done_testing
