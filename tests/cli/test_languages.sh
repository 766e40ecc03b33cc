#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Are functions of interpreted languages shown, by all views and formats? usage: test_languages.sh DUSK MAKE_PYTHON
. "$(dirname "$0")/../tools/tap.sh"
dusk=$(realpath "$1")
make_python=$(realpath "$2")
cd "$tmp" || exit 1
unset PAGER DEBUGINFOD_URLS
export LC_ALL=C

cat >app.py <<'-'
class Loader:
    def load(self):
        return decode()

Loader().load()
-
"$make_python" profile.dusk "$tmp/app.py" || exit 1

# prints COMMAND...: exactly what stands on standard input
prints() {
	cat >want
	"$@" >got || return
	diff want got
}
claim "stacks have no function that only runs what is shown" prints "$dusk" export <<'-'
python3;python3.11+0x100;<module>;Loader.load 3
python3;python3.11+0x100;<module>;Loader.load;python3.11+0x300;JSONDecoder.decode 2
-
claim "... but with --native" prints "$dusk" export --native <<'-'
python3;python3.11+0x100;python3.11+0x200;<module>;Loader.load 3
python3;python3.11+0x100;python3.11+0x200;<module>;Loader.load;python3.11+0x300;python3.11+0x200;JSONDecoder.decode 2
-
claim "a report has functions and the files of their sources" prints "$dusk" report --csv --fields self,total,function,dso --limit 3 <<'-'
self,total,function,dso
3,5,Loader.load,app.py
2,2,JSONDecoder.decode,decoder.py
0,5,<module>,app.py
-
claim "... and lines" prints sh -c "$dusk report --csv --fields line,self --limit 1 | sed 's,$tmp/,,'" <<'-'
line,self
app.py:3,3
-
claim "... and no advice on how to see functions of Python" sh -c "! $dusk report | grep 'in interpreters'"
claim "--own leaves out Python's library" prints sh -c "$dusk export --own --hide '^python3'" <<'-'
python3;<module>;Loader.load 5
-
claim "a function is annotated by its lines" prints sh -c "$dusk annotate Loader.load | sed 's,$tmp/,,'" <<'-'
# function:  Loader.load
# file:      app.py
# samples:   3 of 5
#
#   Self    Samples    Line  Source
# source:    app.py
                          1  class Loader:
                          2      def load(self):
 100.00%          3       3          return decode()
                          4
                          5  Loader().load()
-
claim "... and has no instructions" exits 1 "$dusk" annotate --disassembly Loader.load
claim "a difference is of its functions" sh -c "$dusk diff --csv profile.dusk profile.dusk | grep -q 'Loader.load,app.py'"
claim "the page has them as a kind of their own" sh -c "$dusk flame --data | gzip -dc | grep -q Loader.load"
claim "script has them without addresses" sh -c "$dusk script | grep -q '^	               0 Loader.load ('"
claim "jsonl says that it is a source" sh -c "$dusk export -f jsonl | grep '\"kind\":\"source\"' | grep -q app.py"
for format in firefox jsonl nested-set perfetto pprof otlp script speedscope; do
	claim "$format has them" sh -c "$dusk export -f $format -o it && { gzip -dc it 2>/dev/null || cat it; } | grep -qa Loader.load"
done
claim "perf.data has the interpreter's instead" sh -c "$dusk export -f perf -o perf.data && ! grep -qa app.py perf.data && grep -qa python3.11 perf.data"
claim "a profile that is merged keeps all" prints sh -c "$dusk merge -o merged.dusk profile.dusk && $dusk export --native -i merged.dusk | tail -n 1" <<'-'
python3;python3.11+0x100;python3.11+0x200;<module>;Loader.load;python3.11+0x300;python3.11+0x200;JSONDecoder.decode 2
-
claim "a query sees all" prints "$dusk" query --csv "select folded from stacks order by samples limit 1" <<'-'
folded
"python3.11+0x100;python3.11+0x200;<module>;Loader.load;python3.11+0x300;python3.11+0x200;JSONDecoder.decode"
-
claim "windows keep them" prints sh -c "$dusk merge --window 1s -o window.dusk profile.dusk && $dusk report -i window.dusk --csv --fields line,self --limit 2 | sed 's,$tmp/,,'" <<'-'
line,self
app.py:3,3
/usr/lib/python3.11/json/decoder.py:337,2
-
done_testing
