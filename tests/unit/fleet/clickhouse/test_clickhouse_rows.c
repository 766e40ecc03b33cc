/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do rows say the same on all hosts, and is what a server answers taken for no more than it is? */
#include <sys/stat.h>
#include "../../profile_fixture.h"
#include "../../python_profile.h"
#include "fleet/clickhouse/rebuild.h"
#include "fleet/clickhouse/rows.h"

#define KERNEL_TEXT 0xffffffff81000000

/* A recording in which work calls into the kernel, which begins at @text, and into one of its modules at @module. */
static struct dusk_profile *recorded(uint64_t text, uint64_t module, const char *boot)
{
	struct profile_writer *w = created();
	char where[32];
	uint32_t file = profile_module(w, &libc), k = profile_module(w, &kernel);
	uint32_t outer = profile_node(w, 0, profile_frame(w, file, 0x1000, true, DUSK_BY_CFI));
	uint32_t inner = profile_node(w, outer, profile_frame(w, k, text + 0x500, false, DUSK_BY_NOTHING));
	uint32_t deep = profile_node(w, inner, profile_frame(w, k, module, false, DUSK_BY_NOTHING));

	snprintf(where, sizeof(where), "0x%lx", (unsigned long)text);
	profile_set(w, "kernel_text", where);
	profile_set(w, "boot_id", boot);
	profile_set(w, "hostname", "web-1");
	profile_set_u64(w, "start_realtime_ns", 86399ULL * 1000000000);
	profile_set_u64(w, "window_ns", 1000000000);
	profile_set(w, "period_ns", "50000000");
	profile_thread(w, 7, 7, "work");
	for (int i = 0; i < 3; i++)
		profile_sample(w, &(struct dusk_sample){.time_ns = i * 600000000ULL,
							.node = i == 2 ? outer : deep,
							.outcome = UNDEFINED_RA});
	close_finished(w);
	return opened(path);
}

static void what_is_the_same_has_the_same_hash_in_another_boot(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = recorded(KERNEL_TEXT, 0xffffffffc0001000, "one"),
						     *b = recorded(KERNEL_TEXT + 0x600000, 0xffffffffc0001000, "two");
	_cleanup_(rows_done) struct rows x, y;

	(void)state;
	assert_int_equal(rows_init(&x, a), 0);
	assert_int_equal(rows_init(&y, b), 0);
	assert_int_equal(x.frames[1], y.frames[1]);
	assert_int_equal(x.frames[2], y.frames[2]);	/* the kernel's own code */
	assert_int_not_equal(x.frames[3], y.frames[3]); /* a module of it is anywhere */
	assert_int_equal(x.ustacks[1], y.ustacks[1]);
	assert_int_equal(x.kstacks[2], y.kstacks[2]);
	assert_int_not_equal(rows_profile_id(&x), rows_profile_id(&y));
}

/* The hash of a frame in the file @m, as @host sends it. */
static uint64_t hash_of(const struct dusk_module *m, const char *host, uint64_t *stack)
{
	struct profile_writer *w = created();
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(rows_done) struct rows r;
	uint32_t k = profile_module(w, &kernel);
	uint32_t outer = profile_node(w, 0, profile_frame(w, profile_module(w, m), 0x1000, true, DUSK_BY_CFI));

	profile_node(w, outer, profile_frame(w, k, KERNEL_TEXT, false, DUSK_BY_NOTHING));
	profile_set(w, "hostname", host);
	profile_set(w, "boot_id", host);
	close_finished(w);
	p = opened(path);
	assert_int_equal(rows_init(&r, p), 0);
	*stack = r.ustacks[1];
	return r.frames[1];
}

#define HIGH (1ULL << 63)

