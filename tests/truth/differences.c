/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "differences.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "lib/profile/file/abi_names.h"
#include "lib/process/procfs.h"
#include "lib/symbols/symbols.h"

/* The outcome with whose name, and a colon, @why begins; -1: none. */
static int outcome_of(const char *why)
{
	size_t len = strcspn(why, ":");

	for (int i = 0; i < NR_OUTCOMES; i++)
		if (why[len] && strlen(outcomes[i].name) == len && !memcmp(outcomes[i].name, why, len))
			return i;
	return -1;
}

bool differences_read(struct differences *d, const char *path)
{
	_cleanup_(fclosep) FILE *in = fopen(path, "re");
	char line[512], to[24];

	if (!in) {
		fprintf(stderr, "cannot read %s: %s\n", path, strerror(errno));
		return false;
	}
	while (fgets(line, sizeof(line), in)) {
		struct excuse e = {0};

		if (*line == '#' || *line == '\n')
			continue;
		if (sscanf(line, "%ms %ms %lu %23s %m[^\n]", &e.file, &e.function, &e.from, to, &e.why) != 5) {
			fprintf(stderr, "%s: makes no sense: %s", path, line);
			return false;
		}
		e.to = *to == '*' ? -1UL : strtoul(to, NULL, 10);
		e.outcome = outcome_of(e.why + strspn(e.why, " \t"));
		e.one_more = !strncmp(e.why + strspn(e.why, " \t"), "one-more:", strlen("one-more:"));
		if (vec_push(&d->excuses, e))
			return false;
	}
	return true;
}

static const char *section_at(Elf *elf, uint64_t address, uint64_t *start)
{
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh);) {
		if (!(sh.sh_flags & SHF_EXECINSTR) || address < sh.sh_addr || address - sh.sh_addr >= sh.sh_size)
			continue;
		*start = sh.sh_addr;
		return elf_strptr(elf, names, sh.sh_name);
	}
	return NULL;
}

/* The symbol or section at @offset of @file; d->place and d->offset. */
static void name_place(struct differing *d, const char *file, uint64_t offset)
{
	_cleanup_(closep) int fd = procfs_open_file(file);
	struct symbols *symbols = NULL;
	uint64_t address, start;
	const char *name = NULL;
	Elf *elf;

	snprintf(d->place, sizeof(d->place), "?");
	d->offset = offset;
	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || symbols_open(&symbols, fd, file))
		goto out;
	if (!symbols_address(symbols, offset, &address)) {
		name = symbols_find(symbols, address, &start);
		if (!name)
			name = section_at(elf, address, &start);
	}
	if (name) {
		snprintf(d->place, sizeof(d->place), "%.*s", (int)strcspn(name, "@"), name);
		d->offset = address - start;
	}
out:
	symbols_free(symbols);
	elf_end(elf);
}

static void name_differing(struct differing *d, const struct target *t)
{
	const struct target_mapping *m = target_find(t, d->pc);
	const char *slash = m ? strrchr(m->path, '/') : NULL;

	snprintf(d->file, sizeof(d->file), "%s", slash ? slash + 1 : m ? m->path : "?");
	snprintf(d->place, sizeof(d->place), "?");
	if (slash)
		name_place(d, m->path, d->pc - m->vma.start + m->vma.offset);
}

static void find_excuse(struct differences *d, struct differing *at)
{
	for (size_t i = 0; i < d->excuses.nr && !at->excuse; i++) {
		struct excuse *e = &d->excuses.v[i];

		if (!fnmatch(e->file, at->file, 0) && !fnmatch(e->function, at->place, 0) && at->offset >= e->from &&
		    at->offset <= e->to && (e->outcome < 0 || e->outcome == (int)at->outcome) &&
		    (!e->one_more || at->one_more))
			at->excuse = e;
	}
}

bool differences_take(struct differences *d, const struct target *t, uint64_t pc, const struct walk *w,
		      const uint64_t *truth, size_t nr, size_t same, bool one_more)
{
	struct differing *at = NULL;

	for (size_t i = 0; i < d->places.nr && !at; i++)
		if (d->places.v[i].pc == pc && d->places.v[i].outcome == w->outcome &&
		    d->places.v[i].one_more == one_more)
			at = &d->places.v[i];
	if (!at) {
		at = vec_add(&d->places);
		if (!at)
			return false;
		*at = (struct differing){
			.pc = pc,
			.outcome = w->outcome,
			.nr = w->out.nr,
			.nr_true = nr,
			.same = same,
			.word = same < w->out.nr ? w->out.frame[same] : 0,
			.true_word = same < nr ? truth[same] : 0,
			.innermost = nr ? truth[0] : 0,
			.one_more = one_more,
		};
		name_differing(at, t);
		find_excuse(d, at);
	}
	at->times++;
	if (at->excuse)
		at->excuse->used++;
	return at->excuse;
}

void differences_say(const struct differences *d)
{
	for (size_t i = 0; i < d->places.nr; i++) {
		const struct differing *at = &d->places.v[i];

		if (at->excuse)
			continue;
		fprintf(stderr,
			"  %s %s %lu: %lu times, %s, %zu frames of %zu, the same up to %zu: %llx, not %llx; in %llx\n",
			at->file, at->place, at->offset, at->times, outcomes[at->outcome].name, at->nr, at->nr_true,
			at->same, (unsigned long long)at->word, (unsigned long long)at->true_word,
			(unsigned long long)at->innermost);
	}
}
