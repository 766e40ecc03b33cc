/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Leave out the functions of an interpreter that run code which is shown itself. See native.h. */
#include "report/model/native.h"
#include <errno.h>
#include <string.h>

#define STUBS "[java]"	/* C calls Java by a stub of the runtime, which is in no file: no function of C is its frame */
#define SEVERAL "[...]" /* the frame that stands for those that were left out of a stack */

static bool has_source(const struct dusk_profile *p)
{
	for (uint32_t i = 1; i < p->nr_modules; i++)
		if (p->modules[i].kind == DUSK_MODULE_SOURCE)
			return true;
	return false;
}

static const struct dusk_frame *frame_of(const struct dusk_profile *p, uint32_t node)
{
	return &p->frames[p->nodes[node].frame];
}

static bool is_source(const struct dusk_profile *p, uint32_t node)
{
	return p->modules[frame_of(p, node)->module].kind == DUSK_MODULE_SOURCE;
}

/* Is it code that a function of the interpreter runs, if its caller is one? */
static bool is_interpreted(const struct dusk_profile *p, uint32_t node)
{
	return is_source(p, node) && strcmp(p->modules[frame_of(p, node)->module].path, STUBS);
}

/* Is @node one function of user code that the CPU runs itself? */
static bool is_native(const struct dusk_profile *p, uint32_t node)
{
	const struct dusk_frame *f = frame_of(p, node);
	enum dusk_module_kind kind = p->modules[f->module].kind;

	return node && kind != DUSK_MODULE_SOURCE && kind != DUSK_MODULE_KERNEL &&
	       strcmp(p->functions[f->function].name, SEVERAL);
}

/* The caller of the native function of @node, behind what is inlined in it, which is the same frame. */
static uint32_t caller_of_native(const struct dusk_profile *p, uint32_t node)
{
	while (is_native(p, node) && frame_of(p, node)->is_inlined)
		node = p->nodes[node].parent;
	return is_native(p, node) ? p->nodes[node].parent : node;
}

int native_hide(struct filtered *f)
{
	const struct dusk_profile *p = &f->profile;

	if (!has_source(p))
		return 0;
	if (filtered_own(f, nodes, p->nr_nodes, 0))
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (is_interpreted(p, i))
			f->nodes[i].parent = caller_of_native(p, p->nodes[i].parent);
	return 0;
}

void native_interpreters(const struct dusk_profile *p, bool *ret)
{
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (is_interpreted(p, i) && is_native(p, p->nodes[i].parent))
			ret[frame_of(p, p->nodes[i].parent)->module] = true;
}
