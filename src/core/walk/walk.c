/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The walk: each frame in stages: module → row (cached, from .eh_frame, or from .sframe) → CFA → expressions, if any →
 * the caller's registers.
 *
 * The stages are called from here and not from each other: BPF allows eight call frames. The deepest chain is
 *	callback, walk_frame, expr_row, expr_evaluate, operation, stack_word, the port's check of the page
 * and one is left for a program that walks itself. Only walk_frame() sleeps: see struct page_wait.
 */
#include "core/arch/signal_frame.h"
#include "core/code/cfi_quirks.h"
#include "core/code/code_rules.h"
#include "core/code/framepointer.h"
#include "core/code/return_rules.h"
#include "core/code/way_out.h"
#include "core/hotspot.h"
#include "core/tables/expr.h"
#include "core/walk/apply.h"
#include "core/walk/step.h"

#define ROUTINE_FAR (64 << 10)
#define LOOK_BEHIND 64 /* bytes of code before the PC that code_rules.c and cfi_quirks.c look at */
#define CODE_AFTER 40
#define ENTRY_SIZE 64 /* ld.so's _start has no FDE */
#define STEP_BY_ROW NR_OUTCOMES

static INLINE int end(struct walk *w, u32 why)
{
	if (w->modules.wait.bytes)
		return STOP; /* not yet */
	if (w->row_wanted)
		return learn_row_at(w, why) & STOP; /* or NEXT, as far as the verifier knows */
	w->outcome = why;
	return STOP;
}

/* By enum module_kind. */
static const u8 why_no_cfi_in[16] = {
	NO_ELF,
	[MODULE_ELF] = NO_FDE,
	[MODULE_SCANNED] = NO_FDE,
	[MODULE_SFRAME] = NO_FDE,
	[MODULE_NO_EH_FRAME] = NO_EH_FRAME,
	[MODULE_NOT_ELF] = NO_ELF,
	[MODULE_UNREADABLE] = TABLE_UNREADABLE,
	[MODULE_NOT_SAFE] = PAGE_NOT_SAFE,
	[MODULE_TOO_LONG] = TOO_LONG,
	[MODULE_ANON] = JIT_CODE,
	[MODULE_UNREAD] = NO_ELF,
};

/* Why the code of this frame says nothing of its caller. */
static INLINE u32 why_no_cfi(struct walk *w)
{
	return w->machine.refused ? PAGE_NOT_SAFE : at(why_no_cfi_in, module_here(&w->modules)->kind);
}

/* Find the row at @pc in CFI, to w->machine.row. */
static INLINE u32 row_from_cfi(struct walk *w, u64 pc)
{
	struct ehframe *e = &w->ehframe;
	u32 err;

	e->pc = pc;
	err = ehframe_find(e, module_here(&w->modules));
	if (err)
		return err;
	err = ehframe_row(e);
	if (err) {
		w->machine.detail = e->cfi.detail;
		return err;
	}
	w->machine.row = e->cfi.row;
	return 0;
}

/* The same in .sframe. */
static INLINE u32 row_from_sframe(struct walk *w, u64 pc)
{
	struct sframe *s = &w->sframe;
	u32 err;

	s->pc = pc;
	err = sframe_find(s, module_here(&w->modules));
	if (!err)
		w->machine.row = s->row;
	return err;
}

static INLINE bool ra_is_simple(u8 rule)
{
	return rule == RULE_OFFSET || (RA_IN_A_REGISTER && rule == RULE_SAME);
}

/*
 * Mark the row if it is simple, as nearly all are. This is done once, when the row is learnt, so that no frame has to
 * look: if the return address is whole words from the CFA, and at a word, the CFA is aligned.
 */
GLOBAL int walk_classify(struct row *row NONNULL, u32 word)
{
	u8 simple = ROW_SIMPLE;

	if (row->cfa_kind != CFA_REG || row->flags || !ra_is_simple(row->rule[SLOT_RA]) ||
	    row->off[SLOT_RA] & (word - 1))
		return 0;
	UNROLL
	for (u32 slot = 0; slot < NR_SAVED; slot++) {
		if (row->rule[slot] == RULE_SAME)
			row->saved &= ~(1 << slot);
		else if (row->rule[slot] != RULE_OFFSET)
			simple = 0;
	}
	row->flags = simple;
	return 0;
}

