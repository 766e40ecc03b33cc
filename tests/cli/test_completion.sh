#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What do shells offer behind "dusk"? usage: test_completion.sh DUSK
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
cd "$tmp" || exit 1

# offers WORD...: what bash offers for the last of these words, behind "dusk", in one line
offers() {
	bash -c '. ./dusk.bash; COMP_WORDS=(dusk "$@"); COMP_CWORD=$#; _dusk; echo "${COMPREPLY[*]}"' bash "$@"
}
# offered WANTED WORD...: just that
offered() {
	wanted=$1
	shift
	got=$(offers "$@")
	echo "'$got' instead of '$wanted'"
	[ "$got" = "$wanted" ]
}
# all_options COMMAND: every option of --help is offered, and no other
all_options() {
	"$dusk" "$1" --help | sed -n 's/^  \(-[a-zA-Z],\)\{0,1\} *\(--[a-z-]*\).*/\1\n\2/p' | sed 's/,$//; /^$/d' | sort >want
	offers "$1" - | tr ' ' '\n' | sort >got
	diff want got
}

claim "a shell must be named" exits 2 "$dusk" completion
claim "a shell that is not known" exits 2 "$dusk" completion csh
claim "... is named with those that there are" says "no completion for 'csh'; there is one for bash, zsh and fish"
claim "the commands for users are without it" sh -c "! $dusk --help | grep -q completion"
for shell in bash zsh fish; do
	claim "completion for $shell" sh -c "$dusk completion $shell >dusk.$shell && [ -s dusk.$shell ]"
	needs $shell "$shell takes it" && claim "$shell takes it" $shell -n dusk.$shell
done

if needs bash "bash completes"; then
	commands=$("$dusk" --help | sed -n '/^Options:/q; s/^  \([a-z]*\) .*/\1/p' | tr '\n' ' ')
	claim "bash: the commands" offered "${commands}help --help --version" ""
	claim "bash: a command that is begun" offered "record recover report" re
	claim "bash: a command to be helped with" offered "annotate" help an
	for command in $commands; do
		claim "bash: the options of $command" all_options "$command"
	done
	claim "bash: an option that is begun" offered "--fields --focus --full-names" report --f
	claim "bash: the formats there are" offered "perf pprof perfetto" export --format p
	claim "bash: ... behind an equals sign" offered "perf pprof perfetto" export --format = p
	claim "bash: ... right behind it" offered "caller callee" report --tree =
	claim "bash: the orders of a tree" offered "caller callee" report --tree c
	claim "bash: an option in the place of an order" offered "--csv" report --tree --cs
	claim "bash: the first key of a list" offered "service self" report --sort se
	claim "bash: the next key of a list" offered "comm,pid,service comm,pid,self" report --sort comm,pid,se
	claim "bash: files are left to the shell" offered "" report -i pro
	claim "bash: what only the user knows is left to the user" offered "" report --limit 1
	claim "bash: a command that there is not" offered "" nothing --f
fi

# A terminal, with what a user would type.
if needs script "bash completes as it is typed"; then
	cat >rc <<-'-'
		dusk() { printf 'was typed: %s\n' "$*"; }
		. ./dusk.bash
	-
	claim "bash completes as it is typed" sh -c "
		{ printf 'dusk recor\t --dur\t 1s --out\t pro\t\nexit\n'; } >keys; : >profile.dusk
		TERM=dumb script -qec 'bash --noprofile --rcfile rc -i' /dev/null <keys >typed 2>&1; cat typed
		grep -q 'was typed: record --duration 1s --output profile.dusk' typed"
fi

# zsh and fish look options up by themselves when asked.
if needs fish "fish offers what there is"; then
	claim "fish offers what there is" sh -c "
		XDG_CONFIG_HOME=$tmp HOME=$tmp fish -c 'source dusk.fish; complete -C \"dusk report --foc\"' >got; cat got; grep -q '^--focus' got"
	claim "fish offers formats" sh -c "
		XDG_CONFIG_HOME=$tmp HOME=$tmp fish -c 'source dusk.fish; complete -C \"dusk export --format perfe\"' >got; cat got
		grep -q '^perfetto' got"
fi
if needs zsh "zsh offers what there is"; then
	claim "zsh offers what there is" sh -c "
		cp dusk.zsh _dusk
		zsh -fc 'fpath=(\$PWD \$fpath); autoload -Uz compinit && compinit -u -D && [[ \$_comps[dusk] = _dusk ]] && autoload +X _dusk'"
fi
done_testing
