/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A fuzzer as a plain test: what does it make of the inputs that are kept?
 *
 *	fuzz_x FILE|FOLDER...
 *
 * Runs each file, and each file of each folder (which may be a link to that of another fuzzer), in the order of their
 * names, and names the one at work, so that a crash tells which it was. Left out where libFuzzer is linked, which has a
 * main() of its own.
 */
#include <err.h>
#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const char *path, size_t size)
{
	FILE *file = fopen(path, "re");
	uint8_t *data = malloc(size ? size : 1); /* exactly as long as the input: ASan sees the byte behind */

	if (!file || !data || fread(data, 1, size, file) != size)
		err(1, "%s", path);
	fclose(file);
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int main(int argc, char **argv)
{
	size_t inputs = 0;
	FTSENT *entry;
	FTS *tree;

	if (argc < 2)
		errx(2, "usage: %s FILE|FOLDER...", argv[0]);
	tree = fts_open(argv + 1, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	if (!tree)
		err(1, "%s", argv[1]);
	while ((entry = fts_read(tree))) {
		if (entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
			errx(1, "%s: %s", entry->fts_path, strerror(entry->fts_errno));
		if (entry->fts_info != FTS_F)
			continue;
		run(entry->fts_accpath, entry->fts_statp->st_size);
		inputs++;
	}
	fts_close(tree);
	if (!inputs)
		errx(1, "no inputs: a test that tests nothing");
	return 0;
}