static void names_of_files_that_anybody_may_make_stay_on_their_host(void **state)
{
	struct dusk_module own = {.kind = DUSK_MODULE_FILE, .path = "/bin/sh", .build_id = "0123abcd"}, forged, moved;
	uint64_t stack, other, hash;
	struct stat st;

	(void)state;
	assert_int_equal(stat(own.path, &st), 0);
	if (st.st_uid)
		skip(); /* the system's files are not root's in this namespace */
	own.dev = st.st_dev;
	own.ino = st.st_ino;
	hash = hash_of(&own, "web-1", &stack);
	assert_int_equal(hash_of(&own, "web-2", &other), hash);
	assert_int_equal(other, stack);
	assert_int_equal((hash | stack) & HIGH, 0);
	/* In a mount namespace another file has that path, and the build id. */
	forged = own;
	forged.ino++;
	assert_int_not_equal(hash_of(&forged, "web-1", &other), hash);
	assert_int_equal(other & HIGH & hash_of(&forged, "web-1", &other), HIGH);
	assert_int_not_equal(hash_of(&forged, "web-1", &stack), hash_of(&forged, "web-2", &other));
	assert_int_not_equal(stack, other);
	/* What lies elsewhere is another file, whosever it is. */
	moved = own;
	moved.path = "/usr/bin/env";
	assert_int_equal(stat(moved.path, &st), 0);
	moved.dev = st.st_dev;
	moved.ino = st.st_ino;
	assert_int_not_equal(hash_of(&moved, "web-1", &other), hash);
}

/* The revs of what is written of @p. */
static uint32_t first_rev(const char *sql)
{
	_cleanup_(profile_freep) struct dusk_profile *first = recorded(KERNEL_TEXT, 0xffffffffc0001000, "one"), *p;
	_cleanup_(rows_done) struct rows r;
	struct buffer b = {.failed = false};
	struct map sent = {0};
	uint32_t rev;

	run_sql(path, sql);
	p = opened(path);
	assert_int_equal(rows_init(&r, p), 0);
	rows_frames(&b, &r, &sent);
	memcpy(&rev, b.bytes.v + 8, sizeof(rev));
	map_done(&sent);
	buffer_done(&b);
	return rev;
}

static void a_better_name_wins(void **state)
{
	static const char named[] = "insert into image values(1,'libc'); insert into function values(1,'%s',null,1);"
				    "update frame set function=1 where offset=0x1000";
	char sql[256];
	uint32_t nothing = first_rev("select 1"), beginning, name;

	(void)state;
	snprintf(sql, sizeof(sql), named, "libc+0x1000");
	beginning = first_rev(sql);
	snprintf(sql, sizeof(sql), named, "libc_start");
	name = first_rev(sql);
	assert_true(nothing < beginning && beginning < name);
}

static void a_stack_is_that_of_the_user_and_that_of_the_kernel(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = recorded(KERNEL_TEXT, 0xffffffffc0001000, "one");
	_cleanup_(rows_done) struct rows r;

	(void)state;
	assert_int_equal(rows_init(&r, a), 0);
	assert_int_equal(r.kstacks[1], 0);
	assert_int_not_equal(r.ustacks[1], 0);
	assert_int_equal(r.ustacks[3], r.ustacks[1]);
	assert_int_not_equal(r.kstacks[3], r.kstacks[2]);
}

static void rows__of_off_cpu_time_have_its_reason(void **state)
{
	(void)state;
	for (uint8_t reason = 0; dusk_state_name(reason); reason++) {
		_cleanup_(profile_freep) struct dusk_profile *p = NULL;
		_cleanup_(rows_done) struct rows r;
		struct profile_writer *w = created();
		struct buffer b = {.failed = false};

		profile_thread(w, 7, 7, "work");
		profile_sample(
			w, &(struct dusk_sample){.count = 1, .value_ns = 9, .source = DUSK_OFF_CPU, .state = reason});
		close_finished(w);
		p = opened(path);
		assert_int_equal(rows_init(&r, p), 0);
		rows_samples(&b, &r, 0, 1);
		assert_int_equal(b.nr_rows, 1);
		for (uint8_t i = 0; dusk_state_name(i); i++) {
			const char *name = dusk_state_name(i);
			bool is_there = memmem(b.bytes.v, b.bytes.nr, name, strlen(name));

			assert_int_equal(is_there, i == reason || strstr(dusk_state_name(reason), name));
		}
		buffer_done(&b);
	}
}

