/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pretends KIND MILLISECONDS: main, loop, 8 times recurse, burn, in a program that says that it is CPython 3.13.
 *
 *	valid		a function "pretended" runs in loop
 *	offsets		its structures have what is looked for outside of them
 *	wild		its list of interpreters leads nowhere
 *	loop		a frame is its own caller
 *	many		a million frames
 *	names		names and a line table of 2^60 bytes
 *	unreadable	the caller of its frame is in memory that may not be read
 *	codes		2,000 functions, which are others each time
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include "victim.h"

#define HAS(field, offset) \
	_Static_assert(__builtin_offsetof(struct code, field) == (offset), "what the description says")

struct text {
	uint64_t object[2], length, hash, state;
	char ascii[32];
};

struct table {
	uint64_t object[2], bytes, hash;
	unsigned char entry[70000]; /* as much as is read of a longer one */
};

struct code {
	uint64_t object[12];
	struct text *name, *file;
	struct table *lines;
	uint32_t first_line;
	uint64_t rest[8];
};
HAS(name, 96);
HAS(first_line, 120);

struct frame {
	struct code *executable;
	struct frame *previous;
	char *instruction;
	uint32_t pad;
	unsigned char owner;
	uint64_t rest[6];
};

struct thread {
	struct thread *next;
	void *pointer;
	struct frame *current;
};

struct interpreter {
	struct interpreter *next;
	struct thread *threads;
};

/* What a runtime exports; and as much code as one has. */
struct {
	char cookie[8];
	uint64_t version, free_threaded, word[90];
	struct interpreter *interpreters;
} _PyRuntime = {.cookie = "xdebugpy", .version = 0x030d00f0};
uint64_t PyCode_Type[8];
const unsigned int Py_Version = 0x030d00f0;
__asm__(".text\n.skip 600 << 10, 0x90\n");

#define MANY 1000000
#define CODES 2000

volatile unsigned long sink;
static struct text name = {.length = 9, .state = 1 << 2 | 3 << 5, .ascii = "pretended"};
static struct text file = {.length = 12, .state = 1 << 2 | 3 << 5, .ascii = "/pretended.py"};
static struct table lines;
static struct code code[CODES];
static struct thread thread;
static struct interpreter interpreter = {.threads = &thread};
static int nr_codes = 1;

KNOWN void burn(void)
{
	BURN(100000);
}

KNOWN void recurse(long left)
{
	if (left > 1)
		recurse(left - 1);
	else
		burn();
	sink += left;
}

/* Before the process exists that runs: in one of CPython the description is part of the file. */
static void describe(const char *kind)
{
	uint64_t *word = _PyRuntime.word;

	word[2] = (char *)&_PyRuntime.interpreters - (char *)&_PyRuntime;
	word[5] = __builtin_offsetof(struct interpreter, next);
	word[6] = __builtin_offsetof(struct interpreter, threads);
	word[18] = __builtin_offsetof(struct thread, next);
	word[20] = __builtin_offsetof(struct thread, current);
	word[21] = __builtin_offsetof(struct thread, pointer);
	word[26] = __builtin_offsetof(struct frame, previous);
	word[27] = __builtin_offsetof(struct frame, executable);
	word[28] = __builtin_offsetof(struct frame, instruction);
	word[30] = __builtin_offsetof(struct frame, owner);
	word[32] = __builtin_offsetof(struct code, file);
	word[34] = __builtin_offsetof(struct code, name);
	word[35] = __builtin_offsetof(struct code, lines);
	word[36] = __builtin_offsetof(struct code, first_line);
	word[40] = sizeof(struct code);
	word[67] = __builtin_offsetof(struct text, ascii);
	if (!strcmp(kind, "offsets"))
		memset(word, 0xff, sizeof(_PyRuntime.word));
}

/* @nr frames before @outermost. Returns the innermost one. */
static struct frame *chain(struct frame *outermost, long nr)
{
	struct frame *f = calloc(nr, sizeof(*f));

	for (long i = 0; i < nr; i++) {
		struct code *c = &code[i % nr_codes];

		f[i].executable = c;
		f[i].instruction = (char *)(c + 1);
		f[i].previous = i ? &f[i - 1] : outermost;
	}
	return &f[nr - 1];
}

static void prepare(const char *kind, struct frame *run)
{
	nr_codes = strcmp(kind, "codes") ? 1 : CODES;
	for (int i = 0; i < nr_codes; i++) {
		code[i].object[1] = (uint64_t)PyCode_Type;
		code[i].name = &name;
		code[i].file = &file;
		code[i].lines = &lines;
		code[i].first_line = i;
	}
	thread.pointer = __builtin_thread_pointer();
	thread.current = chain(run, !strcmp(kind, "many") ? MANY : nr_codes);
	_PyRuntime.interpreters = strcmp(kind, "wild") ? &interpreter : (void *)0x7ead00000000;
	if (!strcmp(kind, "loop"))
		thread.current->previous = thread.current;
	if (!strcmp(kind, "names"))
		name.length = file.length = lines.bytes = 1ULL << 60;
	if (!strcmp(kind, "unreadable"))
		thread.current->previous = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

KNOWN void loop(const char *kind, long ms)
{
	struct frame run = {.owner = 3};
	long end = now_ms() + ms;

	prepare(kind, &run);
	say_ready();
	for (long round = 1; now_ms() < end; round++) {
		for (int i = 0; nr_codes > 1 && i < nr_codes; i++)
			code[i].first_line = round * CODES + i;
		recurse(8);
	}
	sink += run.owner;
}

int main(int argc, char **argv)
{
	int status;

	describe(argv[1]);
	if (!fork())
		loop(argv[1], atol(argv[2]));
	else
		wait(&status);
	return 0;
}