/* Add @method to the frame, if it is in a file: other frames have no room for it. */
static INLINE void leave_by(struct walk *w, u32 nr, u32 method)
{
	if (module_here(&w->modules)->module)
		at(w->out.frame, nr) = frame_left(at(w->out.frame, nr), method);
}

/*
 * May a signal handler return to m->pc, whatever the row says that was found, with @err? A return address that is the first
 * of its function, or that is aligned, may not follow a call. To look at all of them would cost more than it finds.
 */
static INLINE bool may_end_handler(struct walk *w, u32 err, u32 method)
{
	const struct machine *m = &w->machine;

	if (!err && m->row.flags & ROW_SIGNAL)
		return false;
	return err || method != BY_CFI || m->pc_is_exact || !(m->pc & 15) ||
	       m->pc - w->ehframe.fde.start >= w->ehframe.fde.size;
}

/*
 * Assembly that calls routines of its own may have nothing between the stack pointer and its return address then, as x264 does. A way
 * out on which that is so is usually behind a call that never returns. Not if the routine that was called has a way to a
 * return, on which it calls nothing, and leaves the stack as it was. Returns 0, or -ENOENT: there is no such way.
 */
static INLINE int way_behind_routine(struct walk *w)
{
	struct machine *m = &w->machine;
	u64 pc = m->pc, target;
	int err = -ENOENT;

	if (RA_IN_A_REGISTER || m->pc_is_exact || framepointer_code(m, pc))
		return err;
	target = call_target(m->code, pc);
	if (!target || target - pc + ROUTINE_FAR > 2 * ROUTINE_FAR)
		return err;
	m->pc_is_exact = 1; /* no call is before it that says anything */
	m->pc = target;
	if (!way_out_row(m, 0) && m->way_out.way.sp_from == WAY_FROM_SP && !m->way_out.way.sp) {
		m->pc = pc;
		err = verifier_forget(m->scratch.error, way_out_row(m, module_here(&w->modules)->module));
	}
	m->pc = pc;
	m->pc_is_exact = 0;
	return err;
}

/* Learn the row at @pc. Where there is no FDE, the row says: try the frame pointer. w->may_share: may the row be shared? */
static INLINE u32 find_row(struct walk *w, u64 pc)
{
	struct machine *m = &w->machine;
	u32 err, method = BY_CFI;
	int unknown = -ENOENT;
	enum cfi_quirk quirk = NO_QUIRK;
	bool looked;

	w->row_misses++;
	err = module_here(&w->modules)->kind >= MODULE_SFRAME ? NO_FDE : row_from_cfi(w, pc);
	if (err == NO_FDE && module_has_sframe(module_here(&w->modules))) {
		err = row_from_sframe(w, pc);
		method = BY_SFRAME;
	}
	if (err && err != NO_FDE)
		return err;
	err = verifier_forget(w->ehframe.error, err);
	method = verifier_forget(m->scratch.nr, method);
	looked = may_end_handler(w, err, method);
	if (looked)
		quirk = verifier_forget(w->ehframe.error, row_of_handlers_return(m));
	if (quirk)
		err = 0;
	else if (!err && method == BY_CFI)
		quirk = cfi_fixup(m, w->ehframe.fde.start, w->ehframe.fde.size);
	if (quirk)
		method = BY_CODE;
	if (!err && m->pc == module_here(&w->modules)->entry)
		m->row.rule[SLOT_RA] = RULE_UNDEFINED; /* behind endbr64, glibc's _start says so itself */
	if (err)
		unknown = code_rule_row(m, m->pc,
					module_here(&w->modules)->kind >= MODULE_NOT_ELF ? CODE_RULE_NO_ELF : 0);
	if (err)
		method = BY_CODE;
	m->way_out.low = pc - LOOK_BEHIND;
	m->way_out.high = pc + (quirk ? CFI_QUIRK_CODE : CODE_AFTER);
	if (err && (unknown || m->row.flags & ROW_FRAME_POINTER)) /* in place of the guess behind a system call, too */
		unknown &= verifier_forget(m->scratch.error, way_out_row(m, module_here(&w->modules)->module));
	if (err && unknown)
		unknown &= verifier_forget(m->scratch.error, way_behind_routine(w));
	if (err && unknown) {
		memset(&m->row, 0, sizeof(m->row));
		m->row.flags = ROW_FRAME_POINTER;
		method = BY_FRAME_POINTER;
	}
	walk_classify(&m->row, word_bytes(m));
	m->row.flags |= method_flags(method);
	if (quirk == QUIRK_BY_STACK)
		w->may_share = 0;
	w->may_keep = !err && !quirk;
	if (err || quirk || (looked && !m->pc_is_exact)) /* known by its bytes: were they the file's? */
		module_read(&w->modules, m->way_out.low, m->way_out.high - m->way_out.low,
			    m->way_out.low + module_here(&w->modules)->file_off);
	return 0;
}

