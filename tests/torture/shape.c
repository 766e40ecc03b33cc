/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "shape.h"
#include <stdlib.h>
#include <string.h>
#include "truth.h"

#define MAX_FRAMES 1024

/* Functions of a victim; STEM is any that is not part of a path, FOREIGN is not the victim's. */
enum function {
	FOREIGN,
	STEM,
	ROOT,
	RUN,
	ON_SIGNAL,
	VIA,
	STEP = VIA + NR_VIAS,
	DEEPER,
	BODY,
	NR_FUNCTIONS = BODY + NR_BODIES,
};

static const char *const names[NR_FUNCTIONS] = {
	[RUN] = "run", [ON_SIGNAL] = "on_signal", [VIA] = "via_a",   "via_b", "via_c",
	"via_d",       [STEP] = "step",		  [DEEPER] = "deep",
#define X(name) [BODY + BODY_##name] = #name,
	BODIES(X)
#undef X
};

struct shapes {
	const struct dusk_profile *profile;
	unsigned char *of_frame; /* enum function of each frame */
	bool *unnamed;
	const char **call; /* the system call that is handled there, or NULL */
};

static enum function function_of(const char *name)
{
	if (!strcmp(name, "main") || !strcmp(name, "thread_main"))
		return ROOT;
	for (int i = 0; i < NR_FUNCTIONS; i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	return STEM;
}

/*
 * The system call whose function in the kernel is @name, if it returns to where it was called. After the others, and at
 * their end already, the registers are other ones.
 */
static const char *call_of(const char *name)
{
	if (strncmp(name, "__x64_sys_", 10) || !strcmp(name, "__x64_sys_rt_sigreturn") ||
	    !strncmp(name, "__x64_sys_execve", 16))
		return NULL;
	return name + 10;
}

/* Does libc make system call @call in function @name? */
static bool makes_call(const char *name, const char *call)
{
	static const char *const own[] = {"read", "write", "mmap", "munmap", "clock_nanosleep"};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(call, own[i]))
			return strstr(name, call) || strstr(name, "_syscall_cancel"); /* glibc from 2.41 on */
	return strcmp(call, "getppid") || !strcmp(name, "syscall") || !strcmp(name, "getppid");
}

void shapes_free(struct shapes *s)
{
	if (!s)
		return;
	free(s->of_frame);
	free(s->unnamed);
	free(s->call);
	free(s);
}

struct shapes *shapes_new(const struct dusk_profile *p)
{
	struct shapes *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->profile = p;
	s->of_frame = calloc(p->nr_frames, 1);
	s->unnamed = calloc(p->nr_frames, sizeof(bool));
	s->call = calloc(p->nr_frames, sizeof(*s->call));
	if (!s->of_frame || !s->unnamed || !s->call) {
		shapes_free(s);
		return NULL;
	}
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		const struct dusk_module *module = &p->modules[f->module];
		const char *name = strrchr(module->path, '/');

		s->unnamed[i] = !name && module->kind != DUSK_MODULE_VDSO && module->kind != DUSK_MODULE_KERNEL;
		if (module->kind == DUSK_MODULE_KERNEL && f->function)
			s->call[i] = call_of(p->functions[f->function].symbol);
		if (name && !strcmp(name, "/victim"))
			s->of_frame[i] = f->function ? function_of(p->functions[f->function].symbol) : STEM;
	}
	return s;
}

/* The user frames of @node to @ret, from the innermost: how many. And the system call it is in, or NULL. */
static int user_frames(const struct shapes *s, uint32_t node, uint32_t ret[MAX_FRAMES], const char **call)
{
	const struct dusk_profile *p = s->profile;
	int nr = 0;

	*call = NULL;
	for (; node && nr < MAX_FRAMES; node = p->nodes[node].parent) {
		uint32_t frame = p->nodes[node].frame;

		if (p->modules[p->frames[frame].module].kind != DUSK_MODULE_KERNEL)
			ret[nr++] = frame;
		if (s->call[frame])
			*call = s->call[frame];
	}
	return nr;
}

/* May the innermost user frame be @frame in system call @call? */
static bool is_caller(const struct shapes *s, uint32_t frame, const char *call)
{
	uint32_t function = s->profile->frames[frame].function;

	return s->of_frame[frame] == FOREIGN && (!function || makes_call(s->profile->functions[function].symbol, call));
}

static bool is_exact(const struct shapes *s, uint32_t frame)
{
	return !s->profile->frames[frame].is_return;
}

static bool is_signal_frame(const struct shapes *s, uint32_t frame)
{
	uint32_t function = s->profile->frames[frame].function;

	return function && !strcmp(s->profile->functions[function].symbol, "__restore_rt");
}

/* A new segment, inside the signal frame @frame, which is libc's __restore_rt. NULL: there are too many. */
static struct segment *add_segment(const struct shapes *s, struct shape *shape, uint32_t frame)
{
	struct segment *g;

	if (shape->nr == MAX_SEGMENTS) {
		shape->segment[MAX_SEGMENTS - 1].broken = true;
		return NULL;
	}
	g = &shape->segment[shape->nr++];
	g->broken = s->of_frame[frame] != FOREIGN;
	return g;
}