/* A server takes what has the number of a batch for that batch. */
static void rows__batches_of_one_profile_have_own_numbers(void **state)
{
	const struct profile_cursor from[] = {{0}, {.sample = 1}, {.offcpu = 1}, {.window = 1}, {.window_count = 1}};
	uint64_t seen[20];
	int nr = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		for (uint64_t profile = 7; profile < 9; profile++)
			for (uint32_t day = 1; day < 3; day++)
				seen[nr++] = rows_batch_id(profile, &from[i], day);
	for (int i = 0; i < nr; i++)
		for (int k = 0; k < i; k++)
			assert_int_not_equal(seen[i], seen[k]);
}

static void rows_are_of_one_day(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = recorded(KERNEL_TEXT, 0xffffffffc0001000, "one");
	_cleanup_(rows_done) struct rows r;
	struct buffer b = {.failed = false};
	uint32_t first, last;

	(void)state;
	assert_int_equal(rows_init(&r, a), 0);
	assert_true(rows_days(&r, &first, &last));
	assert_int_equal(first, 0); /* a second before midnight */
	assert_int_equal(last, 1);
	rows_samples(&b, &r, 0, 1);
	assert_int_equal(b.nr_rows, 1); /* the first two samples are one sum */
	rows_samples(&b, &r, 1, 1);
	assert_int_equal(b.nr_rows, 2);
	assert_false(b.failed);
	buffer_done(&b);
}

static void what_was_sent_is_not_sent_again_until_it_has_a_name(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = recorded(KERNEL_TEXT, 0xffffffffc0001000, "one"), *named;
	_cleanup_(rows_done) struct rows r, s;
	struct buffer b = {.failed = false};
	struct map sent = {0}, stacks = {0};

	(void)state;
	assert_int_equal(rows_init(&r, a), 0);
	rows_frames(&b, &r, &sent);
	assert_int_equal(b.nr_rows, 3);
	rows_frames(&b, &r, &sent);
	assert_int_equal(b.nr_rows, 3);
	run_sql(path, "insert into image values(1,'libc'); insert into function values(1,'work',null,1);"
		      "update frame set function=1 where offset=0x1000");
	named = opened(path);
	assert_int_equal(rows_init(&s, named), 0);
	rows_frames(&b, &s, &sent);
	assert_int_equal(b.nr_rows, 4);
	b.nr_rows = 0;
	rows_stacks(&b, &r, &stacks);
	assert_int_equal(b.nr_rows, 2); /* one of the user, one of the kernel */
	rows_stacks(&b, &r, &stacks);
	assert_int_equal(b.nr_rows, 2);
	map_done(&sent);
	map_done(&stacks);
	buffer_done(&b);
}

static void put_words_at(struct buffer *b, uint32_t second, const char *kind, const char *outcome, const char *unit,
			 uint64_t stack, uint64_t n, uint64_t ns)
{
	const char *labels[] = {"web-1", "shop", "8a6e", unit, "", "", ""};

	buffer_number(b, uint32_t, second);
	for (size_t l = 0; l < sizeof(labels) / sizeof(labels[0]); l++)
		buffer_text(b, labels[l]);
	buffer_number(b, uint32_t, 7);
	buffer_text(b, "shop");
	buffer_text(b, kind);
	buffer_text(b, outcome);
	buffer_number(b, uint64_t, stack);
	buffer_number(b, uint64_t, 0);
	buffer_number(b, uint64_t, n);
	buffer_number(b, uint64_t, ns);
	buffer_number(b, uint64_t, 0);
}

