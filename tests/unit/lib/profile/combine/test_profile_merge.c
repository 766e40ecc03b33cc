/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are several profiles one, with nothing twice, nothing lost, and each at its time? */
#include "profile_fixture.h"

#define S 1000000000ULL

/* A recording of the boot @boot that begins at second @start: a thread calls outer, which calls inner, or the kernel at @text. */
static struct dusk_profile *part(const char *boot, uint64_t start_s, uint64_t text, const char *named)
{
	struct profile_writer *w = created();
	uint32_t file = profile_module(w, &libc), k = profile_module(w, &kernel);
	uint32_t jit = profile_module(w, &(struct dusk_module){.kind = DUSK_MODULE_ANON, .pid = 7, .path = "[anon]"});
	uint32_t outer = profile_node(w, 0, profile_frame(w, file, 0x1000, true, DUSK_BY_CFI));
	uint32_t inner = profile_node(w, outer, profile_frame(w, file, 0x2000, false, DUSK_BY_CFI));
	uint32_t deep = profile_node(w, outer, profile_frame(w, k, text, false, DUSK_BY_NOTHING));
	uint32_t code = profile_node(w, outer, profile_frame(w, jit, 0x7000, false, DUSK_BY_NOTHING));
	uint32_t other = profile_thread(w, start_s, start_s, "other"), one = profile_thread(w, 7, 7, "one");
	const uint32_t nodes[] = {inner, deep, code};
	struct dusk_sample interval = {.source = DUSK_OFF_CPU,
				       .time_ns = 3 * S,
				       .thread = one,
				       .node = inner,
				       .cpu = 1,
				       .state = 1,
				       .count = 1,
				       .value_ns = S};
	struct dusk_waker by = {.node = deep, .thread = other, .kind = DUSK_WAKER_TASK};
	struct dusk_profile *p;

	for (int i = 0; i < 3; i++)
		profile_sample(w, &(struct dusk_sample){
					  .time_ns = i * S, .thread = one, .node = nodes[i], .outcome = UNDEFINED_RA});
	uint64_t id = profile_new_interval(w);

	profile_interval(w, &interval, id);
	profile_waker(w, &by, id);
	profile_thread_times(w, &(struct dusk_thread_times){.thread = one, .end_ns = 4 * S, .on_cpu_ns = 4 * S});
	profile_process(w, one, &(struct profile_process){.title = "one --with=words"});
	profile_set(w, "period_ns", "50000000");
	profile_set(w, "boot_id", boot);
	profile_set_u64(w, "start_realtime_ns", start_s * S);
	profile_set_u64(w, "duration_ns", 4 * S);
	profile_counter(w, "walks", "stacks walked", 3);
	close_finished(w);
	if (named) {
		char sql[256];

		snprintf(sql, sizeof(sql),
			 "insert into image values(1,'libc'); insert into function values(1,'%s',null,1);"
			 "update frame set function=1 where offset=0x2000",
			 named);
		run_sql(path, sql);
	}
	p = opened(path);
	assert_int_equal(p->nr_samples, 4);
	return p;
}

/* A process in a container, whose name the recording may know. */
static struct dusk_profile *in_container(const char *boot, uint64_t start_s, const char *name, const char *service)
{
	struct profile_writer *w = created();
	uint32_t cron = profile_cgroup(w, &(struct dusk_cgroup){"/cron", "", "", "", "", "cron.service"});
	uint32_t web = profile_cgroup(
		w, &(struct dusk_cgroup){"/web", "0123", name, *name ? "pod-name" : "uid", *name ? "shop" : "", ""});

	profile_sample(w, &(struct dusk_sample){.thread = profile_thread_in(w, cron, 7, 7, "one")});
	profile_sample(w, &(struct dusk_sample){.thread = profile_thread_in(w, web, 7, 7, "one")});
	profile_process(w, 0, &(struct profile_process){"one", service, "8a6e"});
	profile_set(w, "boot_id", boot);
	profile_set_u64(w, "start_realtime_ns", start_s * S);
	close_finished(w);
	return opened(path);
}

