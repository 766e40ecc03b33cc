/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/uprobes.h"
#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>
#include "lib/error.h"
#include "lib/unwinder/probe.h"

static bool is_at_uprobe(const struct bpf_program *p)
{
	static const char *const sections[] = {"uprobe", "uretprobe", "usdt"};
	const char *name = bpf_program__section_name(p);

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (!strncmp(name, sections[i], strlen(sections[i])))
			return true;
	return false;
}

/* Does @p, with all its functions, call @number of the kind @source (0: a helper; or BPF_PSEUDO_KFUNC_CALL)? */
static bool calls(const struct bpf_program *p, int source, int number)
{
	const struct bpf_insn *insn = bpf_program__insns(p);

	for (size_t i = 0; i < bpf_program__insn_cnt(p); i++)
		if (insn[i].code == (BPF_JMP | BPF_CALL) && insn[i].src_reg == source && insn[i].imm == number)
			return true;
	return false;
}

int uprobes_check(struct bpf_object *obj, struct dusk_error *err)
{
	struct bpf_program *p;
	int schedule = 0;

	bpf_object__for_each_program(p, obj)
	{
		if (!bpf_program__autoload(p) || !is_at_uprobe(p) || calls(p, 0, BPF_FUNC_tail_call))
			continue;
		if (!schedule)
			schedule = probe_task_work_number();
		if (schedule > 0 && calls(p, BPF_PSEUDO_KFUNC_CALL, schedule))
			return error_set(
				err, -EINVAL,
				"program %s asks for stacks at a uprobe, where tasks may preempt each other and would "
				"share its variables: let it call dusk_unwind_at_uprobe() (dusk_unwind_request(3))",
				bpf_program__name(p));
	}
	return 0;
}