/* On CPU, or ten seconds later asleep. */
static void put_words(struct buffer *b, const char *kind, const char *outcome, const char *unit, uint64_t stack,
		      uint64_t n, uint64_t ns)
{
	put_words_at(b, strcmp(kind, "on-cpu") ? 1010 : 1000, kind, outcome, unit, stack, n, ns);
}

static void put_sample(struct buffer *b, bool asleep, uint64_t stack, uint64_t n, uint64_t ns)
{
	put_words(b, asleep ? "sleeping" : "on-cpu", "outermost", "shop.service", stack, n, ns);
}

/* Answers as a server gives them: two frames, of which one inlines a function; a stack; samples; a count. */
static void put_answers(struct buffer answers[4])
{
	struct buffer *b = &answers[0];

	for (uint64_t frame = 1; frame <= 2; frame++) {
		buffer_number(b, uint64_t, frame);
		buffer_text(b, "0123abcd");
		buffer_text(b, "/usr/bin/shop");
		buffer_number(b, uint64_t, 0x1000 * frame);
		buffer_number(b, uint8_t, frame == 1);
		buffer_text(b, frame == 1 ? "main" : "pay");
		buffer_text(b, "shop");
		buffer_number(b, uint32_t, 16);
		buffer_text(b, "shop.c");
		buffer_number(b, uint32_t, 42);
		buffer_varint(b, frame - 1);
		if (frame == 2)
			buffer_text(b, "add");
		buffer_varint(b, frame - 1);
		if (frame == 2)
			buffer_text(b, "add.h");
		buffer_varint(b, frame - 1);
		if (frame == 2)
			buffer_number(b, uint32_t, 7);
	}
	b = &answers[1];
	buffer_number(b, uint64_t, 99);
	buffer_varint(b, 2);
	buffer_number(b, uint64_t, 1);
	buffer_number(b, uint64_t, 2);
	b = &answers[2];
	for (uint32_t i = 0; i < 2; i++)
		put_sample(b, i, 99, 3, 150000000);
	b = &answers[3];
	buffer_text(b, "samples");
	buffer_number(b, uint64_t, 3);
}

static int (*const take[])(struct rebuild *, struct answer_reader *) = {rebuild_frame, rebuild_stack, rebuild_sample,
									rebuild_count};

/* Take the answers, of answer @cut only @len bytes. */
static int taken(struct rebuild *b, const struct buffer answers[4], int cut, size_t len)
{
	int err = 0;

	assert_int_equal(rebuild_init(b, 1000), 0);
	for (int i = 0; i < 4 && !err; i++) {
		size_t size = i == cut ? len : answers[i].bytes.nr;
		uint8_t *own = malloc(size + !size);
		struct answer_reader r = {.at = own, .end = own + size, .texts = b->texts};

		if (size)
			memcpy(own, answers[i].bytes.v, size);
		while (!err && answer_has_more(&r))
			err = take[i](b, &r);
		free(own);
	}
	return err;
}

static void answers_become_a_profile(void **state)
{
	struct buffer answers[4] = {{.failed = false}};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct rebuild b;

	(void)state;
	put_answers(answers);
	assert_int_equal(taken(&b, answers, -1, 0), 0);
	p = rebuild_end(&b);
	rebuild_done(&b);
	assert_int_equal(p->nr_samples, 2);
	assert_int_equal(p->samples[0].value_ns, 150000000);
	assert_int_equal(p->period_ns, 50000000);
	assert_int_equal(p->samples[1].time_ns, 10000000000);
	assert_string_equal(dusk_state_name(p->samples[1].state), "sleeping");
	assert_string_equal(p->functions[p->frames[p->nodes[p->samples[0].node].frame].function].name, "pay");
	assert_int_equal(p->frames[p->nodes[p->samples[0].node].frame].nr_lines, 2);
	assert_string_equal(p->threads[p->samples[0].thread].service, "shop");
	assert_string_equal(p->cgroups[p->threads[p->samples[0].thread].cgroup].path, "/unit=shop.service");
	assert_string_equal(p->cgroups[p->threads[p->samples[0].thread].cgroup].host, "web-1");
	unlink(copy);
	assert_int_equal(dusk_profile_write(p, copy, 1000000000, NULL), 0);
	for (int i = 0; i < 4; i++)
		buffer_done(&answers[i]);
}