GLOBAL u32 walk_find_row(struct walk *w NONNULL, u64 pc, u64 key)
{
	struct modules *ms = &w->modules;
	struct ehframe *e = &w->ehframe;
	bool may_share = key && module_may_tell(ms, pc);
	u64 start = ms->tables.start, end = ms->tables.end;
	u32 err;

	e->module = may_share ? module_here(ms)->module : 0;
	e->sequence = may_share ? ms->sequence : 0;
	ehframe_bound(e, may_share ? start : 0, may_share ? end : 0);
	w->sframe.in.bounds = e->bounds;
	e->scanned = e->cfi.ops = w->sframe.items = 0;
	w->may_share = may_share;
	w->may_keep = 0;
	err = find_row(w, pc);
	w->machine.work += e->scanned + e->cfi.ops + w->sframe.items;
	return err;
}

/*
 * The process has copies of some of the file's pages, as each has that began with a uprobe in the file. What its tables say
 * is kept for itself; not what its code says, which may change without a change of mappings.
 */
static INLINE void keep_own_row(struct walk *w, u64 key, u32 owner)
{
	if (key && w->may_keep && !w->machine.refused && !w->modules.wait.bytes)
		rowcache_put(key, owner, &w->machine.row);
}

GLOBAL u32 walk_keep_row(struct walk *w NONNULL, u64 key, u32 err)
{
	u32 owner = module_here(&w->modules)->owner;
	struct ehframe *e = &w->ehframe;

	if (!err && owner)
		keep_own_row(w, key, owner);
	if (err || owner || !w->may_share || w->machine.refused || w->modules.wait.bytes || !ehframe_is_within(e) ||
	    (s64)w->sframe.in.bounds.outside < 0 || !module_tells(&w->modules)) {
		ehframe_forget(e);
		return err;
	}
	ehframe_keep(e);
	rowcache_put(key, 0, &w->machine.row);
	return 0;
}

/*
 * Find the stack pointer of a function whose row says where its frame record is, the caller's frame pointer and the return
 * address: the frame pointer leads there. The outermost frame needs none. Returns 0, -EFAULT or -EACCES.
 */
static INLINE int sp_by_record(struct machine *m, u64 *ret)
{
	const struct row *row = &m->row;
	u64 fp;
	int err;

	if (row->rule[SLOT_RA] == RULE_UNDEFINED)
		return 0;
	if (row->rule[SLOT_RA] != RULE_OFFSET || row->rule[SLOT_FP] != RULE_OFFSET ||
	    row->off[SLOT_RA] != row->off[SLOT_FP] + 8)
		return -EFAULT;
	err = machine_reg(m, REG_FP, &fp);
	if (!err)
		*ret = fp - (s64)row->off[SLOT_FP] - (s64)row->cfa_off;
	return err;
}

GLOBAL u32 walk_find_cfa(struct machine *m NONNULL)
{
	u64 base = m->sp;
	int err = 0;

	if (m->row.cfa_kind != CFA_REG)
		return m->row.cfa_kind == CFA_EXPR ? 0 : BAD_CFI;
	if (m->row.cfa_reg != REG_SP)
		err = machine_reg(m, m->row.cfa_reg, &base);
	else if (sp_is_lost(m))
		err = sp_by_record(m, &base);
	if (err) {
		m->detail = m->row.cfa_reg;
		return read_outcome(err, CFA_REGISTER_LOST);
	}
	m->cfa = word_trim(m, base + (s64)m->row.cfa_off);
	return 0;
}

