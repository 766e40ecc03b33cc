/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does the profile look like as a flame graph in a browser?
 *
 * The page is the viewer (viewer.html with its style and scripts, made C by embed.sh) with the profile in its middle,
 * as JSON. The JSON holds columns: each name once, nodes in pre-order as (depth, label, self), siblings in the order
 * of their labels, which is that of their names. That is about 12 bytes a node; viewer_tree.js works out the rest.
 *
 * The JSON stands in a <script> element, whose text ends at "</script" and changes its meaning at "<!--", whatever the
 * quotes around it: so no '<' is written there. It occurs in strings only, where \u003c is the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "report/flame.h"
#include "report/flame_graph.h"
#include "report/ledger.h"
#include "report/viewer.h"

#define FORMAT 1	/* of the JSON */

static void write_settings(struct json *j, const struct dusk_profile *p)
{
	json_array(j, "settings");
	for (uint32_t i = 0; i < p->nr_settings; i++) {
		json_array(j, NULL);
		json_string(j, NULL, p->settings[i].key);
		json_string(j, NULL, p->settings[i].value);
		json_array_end(j);
	}
	json_array_end(j);
}

static void write_outcomes(struct json *j, const struct dusk_profile *p, const struct ledger *l)
{
	static const char *const class_name[] = {
		[DUSK_COMPLETE] = "complete", [DUSK_CUT] = "cut", [DUSK_NO_STACK] = "no-stack", [DUSK_ABSENT] = "absent",
	};

	json_array(j, "outcomes");
	for (uint32_t i = 0; i < p->nr_outcomes; i++) {
		if (!l->outcome[i])
			continue;
		json_object(j, NULL);
		json_string(j, "name", p->outcomes[i].name);
		json_string(j, "sentence", p->outcomes[i].sentence);
		json_string(j, "class", class_name[p->outcomes[i].kind]);
		json_u64(j, "samples", l->outcome[i]);
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_counters(struct json *j, const struct dusk_profile *p)
{
	json_array(j, "counters");
	for (uint32_t i = 0; i < p->nr_counters; i++) {
		const struct dusk_counter *c = &p->counters[i];

		if (!c->value)
			continue;
		json_object(j, NULL);
		json_string(j, "name", c->name);
		json_string(j, "sentence", c->sentence);
		json_u64(j, "value", c->value);
		json_bool(j, "loss", ledger_is_lost_counter(c));
		json_object_end(j);
	}
	json_array_end(j);
}

/* Modules are named by number: they are few, and long. */
static int write_labels(struct json *j, const struct flame_graph *g)
{
	_cleanup_(freep) uint32_t *module = calloc(g->strings.nr + 1, sizeof(*module));	/* by string: its number + 1 */
	uint32_t nr = 0;

	if (!module)
		return -ENOMEM;
	json_array(j, "modules");
	for (uint32_t i = 0; i < g->labels.nr; i++) {
		uint32_t string = g->labels.v[g->by_rank[i]].module;

		if (module[string])
			continue;
		module[string] = ++nr;
		json_string(j, NULL, strings_text(&g->strings, string));
	}
	json_array_end(j);

	json_object(j, "labels");
	json_array(j, "name");
	for (uint32_t i = 0; i < g->labels.nr; i++)
		json_string(j, NULL, strings_text(&g->strings, g->labels.v[g->by_rank[i]].name));
	json_array_end(j);
	json_array(j, "module");
	for (uint32_t i = 0; i < g->labels.nr; i++)
		json_u64(j, NULL, module[g->labels.v[g->by_rank[i]].module] - 1);
	json_array_end(j);
	json_array(j, "kind");
	for (uint32_t i = 0; i < g->labels.nr; i++)
		json_u64(j, NULL, g->labels.v[g->by_rank[i]].kind);
	json_array_end(j);
	json_object_end(j);
	return 0;
}

static void write_nodes(struct json *j, const struct flame_graph *g)
{
	json_object(j, "nodes");
	json_array(j, "depth");
	for (uint32_t i = 0; i < g->nodes.nr; i++)
		json_u64(j, NULL, g->nodes.v[g->preorder[i]].depth);
	json_array_end(j);
	json_array(j, "label");
	for (uint32_t i = 0; i < g->nodes.nr; i++)
		json_u64(j, NULL, g->labels.v[g->nodes.v[g->preorder[i]].label].rank);
	json_array_end(j);
	json_array(j, "self");
	for (uint32_t i = 0; i < g->nodes.nr; i++)
		json_u64(j, NULL, g->nodes.v[g->preorder[i]].self);
	json_array_end(j);
	json_object_end(j);
}

static int write_profile(struct json *j, const struct dusk_profile *p, const char *title)
{
	_cleanup_(flame_graph_done) struct flame_graph g = {0};
	_cleanup_(ledger_done) struct ledger l = {0};
	int err;

	err = flame_graph_init(&g, p);
	if (!err)
		err = ledger_init(&l, p);
	if (err)
		return err;
	json_object(j, NULL);
	json_u64(j, "format", FORMAT);
	json_string(j, "title", title);
	json_u64(j, "period_ns", p->period_ns);
	json_u64(j, "last_sample_ns", p->nr_samples ? p->samples[p->nr_samples - 1].time_ns : 0);
	json_bool(j, "finished", p->finished);
	json_bool(j, "symbolized", p->symbolized);
	write_settings(j, p);
	write_outcomes(j, p, &l);
	write_counters(j, p);
	err = write_labels(j, &g);
	write_nodes(j, &g);
	json_object_end(j);
	return err;
}

/* The profile as JSON; *@ret is to be freed with free(). */
static int make_json(char **ret, size_t *ret_bytes, const struct dusk_profile *p, const char *title)
{
	_cleanup_(freep) char *text = NULL;
	struct json j = {0};
	size_t bytes;
	int err;

	j.out = open_memstream(&text, &bytes);
	if (!j.out)
		return -ENOMEM;
	err = write_profile(&j, p, title);
	if (!err && ferror(j.out))
		err = -ENOMEM;
	if (fclose(j.out))
		err = -ENOMEM;
	if (err)
		return err;
	*ret = steal(text);
	*ret_bytes = bytes;
	return 0;
}

static void put_without_lt(FILE *out, const char *text, size_t bytes)
{
	const char *end = text + bytes, *lt;

	while ((lt = memchr(text, '<', end - text))) {
		fwrite(text, 1, lt - text, out);
		fputs("\\u003c", out);
		text = lt + 1;
	}
	fwrite(text, 1, end - text, out);
}

int flame_write(FILE *out, const struct dusk_profile *p, const char *title)
{
	_cleanup_(freep) char *json = NULL;
	size_t bytes;
	int err;

	err = make_json(&json, &bytes, p, title);
	if (err)
		return err;
	errno = 0;
	fwrite(viewer_head, 1, sizeof(viewer_head), out);
	put_without_lt(out, json, bytes);
	fwrite(viewer_tail, 1, sizeof(viewer_tail), out);
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}