/* A sum over all stacks has more than the rows that came: the rest has no stack of its own. */
static void what_has_no_row_is_one_of_the_other_stacks(void **state)
{
	struct buffer answers[4] = {{.failed = false}}, sums = {.failed = false};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct answer_reader r;
	const struct dusk_sample *other;
	struct rebuild b;

	(void)state;
	put_answers(answers);
	assert_int_equal(taken(&b, answers, -1, 0), 0);
	put_sample(&sums, 0, 0, 5, 250000000);
	put_sample(&sums, 1, 0, 3, 150000000);
	r = (struct answer_reader){.at = sums.bytes.v, .end = sums.bytes.v + sums.bytes.nr, .texts = b.texts};
	while (answer_has_more(&r))
		assert_int_equal(rebuild_others(&b, &r), 0);
	assert_int_equal(b.others.n, 2);
	p = rebuild_end(&b);
	rebuild_done(&b);
	assert_int_equal(p->nr_samples, 3);
	other = &p->samples[p->samples[0].value_ns == 100000000 ? 0 : 1];
	assert_int_equal(other->count, 2);
	assert_int_equal(other->value_ns, 100000000);
	assert_int_equal(other->thread, p->samples[0].thread);
	assert_string_equal(p->functions[p->frames[p->nodes[other->node].frame].function].name, "[other stacks]");
	buffer_done(&sums);
	for (int i = 0; i < 4; i++)
		buffer_done(&answers[i]);
}

/* Rows have no length: what ends in the middle of one is refused, wherever that is. */
static void an_answer_that_ends_too_early_is_refused(void **state)
{
	struct buffer answers[4] = {{.failed = false}};
	uint64_t refused = 0, whole = 0;

	(void)state;
	put_answers(answers);
	for (int i = 0; i < 4; i++)
		for (size_t len = 0; len < answers[i].bytes.nr; len++) {
			struct rebuild b;
			int err = taken(&b, answers, i, len);

			assert_true(!err || err == -EBADMSG);
			refused += err != 0;
			whole += !err;
			rebuild_done(&b);
		}
	assert_int_equal(whole, 6); /* nothing of each; and the first frame, and the first sample, alone */
	assert_true(refused > 300);
	for (int i = 0; i < 4; i++)
		buffer_done(&answers[i]);
}

/* What any host may have sent costs nobody what others have. */
static void rows_that_make_no_sense_are_left_out_and_counted(void **state)
{
	struct buffer answers[4] = {{.failed = false}}, *stacks = &answers[1], *samples = &answers[2];
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(freep) char *text = calloc(1, 5001);
	struct rebuild b;

	(void)state;
	memset(text, 'u', 5000);
	put_answers(answers);
	put_words(samples, "on-cpu", "of-a-newer-dusk", "", 99, 1, 1);
	put_words(samples, "of-a-newer-dusk", "outermost", "", 99, 1, 1);
	put_words(samples, "on-cpu", "outermost", "", 99, 0, 1);
	put_words(samples, "on-cpu", "outermost", "", 99, 1, UINT64_MAX);
	put_words(samples, "on-cpu", "outermost", text, 99, 1, 1);
	put_words_at(samples, 999, "on-cpu", "outermost", "", 99, 1, 1); /* a second too early */
	put_sample(samples, 0, 77, 2, 100000000);
	buffer_number(stacks, uint64_t, 77); /* deeper than any that is recorded */
	buffer_varint(stacks, ROWS_MAX_FRAMES + 1);
	for (int i = 0; i <= ROWS_MAX_FRAMES; i++)
		buffer_number(stacks, uint64_t, 1);
	buffer_number(stacks, uint64_t, 98);
	buffer_varint(stacks, 0);
	assert_int_equal(taken(&b, answers, -1, 0), 0);
	assert_int_equal(b.left_out.nr, 1);
	assert_int_equal(b.left_out.v[0], 6);
	assert_string_equal(strings_text(&b.left_out_hosts, 0), "web-1");
	assert_int_equal(b.nr_unknown, 1);
	p = rebuild_end(&b);
	rebuild_done(&b);
	assert_int_equal(p->nr_samples, 3);
	for (int i = 0; i < 4; i++)
		buffer_done(&answers[i]);
}