/* Add @f to @g. The victim has no function that libc calls, but for what leads to main() and to threads. */
static void add_function(struct segment *g, enum function f, bool *inside, bool *left)
{
	if (f == FOREIGN) {
		*left = true;
		return;
	}
	g->broken |= (*inside && *left) || g->nr == MAX_SEGMENT;
	*inside |= f != STEM;
	*left = false;
	if (g->nr < MAX_SEGMENT)
		g->function[g->nr++] = f;
}

void shapes_get(const struct shapes *s, uint32_t node, struct shape *ret)
{
	bool inside = false, left = false; /* the program proper; for libc */
	uint32_t frame[MAX_FRAMES];
	const char *call;
	struct segment *g;

	memset(ret, 0, sizeof(*ret));
	ret->frames = user_frames(s, node, frame, &call);
	ret->misplaced = call && ret->frames && !is_caller(s, frame[0], call);
	g = &ret->segment[ret->nr++];
	for (int i = ret->frames; i-- > 0;) {
		ret->unnamed |= s->unnamed[frame[i]];
		add_function(g, s->of_frame[frame[i]], &inside, &left);
		if (!i || !is_exact(s, frame[i]))
			continue;
		/*
		 * Not a return address, but there is something inside: a signal frame. A signal may also have hit
		 * __restore_rt itself, behind a handler that had returned.
		 */
		inside = left = false;
		if (i == ret->frames - 1 && is_signal_frame(s, frame[i]))
			i++; /* what was interrupted could not be read */
		do
			g = add_segment(s, ret, frame[--i]);
		while (g && i && s->of_frame[frame[i - 1]] == FOREIGN && is_exact(s, frame[i - 1]));
		if (!g)
			return;
	}
}

/* The functions of @path to @ret, from RUN or ON_SIGNAL inwards: how many. */
static int chain(unsigned char ret[MAX_SEGMENT], int path, bool handler)
{
	int nr = 0;

	ret[nr++] = handler ? ON_SIGNAL : RUN;
	ret[nr++] = VIA + PATH_VIA(path);
	ret[nr++] = STEP;
	for (int i = 0; PATH_DEEP(path) && i < DEEP; i++)
		ret[nr++] = DEEPER;
	ret[nr++] = BODY + PATH_BODY(path);
	return nr;
}

/* How many functions come before the path; -1 if what comes before is not right. */
static int stem(const struct segment *s, bool handler)
{
	bool root = handler;
	int i = 0;

	for (; i < s->nr && (s->function[i] == STEM || s->function[i] == ROOT); i++)
		root |= s->function[i] == ROOT;
	if (s->broken || (handler && i) || (!root && i < s->nr))
		return -1;
	return i;
}

bool segment_is(const struct segment *s, int path, bool handler)
{
	unsigned char wanted[MAX_SEGMENT];
	int nr = chain(wanted, path, handler), from = stem(s, handler);

	return from >= 0 && s->nr - from == nr && !memcmp(s->function + from, wanted, nr);
}

static bool leads_to(const struct segment *s, int path, bool handler)
{
	unsigned char wanted[MAX_SEGMENT];
	int nr = chain(wanted, path, handler), from = stem(s, handler);

	return from >= 0 && s->nr - from <= nr && !memcmp(s->function + from, wanted, s->nr - from);
}

bool segment_leads_to(const struct segment *s, int path)
{
	return leads_to(s, path, false);
}

bool segment_is_legal(const struct segment *s, bool handler)
{
	for (int path = 0; path < PATH(0, 0, NR_BODIES); path++)
		if (leads_to(s, path, handler))
			return true;
	return false;
}

bool segment_is_bare(const struct segment *s)
{
	return !s->nr || (s->nr == 1 && s->function[0] == ON_SIGNAL);
}

/* Does some path, or what leads to it, end in @s? */
bool segment_ends(const struct segment *s, int path, bool handler)
{
	unsigned char wanted[MAX_SEGMENT];
	int nr, from;

	if (s->broken)
		return false;
	if (path == ANY_PATH) {
		for (int i = 0; i < PATH(0, 0, NR_BODIES); i++)
			for (nr = chain(wanted, i, handler); nr > 0; nr--)
				if (s->nr <= nr && !memcmp(s->function, wanted + nr - s->nr, s->nr))
					return true;
		return segment_is_legal(s, handler);
	}
	nr = chain(wanted, path, handler);
	if (s->nr <= nr)
		return !memcmp(s->function, wanted + nr - s->nr, s->nr);
	for (from = 0; from < s->nr - nr; from++)
		if (handler || (s->function[from] != STEM && s->function[from] != ROOT))
			return false;
	return !memcmp(s->function + from, wanted, nr);
}

void path_print(FILE *out, int path, bool handler)
{
	unsigned char function[MAX_SEGMENT];
	int nr = chain(function, path, handler);

	for (int i = 0; i < nr; i++)
		fprintf(out, "%s%s", i ? " " : "", names[function[i]]);
	fprintf(out, "\n");
}

void shapes_print(FILE *out, const struct shapes *s, uint32_t node)
{
	const struct dusk_profile *p = s->profile;
	uint32_t frame[MAX_FRAMES];
	const char *call;

	for (int i = user_frames(s, node, frame, &call); i-- > 0;) {
		const struct dusk_frame *f = &p->frames[frame[i]];

		fprintf(out, "%s%s", f->function ? p->functions[f->function].symbol : "?",
			!i	       ? ""
			: f->is_return ? " "
				       : " | ");
	}
	fprintf(out, "%s%s\n", call ? ", in system call " : "", call ? call : "");
}