static struct dusk_profile *merged(const struct dusk_profile *a, const struct dusk_profile *b, uint64_t from_ns,
				   uint64_t to_ns)
{
	const struct dusk_profile *parts[] = {a, b};
	struct dusk_profile *p = NULL;

	assert_int_equal(dusk_profile_merge(&p, parts, b ? 2 : 1, from_ns, to_ns, NULL), 0);
	return p;
}

static void labels_are_kept_and_a_name_that_one_part_knows_holds_for_all(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = in_container("boot", 100, "", ""),
						     *b = in_container("boot", 110, "web", "svc"),
						     *c = in_container("boot", 120, "", ""), *ab = merged(a, b, 0, 0),
						     *p = merged(ab, c, 0, 0), *q = NULL;

	assert_int_equal(p->nr_cgroups, 3);
	assert_int_equal(p->nr_threads, 2);
	for (int again = 0; again < 2; again++) {
		const struct dusk_profile *is = again ? q : p;
		const struct dusk_cgroup *cron = &is->cgroups[is->threads[0].cgroup],
					 *web = &is->cgroups[is->threads[1].cgroup];

		assert_string_equal(cron->unit, "cron.service");
		assert_string_equal(cron->container, "");
		assert_string_equal(web->path, "/web");
		assert_string_equal(web->container, "0123");
		assert_string_equal(web->container_name, "web");
		assert_string_equal(web->pod, "pod-name");
		assert_string_equal(web->pod_namespace, "shop");
		assert_string_equal(is->threads[1].version, "8a6e");
		assert_string_equal(is->threads[1].service, "svc");
		if (again)
			break;
		unlink(path);
		assert_int_equal(dusk_profile_write(p, path, 0, NULL), 0);
		q = opened(path);
	}
}

/* A thread in a cgroup, and one of which no cgroup is known. */
static struct dusk_profile *on_host(const char *host, uint64_t start_s)
{
	struct profile_writer *w = created();
	uint32_t cron = profile_cgroup(w, &(struct dusk_cgroup){"/cron", "", "", "", "", "cron.service", ""});

	profile_sample(w, &(struct dusk_sample){.thread = profile_thread_in(w, cron, 7, 7, "one")});
	profile_sample(w, &(struct dusk_sample){.thread = profile_thread(w, 8, 8, "two")});
	profile_set(w, "hostname", host);
	profile_set(w, "boot_id", host);
	profile_set_u64(w, "start_realtime_ns", start_s * S);
	close_finished(w);
	return opened(path);
}

static void threads_of_several_hosts_have_their_own(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = on_host("web-1", 100), *b = on_host("web-2", 100),
						     *c = on_host("web-1", 110), *ab = merged(a, b, 0, 0),
						     *p = merged(ab, c, 0, 0), *same = merged(a, c, 0, 0), *q = NULL;

	assert_int_equal(same->nr_cgroups, 2);
	assert_string_equal(same->cgroups[1].host, "");
	assert_string_equal(dusk_profile_setting(same, "hostname"), "web-1");
	unlink(path);
	assert_int_equal(dusk_profile_write(p, path, 0, NULL), 0);
	q = opened(path);
	assert_string_equal(dusk_profile_setting(q, "hostname"), "2 hosts");
	assert_int_equal(q->nr_threads, 6);
	assert_int_equal(q->nr_samples, 6);
	for (int i = 0, nr_second = 0; i < 6; i++) {
		const struct dusk_thread *t = &q->threads[q->samples[i].thread];
		const struct dusk_cgroup *of = &q->cgroups[t->cgroup];

		nr_second += !strcmp(of->host, "web-2");
		assert_true(!strcmp(of->host, "web-1") || i - nr_second < 4);
		assert_int_equal(nr_second, i < 5 ? nr_second : 2);
		assert_string_equal(of->path, t->pid == 7 ? "/cron" : "");
	}
}