static void a_frame_with_too_many_lines_has_none(void **state)
{
	static const uint64_t nr[][3] = {{64, 64, 64}, {1, 2, 2}, {2, 2, 1}, {63, 63, 63}};

	(void)state;
	for (size_t i = 0; i < sizeof(nr) / sizeof(nr[0]); i++) {
		struct buffer answers[4] = {{.failed = false}}, *f = &answers[0];
		struct rebuild b;

		buffer_number(f, uint64_t, 1);
		buffer_bytes(f, "\0\0\0\0\0\0\0\0\0\0\0", 11);
		buffer_text(f, "main");
		buffer_bytes(f, "\0\0\0\0\0\0\0\0\0\0", 10);
		for (int column = 0; column < 3; column++) {
			buffer_varint(f, nr[i][column]);
			for (uint64_t k = 0; k < nr[i][column]; k++)
				buffer_bytes(f, "\0\0\0\0", column == 2 ? 4 : 1);
		}
		assert_int_equal(taken(&b, answers, -1, 0), 0);
		assert_int_equal(b.frames.nr, 2);
		assert_int_equal(b.frames.v[1].nr_lines, i == 3 ? 64 : 0);
		assert_string_equal(b.functions.v[b.frames.v[1].function].name, "main");
		rebuild_done(&b);
		buffer_done(f);
	}
}

/* Code of many processes at one place: each has a module of its own, up to a bound. */
static void frames_of_one_place_take_bounded_time(void **state)
{
	struct buffer answers[4] = {{.failed = false}};
	struct rebuild b;

	(void)state;
	for (uint64_t frame = 1; frame <= 20000; frame++) {
		buffer_number(&answers[0], uint64_t, frame);
		buffer_text(&answers[0], "");
		buffer_text(&answers[0], "[anon]");
		buffer_number(&answers[0], uint64_t, 0x7000);
		buffer_number(&answers[0], uint8_t, 0);
		buffer_bytes(&answers[0], "\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 14); /* no name, no lines */
	}
	assert_int_equal(taken(&b, answers, -1, 0), 0);
	assert_int_equal(b.modules.nr, 257);
	rebuild_done(&b);
	buffer_done(&answers[0]);
}

/* As a server answers what it was sent: without the column rev. */
static void put_back(struct buffer *to, const struct rows *r)
{
	const struct dusk_profile *p = r->p;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		const struct dusk_line *l = f->nr_lines ? &p->lines[f->first_line] : NULL;

		buffer_number(to, uint64_t, r->frames[i]);
		buffer_text(to, p->modules[f->module].build_id);
		buffer_text(to, p->modules[f->module].path);
		buffer_number(to, uint64_t, f->offset);
		buffer_number(to, uint8_t, f->is_return);
		buffer_text(to, p->functions[f->function].name);
		buffer_text(to, p->functions[f->function].module);
		buffer_number(to, uint32_t, f->function_offset);
		buffer_text(to, l ? l->file : "");
		buffer_number(to, uint32_t, l ? l->line : 0);
		buffer_bytes(to, "\0\0\0", 3);
	}
}

static struct dusk_profile *python_of(const char *host)
{
	struct profile_writer *w = created();

	write_python(w);
	profile_set(w, "hostname", host);
	close_finished(w);
	return opened(path);
}