static INLINE void note_start(struct walk *w)
{
	const struct machine *m = &w->machine;
	struct frame_start *s = &w->start;

	s->pc = m->pc;
	s->sp = m->sp;
	s->bare_at = m->bare_at;
	s->callback_sp = m->callback_sp;
	s->pc_is_exact = m->pc_is_exact;
	s->lazy = m->lazy;
	s->invalid = m->invalid;
	s->nr = w->out.nr;
	w->machine.refused = 0;
	UNROLL
	for (u32 i = 0; i < COUNT(s->reg); i++)
		s->reg[i] = m->reg[i];
}

/* Go back to the frame's start, and wait for the page that a read has noted. */
static INLINE int begin_again(struct walk *w)
{
	const struct frame_start *s = &w->start;
	struct machine *m = &w->machine;

	m->pc = s->pc;
	m->sp = s->sp;
	m->bare_at = s->bare_at;
	m->callback_sp = s->callback_sp;
	m->pc_is_exact = s->pc_is_exact;
	m->lazy = s->lazy;
	m->invalid = s->invalid;
	w->out.nr = s->nr;
	UNROLL
	for (u32 i = 0; i < COUNT(s->reg); i++)
		m->reg[i] = s->reg[i];
	m->code_at = 0;
	if (w->modules.wait.bytes)
		walk_wait(w);
	return NEXT;
}

#define URETPROBE_CODE 32 /* bytes at the beginning of the kernel's page for uprobes, to which functions return */
#define URETPROBE_WORDS 4 /* a return address, and what that code has pushed in its place since */

/*
 * Where a uretprobe has replaced the return address, go on with the true one; also if the function has just returned. Returns
 * 0 or an enum outcome.
 */
GLOBAL u32 walk_pass_uretprobe(struct machine *m NONNULL)
{
	u64 in_page = m->pc & (PAGE_BYTES - 1), bytes = RA_IN_A_REGISTER ? 0 : word_bytes(m);
	u64 slot = m->sp - bytes, words = m->pc_is_exact ? URETPROBE_WORDS : 1;
	int err = -ENOENT;

	if (in_page >= URETPROBE_CODE || (in_page && !m->pc_is_exact))
		return 0;
	each (i, words) {
		err = port_true_return(m->pc - in_page, slot, &m->word);
		if (err != -EFAULT)
			break;
		slot += word_bytes(m);
	}
	if (err)
		return err == -EFAULT ? URETPROBE : 0;
	m->pc = code_address(m->word);
	m->pc_is_exact = 0;
	m->sp = m->reg[REG_SP] = slot + bytes;
	return 0;
}

/* Add a frame of which no more is known than its address. Returns 0 or an enum outcome. */
static INLINE u32 add_frame(struct walk *w)
{
	const struct machine *m = &w->machine;
	u32 nr = w->out.nr;

	w->turns++;
	if (walk_takes_too_long(w))
		return TOO_LONG;
	at(w->out.frame, nr) = frame_make(FRAME_ANON, m->pc, !m->pc_is_exact);
	at(w->sp_words, nr) = sp_word(w, m->sp);
	w->out.nr = nr + 1;
	return 0;
}

/* Go to the module at @pc. Returns 0 or an enum outcome. */
static INLINE u32 find_module(struct modules *ms, u64 pc)
{
	u32 err = module_find(ms, pc) ? -module_enter(ms, pc) : 0;

	if (!err)
		return 0;
	return err == EBUSY ? MAPPINGS_BUSY : NO_MAPPING;
}

/* Name frame @nr by its module, and get the row at @pc: from the cache, or learn it. Returns 0 or an enum outcome. */
static INLINE u32 get_row(struct walk *w, u32 nr, u64 pc)
{
	const struct range *here = module_here(&w->modules);
	struct machine *m = &w->machine;
	u64 key = 0;

	if (here->module) {
		if (module_has_tables(here)) /* V8 maps a part of node's text a second time */
			key = rowcache_key(here->module, pc + here->file_off, pc != m->pc);
		at(w->out.frame, nr) = frame_make(here->module, m->pc + here->file_off, !m->pc_is_exact);
	}
	if (here->kind - MODULE_UNREADABLE <= MODULE_TOO_LONG - MODULE_UNREADABLE)
		return why_no_cfi(w); /* it may well have CFI: no guess */
	m->hdr = here->hdr;
	m->class = here->class;
	if (!module_has_tables(here) && !m->pc_is_exact && row_of_handlers_return(m)) {
		m->row.flags |= method_flags(BY_CODE);
		return 0;
	}
	if (!module_has_tables(here) && !m->pc_is_exact) {
		memset(&m->row, 0, sizeof(m->row));
		m->row.flags = ROW_FRAME_POINTER | method_flags(BY_FRAME_POINTER);
		return 0;
	}
	return w->no_cache || !key || rowcache_get(key, here->owner, &m->row) ? learn_row(w, pc, key) : 0;
}