static void a_pid_that_another_service_uses_later_is_another_thread(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = in_container("boot", 100, "", "first"),
						     *b = in_container("boot", 110, "", "second"),
						     *c = in_container("another", 120, "", ""),
						     *ab = merged(a, b, 0, 0), *p = merged(ab, c, 0, 0);
	const char *service[4];

	assert_int_equal(p->nr_threads, 6); /* two of each */
	assert_int_equal(p->nr_samples, 6);
	for (int i = 0; i < 3; i++)
		service[i] = p->threads[p->samples[2 * i].thread].service;
	assert_string_equal(service[0], "first");
	assert_string_equal(service[1], "second");
	assert_string_equal(service[2], "");
}

static void threads_with_the_same_ids_are_two_in_the_file_too(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = in_container("boot", 100, "", "first"),
						     *b = in_container("boot", 110, "", "second"),
						     *c = in_container("another", 120, "", ""),
						     *ab = merged(a, b, 0, 0), *p = merged(ab, c, 0, 0), *q = NULL;

	unlink(path);
	assert_int_equal(dusk_profile_write(p, path, 0, NULL), 0);
	q = opened(path);
	assert_int_equal(q->nr_threads, p->nr_threads);
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		const struct dusk_thread *x = &p->threads[i], *y = &q->threads[i];

		assert_int_equal(x->tid, y->tid);
		assert_int_equal(x->cgroup, y->cgroup);
		assert_string_equal(x->service, y->service);
		assert_string_equal(x->version, y->version);
	}
	for (uint64_t i = 0; i < p->nr_samples; i++)
		assert_int_equal(p->samples[i].thread, q->samples[i].thread);
}

static void what_parts_have_in_common_is_there_once(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *b = part("boot", 110, 0xffff0100, "inner"),
						     *p = merged(a, b, 0, 0);

	assert_int_equal(p->nr_modules, a->nr_modules + 1); /* memory without a file is another in each part */
	assert_int_equal(p->nr_frames, a->nr_frames + 1);
	assert_int_equal(p->nr_nodes, a->nr_nodes + 1);
	assert_int_equal(p->nr_threads, 3);
	assert_int_equal(p->nr_outcomes, a->nr_outcomes);
	assert_int_equal(p->nr_samples, 8);
	assert_int_equal(p->nr_wakers, 3);
	assert_int_equal(p->samples[0].node, p->samples[4].node);
	assert_int_equal(p->samples[1].node, p->samples[5].node);
	assert_int_not_equal(p->samples[2].node, p->samples[6].node);
	assert_int_equal(p->counters[0].value, 6);
	assert_string_equal(p->threads[p->samples[7].thread].comm, "one");
	assert_string_equal(p->threads[p->samples[7].thread].title, "one --with=words");
	assert_int_equal(p->threads[p->wakers[p->samples[7].waker].thread].pid, 110);
}

static void a_name_in_one_part_is_a_name_in_all(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *b = part("boot", 110, 0xffff0100, "inner"),
						     *p = merged(a, b, 0, 0), *q = merged(b, a, 0, 0);
	const struct dusk_frame *f = &p->frames[p->nodes[p->samples[0].node].frame],
				*g = &q->frames[q->nodes[q->samples[0].node].frame];

	assert_string_equal(p->functions[f->function].name, "inner");
	assert_string_equal(q->functions[g->function].name, "inner");
}

static void each_boot_has_a_kernel_of_its_own(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *b = part("another", 110, 0xffff0100, NULL),
						     *p = merged(a, b, 0, 0);

	assert_int_not_equal(p->samples[1].node, p->samples[5].node);
	assert_int_equal(p->samples[0].node, p->samples[4].node);
}

static void what_is_merged_again_has_its_boots_still(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *b = part("another", 110, 0xffff0100, NULL),
						     *c = part("another", 120, 0xffff0100, NULL),
						     *ab = merged(a, b, 0, 0), *p = merged(ab, c, 0, 0),
						     *bc = merged(b, c, 0, 0), *q = merged(a, bc, 0, 0);

	assert_null(dusk_profile_setting(ab, "boot_id"));
	assert_string_equal(dusk_profile_setting(bc, "boot_id"), "another");
	assert_int_not_equal(p->samples[1].node, p->samples[5].node);
	assert_int_not_equal(p->samples[2].node, p->samples[6].node); /* nor is memory without a file the same */
	assert_int_not_equal(p->samples[6].node, p->samples[10].node);
	assert_int_not_equal(q->samples[1].node, q->samples[5].node);
	assert_int_equal(q->samples[5].node, q->samples[9].node);
}