/* Their names are what a process says, so each host has its own. */
static void code_of_python_comes_back_once_of_all_hosts(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = python_of("one"), *b = python_of("two");
	_cleanup_(rows_done) struct rows x, y;
	struct buffer answers[4] = {{.failed = false}};
	struct rebuild back;

	(void)state;
	assert_int_equal(rows_init(&x, a), 0);
	assert_int_equal(rows_init(&y, b), 0);
	for (uint32_t i = 1; i < a->nr_frames; i++)
		assert_int_not_equal(x.frames[i], y.frames[i]);
	put_back(&answers[0], &x);
	put_back(&answers[0], &y);
	assert_int_equal(taken(&back, answers, -1, 0), 0);
	for (uint32_t i = 1, found = 0; i < back.frames.nr || found != 4; i++) {
		const struct dusk_frame *f = &back.frames.v[i];
		const struct dusk_module *m = &back.modules.v[f->module];

		assert_true(i < back.frames.nr);
		assert_int_equal(m->kind == DUSK_MODULE_SOURCE, strstr(m->path, ".py") != NULL);
		if (m->kind == DUSK_MODULE_SOURCE) {
			found++;
			assert_int_equal(m->generation, 0);
			assert_int_equal(f->nr_lines, 1);
			assert_int_equal(back.lines.v[f->first_line].line, f->offset & 0xfffff);
		}
	}
	rebuild_done(&back);
	buffer_done(&answers[0]);
}

static void code_without_a_name_keeps_its_address(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = recorded(KERNEL_TEXT, 0xffffffffc0001000, "one"), *looked_up;
	_cleanup_(rows_done) struct rows r, s;
	struct buffer answers[4] = {{.failed = false}}, *b = &answers[0];
	struct map sent = {0};
	struct rebuild back;

	(void)state;
	assert_int_equal(rows_init(&r, a), 0);
	rows_frames(b, &r, &sent);
	b->bytes.nr = b->nr_rows = 0;
	run_sql(path, "update frame set address = 0x401000 where offset = 0x1000");
	looked_up = opened(path);
	assert_int_equal(rows_init(&s, looked_up), 0);
	rows_frames(b, &s, &sent);
	assert_int_equal(b->nr_rows, 1);
	b->bytes.nr -= 4; /* rev, which is not asked for */
	memmove(b->bytes.v + 8, b->bytes.v + 12, b->bytes.nr - 8);
	assert_int_equal(taken(&back, answers, -1, 0), 0);
	assert_int_equal(back.frames.nr, 2);
	assert_int_equal(back.frames.v[1].offset, 0x1000);
	assert_int_equal(back.frames.v[1].address, 0x401000);
	assert_int_equal(back.frames.v[1].function_offset, 0);
	rebuild_done(&back);
	map_done(&sent);
	buffer_done(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_the_same_has_the_same_hash_in_another_boot),
		cmocka_unit_test(names_of_files_that_anybody_may_make_stay_on_their_host),
		cmocka_unit_test(a_better_name_wins),
		cmocka_unit_test(a_stack_is_that_of_the_user_and_that_of_the_kernel),
		cmocka_unit_test(rows__of_off_cpu_time_have_its_reason),
		cmocka_unit_test(rows__batches_of_one_profile_have_own_numbers),
		cmocka_unit_test(rows_are_of_one_day),
		cmocka_unit_test(what_was_sent_is_not_sent_again_until_it_has_a_name),
		cmocka_unit_test(answers_become_a_profile),
		cmocka_unit_test(what_has_no_row_is_one_of_the_other_stacks),
		cmocka_unit_test(an_answer_that_ends_too_early_is_refused),
		cmocka_unit_test(rows_that_make_no_sense_are_left_out_and_counted),
		cmocka_unit_test(a_frame_with_too_many_lines_has_none),
		cmocka_unit_test(frames_of_one_place_take_bounded_time),
		cmocka_unit_test(code_of_python_comes_back_once_of_all_hosts),
		cmocka_unit_test(code_without_a_name_keeps_its_address),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