/* Does the thread begin here? Frame @nr at @pc has no CFI. Returns 0 or an enum outcome. */
static INLINE u32 find_beginning(struct walk *w, u32 nr, u64 pc)
{
	const struct range *here = module_here(&w->modules);
	struct machine *m = &w->machine;

	if (pc - here->entry < ENTRY_SIZE)
		return ENTRY_POINT;
	if (module_has_tables(here) && (nr == 0 || !m->pc_is_exact) && framepointer_thread_start(m))
		return THREAD_START;
	return 0;
}

/* Does the row lead to a place behind a call? */
static INLINE bool leads_to_call(struct machine *m)
{
	return m->row.cfa_kind != CFA_NONE && !walk_find_cfa(m) && framepointer_row_leads(m);
}

/*
 * Go to the caller by the code around the return address, or by the frame pointer. Returns 0 or an enum outcome; STEP_BY_ROW:
 * the row is better than the frame pointer.
 */
static INLINE u32 step_without_row(struct walk *w)
{
	const struct range *here = module_here(&w->modules);
	struct machine *m = &w->machine;
	int err = verifier_forget(m->scratch.error, return_rule_step(m));

	if (err == -ENOENT && verifier_forget(m->scratch.nr, leads_to_call(m)))
		return STEP_BY_ROW;
	if (err == -ENOENT)
		err = verifier_forget(m->scratch.error, framepointer_step(m, here->start, here->end));
	if (!err)
		return 0;
	return verifier_forget(m->scratch.error, err == -ESRCH ? THREAD_START : read_outcome(err, why_no_cfi(w)));
}

/*
 * The registers that the row needs though a call may have changed them. Assembly that calls routines of its own may know that
 * they do not, as OpenSSL's AES-GCM does: it keeps the CFA in rax.
 */
static INLINE u32 registers_to_believe(const struct machine *m)
{
	const struct row *row = &m->row;
	u32 needed = (u32)(row->cfa_kind == CFA_REG) << (row->cfa_reg & (NR_REGS - 1)) |
		     (u32)(row->rule[SLOT_RA] == RULE_REGISTER) << (row->off[SLOT_RA] & (NR_REGS - 1));

	return m->invalid & needed & CALLER_SAVED;
}

/* Does m->pc follow a call, in code? */
static INLINE bool is_return_to_code(struct walk *w)
{
	struct vma *v = &w->modules.beside;

	return framepointer_is_called(&w->machine) && !port_vma(w->machine.pc - 1, v) && v->executable;
}

/*
 * Is a return address of zero the caller that the function has? Its CFI is right where it has called another function; where
 * it was interrupted, and where its code says where the return address is, another word may have been taken for it.
 */
static INLINE bool is_first_function(const struct walk *w)
{
	return !w->start.pc_is_exact & (row_method(&w->machine.row) == BY_CFI);
}

/* Go to the caller by the row. Returns 0 or an enum outcome. */
static INLINE u32 step_by_row(struct walk *w)
{
	struct machine *m = &w->machine;
	u32 believed = registers_to_believe(m), err;

	m->invalid &= ~believed;
	err = walk_find_cfa(m);
	if (!err && m->row.flags & (ROW_EXPRESSIONS | ROW_FLEXIBLE))
		err = m->row.flags & ROW_FLEXIBLE ? sframe_rules(m) : expr_row(m);
	if (err)
		return err;
	err = apply_row(m);
	if (err == ZERO_RA && !believed && is_first_function(w))
		return FIRST_FUNCTION;
	if (!err && (m->row.flags & ROW_GUESS || believed))
		err = walk_pass_uretprobe(m);
	if (!err && m->row.flags & ROW_GUESS && !framepointer_is_called(m))
		err = why_no_cfi(w);
	if (believed && err != PAGE_NOT_SAFE && verifier_forget(m->scratch.error, err || !is_return_to_code(w))) {
		m->detail = m->row.cfa_reg;
		err = CFA_REGISTER_LOST;
	}
	return err;
}