static void a_part_that_does_not_say_when_it_began_is_refused(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *b = part("boot", 0, 0xffff0100, NULL), *p = NULL;
	const struct dusk_profile *parts[] = {a, b};

	assert_int_equal(dusk_profile_merge(&p, parts, 2, 0, 0, NULL), -EINVAL);
	assert_null(p);
}

/* Outcomes have other numbers in profiles of other versions. */
static void the_outcome_of_a_waker_stays_what_it_was(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *b = part("boot", 110, 0xffff0100, NULL), *p;
	struct dusk_outcome first = b->outcomes[0];
	int nr = 0;

	b->outcomes[0] = b->outcomes[1];
	b->outcomes[1] = first;
	p = merged(a, b, 0, 0);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_waker *by = &p->wakers[p->samples[i].waker];

		if (p->samples[i].waker)
			assert_string_equal(p->outcomes[by->outcome].name, (nr++ ? b : a)->outcomes[0].name);
	}
	assert_int_equal(nr, 2);
}

static void thread_times_are_of_whole_parts(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *early = merged(a, NULL, 99 * S, 0),
						     *p = merged(a, NULL, 0, 103500000000);

	assert_int_equal(early->nr_thread_times, 1);
	assert_int_equal(p->nr_samples, 4);
	assert_int_equal(p->nr_thread_times, 0);
}

static void times_count_from_the_first_part(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *b = part("boot", 110, 0xffff0100, NULL), *p = merged(a, b, 0, 0);

	for (int i = 0; i < 8; i++)
		assert_true(p->samples[i].time_ns == (i < 4 ? i : i + 6) * S);
	assert_int_equal(p->nr_thread_times, 2);
	assert_true(p->thread_times[1].start_ns == 10 * S && p->thread_times[1].end_ns == 14 * S);
	assert_string_equal(dusk_profile_setting(p, "duration_ns"), "14000000000");
	assert_string_equal(dusk_profile_setting(p, "start_time"), "1970-01-01T00:01:40Z");
}

static void only_what_was_in_the_time_is_left(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *b = part("boot", 110, 0xffff0100, NULL),
						     *p = merged(a, b, 102 * S, 112 * S);

	assert_int_equal(p->nr_samples, 4);
	assert_true(p->samples[0].time_ns == 0 && p->samples[3].time_ns == 9 * S);
	assert_int_equal(p->nr_thread_times, 0);
	assert_string_equal(dusk_profile_setting(p, "duration_ns"), "10000000000");
}

static void what_is_written_is_the_same(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, "inner"),
						     *b = part("boot", 110, 0xffff0100, NULL), *p = merged(a, b, 0, 0),
						     *q;

	assert_int_equal(dusk_profile_write(p, copy, 0, NULL), 0);
	q = opened(copy);
	assert_int_equal(q->nr_samples, 8);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(q->samples[i].time_ns, p->samples[i].time_ns);
		assert_int_equal(q->samples[i].node, p->samples[i].node);
		assert_int_equal(q->samples[i].thread, p->samples[i].thread);
		assert_int_equal(q->samples[i].value_ns, p->samples[i].value_ns);
		assert_int_equal(!q->samples[i].waker, !p->samples[i].waker);
	}
	assert_int_equal(q->nr_thread_times, 2);
	assert_int_equal(q->nr_functions, 2);
	assert_true(q->finished);
	for (uint32_t i = 0; i < q->nr_threads; i++)
		assert_string_equal(q->threads[i].title, p->threads[i].title);
}

static void windows_can_be_made_longer(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = part("boot", 100, 0xffff0100, NULL),
						     *b = part("boot", 110, 0xffff0100, NULL), *p = merged(a, b, 0, 0),
						     *q, *r;

	assert_int_equal(dusk_profile_write(p, copy, 100 * S, NULL), 0);
	q = opened(copy);
	assert_int_equal(q->nr_samples, 6); /* four stacks, and two intervals */
	assert_int_equal(q->samples[0].count, 2);
	assert_int_equal(q->samples[0].value_ns, 100000000);
	assert_int_equal(dusk_profile_write(q, copy, 0, NULL), 0);
	r = opened(copy);
	assert_int_equal(r->nr_samples, 6);
	assert_int_equal(r->samples[0].count, 2);
	assert_int_equal(r->samples[0].value_ns, 100000000);
}

/* Windows of a second that begin at @start_s: 10 samples in the first one, 1 in the second; and what only the whole has. */
static struct dusk_profile *counted(uint64_t start_s)
{
	struct profile_writer *w = created();

	profile_set(w, "period_ns", "50000000");
	profile_set_u64(w, "window_ns", S);
	profile_sum_windows(w, S);
	profile_thread(w, 1, 1, "one");
	profile_sample(w, &(struct dusk_sample){.time_ns = 1});
	profile_count(w, "samples", "samples taken", 10);
	profile_count(w, "frames", "frames walked", 70);
	profile_end_window(w, S);
	profile_sample(w, &(struct dusk_sample){.time_ns = S + 1});
	profile_count(w, "samples", "samples taken", 11);
	profile_set_u64(w, "start_realtime_ns", start_s * S);
	profile_set_u64(w, "duration_ns", 2 * S);
	close_finished(w);
	return opened(path);
}

static uint64_t counter_of(const struct dusk_profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (!strcmp(p->counters[i].name, name))
			return p->counters[i].value;
	return 0;
}

static void counters_of_a_time_are_what_its_windows_have_counted(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *a = counted(100), *b = counted(110), *all = merged(a, b, 0, 0),
						     *last = merged(a, b, 101 * S, 111 * S), *q = NULL;

	assert_int_equal(counter_of(all, "samples"), 22);
	assert_int_equal(counter_of(all, "frames"), 140);
	assert_int_equal(all->nr_window_counts, 4);
	assert_int_equal(counter_of(last, "samples"), 11);
	assert_int_equal(counter_of(last, "frames"), 0); /* nobody knows */
	assert_int_equal(last->nr_window_counts, 2);
	assert_int_equal(last->window_counts[0].time_ns, 0);
	assert_int_equal(last->window_counts[1].time_ns, 9 * S);
	assert_int_equal(dusk_profile_write(all, copy, 4 * S, NULL), 0);
	q = opened(copy);
	assert_int_equal(q->nr_window_counts, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(q->window_counts[i].value, 11);
	assert_int_equal(q->window_counts[1].time_ns, 8 * S);
}

static void nothing_cannot_be_merged(void **state)
{
	struct dusk_profile *p;
	struct dusk_error err;

	assert_int_equal(dusk_profile_merge(&p, NULL, 0, 0, 0, &err), -EINVAL);
	assert_string_equal(err.text, "cannot merge profiles: there are none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_kept_and_a_name_that_one_part_knows_holds_for_all),
		cmocka_unit_test(threads_of_several_hosts_have_their_own),
		cmocka_unit_test(a_pid_that_another_service_uses_later_is_another_thread),
		cmocka_unit_test(threads_with_the_same_ids_are_two_in_the_file_too),
		cmocka_unit_test(what_parts_have_in_common_is_there_once),
		cmocka_unit_test(a_name_in_one_part_is_a_name_in_all),
		cmocka_unit_test(each_boot_has_a_kernel_of_its_own),
		cmocka_unit_test(times_count_from_the_first_part),
		cmocka_unit_test(what_is_merged_again_has_its_boots_still),
		cmocka_unit_test(a_part_that_does_not_say_when_it_began_is_refused),
		cmocka_unit_test(the_outcome_of_a_waker_stays_what_it_was),
		cmocka_unit_test(thread_times_are_of_whole_parts),
		cmocka_unit_test(only_what_was_in_the_time_is_left),
		cmocka_unit_test(what_is_written_is_the_same),
		cmocka_unit_test(windows_can_be_made_longer),
		cmocka_unit_test(counters_of_a_time_are_what_its_windows_have_counted),
		cmocka_unit_test(nothing_cannot_be_merged),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