/*
 * Does the code of m->pc lie before it? That of a return address does, unless a mapping begins with what signal handlers
 * return to.
 */
static INLINE bool is_behind_call(struct machine *m)
{
	if (m->pc & (PAGE_BYTES - 1))
		return !m->pc_is_exact;
	return verifier_forget(m->scratch.error, !m->pc_is_exact && !row_of_handlers_return(m));
}

/*
 * Leave a frame in memory without a file, if it is of HotSpot's code. Returns 0; STEP_BY_ROW: it is not; or an enum outcome, which is none if
 * w->lang.is_first.
 */
static INLINE u32 step_by_language(struct walk *w)
{
	struct scratch *s = &w->machine.scratch;
	int err;

	if (module_here(&w->modules)->kind != MODULE_ANON)
		return STEP_BY_ROW;
	err = verifier_forget(s->error, hotspot_find(w));
	if (err == -ENOENT)
		return STEP_BY_ROW;
	if (!err) {
		switch (w->lang.hotspot.kind) {
		case HOTSPOT_INTERPRETER: err = verifier_forget(s->error, hotspot_interpreted(w)); break;
		case HOTSPOT_STUB: err = verifier_forget(s->error, hotspot_stub(w)); break;
		default:
			err = verifier_forget(s->error, hotspot_methods(w));
			if (!err && !w->lang.is_first)
				err = verifier_forget(s->error, hotspot_compiled(w));
		}
	}
	if (err || w->lang.is_first)
		return read_outcome(err, JIT_CODE);
	return verifier_forget(s->error, hotspot_add(w));
}

/* One frame of any kind. Returns 0 or an enum outcome. */
static INLINE u32 any_frame(struct walk *w)
{
	struct machine *m = &w->machine;
	u32 nr = w->out.nr, err = walk_pass_uretprobe(m), full = 0;
	u64 pc;

	if (!err || m->pc_is_exact)
		full = add_frame(w);
	if (err || full)
		return err ? err : full;
	pc = m->pc - is_behind_call(m); /* a return address may already belong to the next function */
	err = find_module(&w->modules, pc);
	if (err)
		return err;
	err = step_by_language(w);
	if (!err || w->lang.is_first)
		return 0;
	if (err != STEP_BY_ROW)
		return err;
	pc += module_here(&w->modules)->has_handlers_return & ~m->pc_is_exact &
	      !(m->pc & 15); /* to the start of a function: no call is before it */
	err = verifier_forget(m->scratch.error, get_row(w, nr, pc));
	if (err)
		return err;
	leave_by(w, nr, row_method(&m->row));
	if (m->row.flags & ROW_SIGNAL) /* it has no caller: the handler returns to its first instruction */
		at(w->out.frame, nr) &= ~FRAME_RET;
	if (m->row.flags & ROW_FRAME_POINTER) {
		err = verifier_forget(m->scratch.error, find_beginning(w, nr, pc));
		if (err)
			return err;
		err = step_without_row(w);
		if (err != STEP_BY_ROW)
			return err;
	}
	return step_by_row(w);
}

/* Do a step of a language, before the walk goes on. */
static INLINE int step_of_language(struct walk *w)
{
	struct modules *ms = &w->modules;

	if (!w->lang.seek)
		lang_step(w);
	else if (module_find(ms, w->lang.seek))
		module_enter(ms, w->lang.seek);
	if (ms->wait.bytes)
		walk_wait(w);
	else
		w->lang.seek = 0;
	return NEXT;
}

/* Walk as many simple frames as possible in one turn, since a turn is a call. Then walk one frame of any kind. */
CORE_TURN(walk_frame, struct walk, w)
{
	int verdict = NEXT;
	u32 err;

	if (w->lang.is_first)
		return step_of_language(w);
	steps(w);
	if (w->out.nr >= w->max_depth && deep_make_room(w))
		return end(w, TOO_DEEP);
	note_start(w);
	err = verifier_forget(w->machine.scratch.error, any_frame(w));
	if (err)
		verdict = end(w, err);
	return w->modules.wait.bytes || w->lang.is_first ? begin_again(w) : verdict;
}
