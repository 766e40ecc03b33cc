/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walk through frames of HotSpot's code: JDK 17 src/hotspot/share/code/codeCache.cpp, codeBlob.hpp; src/hotspot/cpu/x86/frame_x86.hpp.
 *
 * A frame of compiled code has the size that its blob says, and the caller's frame pointer below the return address. Where it is
 * interrupted before it is set up, or when it has been left, is seen by its code. The interpreter's frames have a frame
 * pointer. Stubs have a size, or they have pushed nothing, or a frame pointer: the return address is that which follows a call in
 * HotSpot's code.
 */
#include "core/lang/hotspot.h"
#include "core/arch/hotspot.h"
#include "core/code/framepointer.h"
#include "core/code/rule.h"
#include "core/lang/frames.h"

#define MAX_HEAPS 4
#define HEAP_WORDS 4
#define MAX_SEGMENTS 64
#define FREE 0xff
#define FAR (1 << 20)

/* The first 8 bytes of the names of blobs. */
#define NAME_COMPILED 0x00646f6874656d6eULL /* "nmethod" */
#define NAME_NATIVE 0x6e2065766974616eULL   /* "native nmethod" */
#define NAME_INTERPRETER 0x6572707265746e49ULL

/* Read the words whose addresses are in l->word[], to the same places. */
GLOBAL int hotspot_words(struct lang *l NONNULL)
{
	l->error = 0;
	each (i, HEAP_WORDS) {
		l->error = read_word(l, at(l->word, i));
		if (l->error)
			break;
		at(l->word, i) = l->value;
	}
	return l->error;
}

/* Read the heap at @heap, and what it consists of. */
static INLINE int read_heap(struct lang *l, struct hotspot_heap *ret, u64 heap)
{
	u64 memory = heap + hotspot_field(l, HOTSPOT_HEAP_MEMORY), map = heap + hotspot_field(l, HOTSPOT_HEAP_MAP);
	int err;

	l->word[0] = memory + hotspot_field(l, HOTSPOT_SPACE_LOW);
	l->word[1] = memory + hotspot_field(l, HOTSPOT_SPACE_HIGH);
	l->word[2] = map + hotspot_field(l, HOTSPOT_SPACE_LOW);
	l->word[3] = heap + hotspot_field(l, HOTSPOT_HEAP_SHIFT);
	err = hotspot_words(l);
	ret->low = l->word[0];
	ret->bytes = l->word[1] - l->word[0];
	ret->map = l->word[2];
	ret->shift = l->word[3] & 63;
	return err;
}

/* Read where the code heaps are: their ends are those of what is reserved, which does not change. */
GLOBAL int hotspot_heaps(struct lang *l NONNULL)
{
	struct hotspot *h = &l->runtime.hotspot;
	u64 array;
	u32 nr;
	int err;

	h->nr_heaps = 0;
	err = read_word(l, hotspot_field(l, HOTSPOT_HEAPS));
	if (err)
		return err;
	array = l->value;
	err = read_word(l, array + hotspot_field(l, HOTSPOT_ARRAY_LENGTH));
	nr = l->value;
	if (!err)
		err = read_word(l, array + hotspot_field(l, HOTSPOT_ARRAY_DATA));
	array = l->value;
	each (i, MAX_HEAPS) {
		if (err || i >= nr)
			break;
		err = read_word(l, array + i * sizeof(u64));
		if (!err)
			err = read_heap(l, &at(h->heap, i), l->value);
		h->nr_heaps += !err;
	}
	return err;
}

/* Return the number of the heap with @addr; MAX_HEAPS: it is in none. */
static INLINE u32 heap_of(const struct hotspot *h, u64 addr)
{
	u32 ret = MAX_HEAPS;

	each (i, MAX_HEAPS) {
		const struct hotspot_heap *heap = &at(h->heap, i);

		if (i < h->nr_heaps && addr - heap->low < heap->bytes)
			ret = i;
	}
	return ret;
}

GLOBAL bool hotspot_has(const struct lang *l NONNULL, u64 addr)
{
	return heap_of(&l->runtime.hotspot, addr) < MAX_HEAPS;
}

/* Find the blob that the segment at l->hotspot.low in heap @i belongs to: each byte of the map says how far back it leads. */
GLOBAL int hotspot_segment(struct lang *l NONNULL, u32 i, u64 pc)
{
	const struct hotspot_heap *heap = &at(l->runtime.hotspot.heap, i);
	struct hotspot_frame *f = &l->hotspot;
	u8 back = FREE;
	int err = 0;

	f->low = (pc - heap->low) >> heap->shift;
	each (k, MAX_SEGMENTS) {
		l->value = FREE;
		err = port_read(&l->value, 1, heap->map + f->low);
		back = l->value;
		if (err || !back || back == FREE)
			break;
		f->low -= back;
	}
	if (err || back)
		return err ?: -EFAULT;
	f->blob = heap->low + (f->low << heap->shift) + hotspot_field(l, HOTSPOT_HEAP_BLOCK_BYTES);
	return 0;
}

/* Take from the blob in f->word where its code is, and how large its frames are. */
static INLINE void take_code(struct lang *l)
{
	struct hotspot_frame *f = &l->hotspot;
	bool is_new = l->runtime.hotspot.is_new;
	s64 words = (s32)half_of(f->word, hotspot_field(l, HOTSPOT_BLOB_FRAME_SIZE));
	s64 complete = (s32)half_of(f->word, hotspot_field(l, HOTSPOT_BLOB_COMPLETE));

	if (is_new) {
		f->code = f->blob + short_of(f->word, hotspot_field(l, HOTSPOT_BLOB_CODE_AT));
		f->end = f->blob + half_of(f->word, hotspot_field(l, HOTSPOT_BLOB_DATA_AT));
		complete = (s16)short_of(f->word, hotspot_field(l, HOTSPOT_BLOB_COMPLETE));
	} else {
		f->code = word_of(f->word, hotspot_field(l, HOTSPOT_BLOB_CODE));
		f->end = word_of(f->word, hotspot_field(l, HOTSPOT_BLOB_END));
	}
	f->frame_bytes = words > 0 ? words * 8 : 0;
	f->complete = f->code + complete;
	f->name = word_of(f->word, hotspot_field(l, HOTSPOT_BLOB_NAME));
}

/* Returns 0; -ENOENT: it is not in a code heap; -EFAULT or -EACCES. */
GLOBAL int hotspot_blob(struct lang *l NONNULL, u64 pc)
{
	struct hotspot_frame *f = &l->hotspot;
	u32 heap = heap_of(&l->runtime.hotspot, pc);
	int err = heap < MAX_HEAPS ? hotspot_segment(l, heap, pc) : -ENOENT;

	if (!err)
		err = port_read(f->word, HOTSPOT_BLOB_BYTES, f->blob);
	if (err)
		return err;
	take_code(l);
	err = read_word(l, f->name);
	if (err)
		return err;
	f->kind = l->value == NAME_COMPILED ? HOTSPOT_COMPILED
		  : l->value == NAME_NATIVE ? HOTSPOT_NATIVE
					    : HOTSPOT_STUB;
	f->kind = l->value == NAME_INTERPRETER ? HOTSPOT_INTERPRETER : f->kind;
	if (f->kind == HOTSPOT_COMPILED || f->kind == HOTSPOT_NATIVE)
		err = port_read(f->word, HOTSPOT_CODE_BYTES, f->blob);
	return err;
}

/*
 * How sure it is that a word is the return address. Java is called by code in the cache, but for the stub by which C calls it. The interpreter
 * puts addresses where nothing is called.
 */
enum surety { IS_OF_C, IS_CERTAIN, IF_IT_FOLLOWS_A_CALL, IF_IT_IS_CALLED };

/* Is the blob what the call before @ra calls? Calls of stubs have the address in them, or in the instruction before. */
static INLINE bool is_called(struct lang *l, const u8 *code, u64 ra)
{
	const struct hotspot_frame *f = &l->hotspot;
	u64 target = call_target(code, ra);

	if (!target && hotspot_calls_by_register(code) && !read_word(l, ra - HOTSPOT_CALL_BYTES))
		target = l->value;
	return target - f->code < f->end - f->code;
}

/* Is @addr in the interpreter? l->hotspot stays that of the frame, as far as is_called() asks it. */
static INLINE bool is_in_interpreter(struct lang *l, u64 addr)
{
	struct hotspot_frame *f = &l->hotspot;
	u64 code = f->code, end = f->end;
	bool ret = !hotspot_blob(l, addr) && f->kind == HOTSPOT_INTERPRETER;

	f->code = code;
	f->end = end;
	return ret;
}

static INLINE bool is_return(struct walk *w, u64 ra, u32 surety)
{
	struct machine *m = &w->machine;
	struct lang *l = &w->lang;

	if (surety == IS_OF_C)
		return true;
	if (!hotspot_has(l, ra))
		return false;
	if (surety == IS_CERTAIN ||
	    (surety == IF_IT_FOLLOWS_A_CALL && !framepointer_code(m, ra) && follows_call(m->code)))
		return true;
	if (surety == IF_IT_IS_CALLED)
		return !framepointer_code(m, ra) && is_called(l, m->code, ra);
	return is_in_interpreter(l, ra);
}

/*
 * Go to the frame with stack pointer @sp, whose return address is at @at, as sure as @surety says. Of the registers, the caller of this says where
 * the frame pointer is, and the thread's stays. Of l->hotspot only where the frame's code is stays, if the word does not follow a call.
 */
GLOBAL int hotspot_go_up(struct walk *w NONNULL, u64 at, u64 sp, u32 surety)
{
	struct machine *m = &w->machine;
	u64 ra;
	int err = stack_read(m, at, &ra);

	if (err)
		return err;
	if (!ra || sp <= m->sp || !is_return(w, ra, surety))
		return w->modules.wait.bytes ? -EACCES : -EFAULT;
	m->pc = ra;
	m->sp = m->reg[REG_SP] = sp;
	m->pc_is_exact = 0;
	m->invalid |= (CALLER_SAVED | CALLEE_SAVED) & ~(1u << HOTSPOT_THREAD);
	return 0;
}

/* Return the frame pointer, if it leads to a frame above the stack pointer; else 0. */
static INLINE u64 frame_pointer(struct machine *m)
{
	u64 fp;

	return !machine_reg(m, REG_FP, &fp) && fp - m->sp < FAR && !(fp & 7) ? fp : 0;
}

/* Is the interpreter's @next in the method's bytecode? Its number of bytes, to *@ret. */
static INLINE bool is_in_method(const struct lang *l, u64 next, u32 *ret)
{
	u64 at = next - l->hotspot.bytecode;

	*ret = at;
	return at < l->hotspot.bytecode_bytes;
}

/* The frame's method, and the address of its bytecode that is next; while it runs, that is in a register. */
GLOBAL int hotspot_interpreted(struct walk *w NONNULL)
{
	struct machine *m = &w->machine;
	struct lang *l = &w->lang;
	u64 fp = frame_pointer(m), next, now, sp;
	u32 position = FRAME_POSITION;
	int err = fp ? stack_read(m, fp + HOTSPOT_FRAME_METHOD, &l->code) : -EFAULT;

	if (!err)
		err = hotspot_method(l);
	if (!err)
		err = stack_read(m, fp + HOTSPOT_FRAME_NEXT, &next);
	if (!err)
		err = stack_read(m, fp + HOTSPOT_FRAME_SENDER, &sp);
	if (err)
		return err;
	if (!m->pc_is_exact || machine_reg(m, HOTSPOT_NEXT, &now) || !is_in_method(l, now, &position)) {
		if (!is_in_method(l, next, &position)) {
			if (l->hotspot.bytecode_bytes) /* not a native method */
				return -EFAULT;
			position = FRAME_POSITION;
		}
	}
	err = hotspot_put(l, position);
	if (err || l->is_first)
		return err;
	err = hotspot_go_up(w, fp + 8, sp > fp ? sp : fp + 16, IS_CERTAIN);
	lies_at(m, REG_FP, fp);
	return err;
}

/* Where the frame's return address is. */
enum begun { IS_SET_UP, HAS_RETURN_ADDRESS, HAS_FRAME_POINTER, HAS_ROOM };

/*
 * Is the frame at its beginning, or end? By the code: push %rbp; sub $N,%rsp, or sub $N,%rsp; mov %rbp,N-8(%rsp). At the end, pop %rbp; a look at
 * whether the thread shall stop; ret.
 */
GLOBAL u32 hotspot_begun(struct walk *w NONNULL)
{
	struct hotspot_frame *f = &w->lang.hotspot;
	u64 pc = w->machine.pc;
	enum hotspot_left left;

	if (port_read(f->number, 16, pc))
		return IS_SET_UP;
	left = hotspot_is_left(f->number);
	if (left)
		return left == HOTSPOT_POPPED ? HAS_RETURN_ADDRESS : HAS_FRAME_POINTER;
	if (pc >= f->complete)
		return IS_SET_UP;
	w->machine.scratch.nr = hotspot_saves_fp(f->number[0]) ? HAS_ROOM : IS_SET_UP;
	if (pc - f->code < 1 || port_read(f->number, 24, pc - 24))
		return HAS_RETURN_ADDRESS;
	each (i, 21) {
		u64 code = ((const struct code *)&within((const u8 *)f->number, i, 31))->word[0];

		if (pc - 24 + i >= f->code && hotspot_makes_room(code, f->frame_bytes))
			return w->machine.scratch.nr;
	}
	return hotspot_pushes_fp(f->number[2]) ? HAS_FRAME_POINTER : HAS_RETURN_ADDRESS;
}

/* That of a word where the frame's return address is, unless its code is at a place that says otherwise. */
static INLINE u32 surety_of(const struct machine *m)
{
	return m->pc_is_exact ? IF_IT_FOLLOWS_A_CALL : IS_CERTAIN;
}

GLOBAL int hotspot_compiled(struct walk *w NONNULL)
{
	struct machine *m = &w->machine;
	struct hotspot_frame *f = &w->lang.hotspot;
	u64 up = m->sp + f->frame_bytes;
	u32 begun = IS_SET_UP, surety = surety_of(m);
	int err;

	if (!f->frame_bytes) /* it only goes to another method */
		return m->pc_is_exact ? hotspot_go_up(w, m->sp, m->sp + 8, surety) : -EFAULT;
	if (m->pc_is_exact)
		begun = verifier_forget(m->scratch.nr, hotspot_begun(w));
	if (begun == HAS_RETURN_ADDRESS)
		return hotspot_go_up(w, m->sp, m->sp + 8, surety);
	if (begun == HAS_FRAME_POINTER)
		up = m->sp + 16;
	err = hotspot_go_up(w, up - 8, up, surety);
	if (err && m->pc_is_exact && begun == IS_SET_UP) { /* what compares strings pushes a word */
		up += 8;
		err = hotspot_go_up(w, up - 8, up, surety);
	}
	if (begun != HAS_ROOM)
		lies_at(m, REG_FP, up - 16);
	return err;
}

/* A stub that Java calls may have a frame pointer, a frame of its size, or nothing on the stack. */
static INLINE int leave_stub(struct walk *w)
{
	struct machine *m = &w->machine;
	u64 bytes = w->lang.hotspot.frame_bytes, fp = frame_pointer(m), up = fp + 16;
	u32 surety = surety_of(m);
	int err = fp ? hotspot_go_up(w, up - 8, up, IF_IT_IS_CALLED) : -EFAULT;

	if (err && bytes) {
		up = m->sp + bytes;
		err = hotspot_go_up(w, up - 8, up, surety);
	}
	if (err && m->pc_is_exact) {
		up = m->sp + 16; /* behind push %rbp */
		err = hotspot_go_up(w, up - 8, up, IF_IT_IS_CALLED);
	}
	if (!err)
		lies_at(m, REG_FP, up - 16);
	else if (m->pc_is_exact)
		err = hotspot_go_up(w, m->sp, m->sp + 8, surety);
	return err;
}

/* The stub by which C calls Java: as a function of C, it has saved the caller's registers. */
static INLINE int leave_call_stub(struct walk *w)
{
	struct machine *m = &w->machine;
	u64 fp = frame_pointer(m);
	int err = fp ? hotspot_go_up(w, fp + 8, fp + 16, IS_OF_C) : -EFAULT;

	if (err)
		return err;
	lies_at(m, REG_FP, fp);
	hotspot_restore_registers(m, fp);
	return 0;
}

GLOBAL int hotspot_stub(struct walk *w NONNULL)
{
	struct machine *m = &w->machine;
	struct lang *l = &w->lang;
	int err = read_word(l, hotspot_field(l, HOTSPOT_CALL_STUB_RETURN));
	bool is_call_stub = l->value == m->pc && !m->pc_is_exact;

	l->code = l->hotspot.blob;
	l->fingerprint = code_mix(l->hotspot.name, l->hotspot.end);
	if (!err)
		err = hotspot_put(l, FRAME_POSITION);
	if (err || l->is_first)
		return err;
	return is_call_stub ? leave_call_stub(w) : leave_stub(w);
}

GLOBAL u32 hotspot_add(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u32 nr = w->out.nr - 1, sp = at(w->sp_words, nr);

	each (i, MAX_SCOPES) {
		if (i >= l->nr)
			break;
		if (i && w->out.nr >= w->max_depth && deep_make_room(w))
			return TOO_DEEP;
		nr = i ? w->out.nr : nr;
		at(w->out.frame, nr) = at(l->frame, i);
		at(w->sp_words, nr) = sp;
		w->out.nr = nr + 1;
	}
	return 0;
}

/*
 * The code may be HotSpot's, if that is among the modules that have not been examined; perhaps it has not been met yet: its register for the
 * thread leads to an object of the runtime, and that to a function.
 */
GLOBAL int hotspot_seek(struct walk *w NONNULL)
{
	struct range *here = module_here(&w->modules);
	struct lang *l = &w->lang;
	u64 thread;

	l->seek = 0;
	if (here->nr_vain < EXAMINATIONS && !machine_reg(&w->machine, HOTSPOT_THREAD, &thread) &&
	    !read_word(l, thread) && !read_word(l, l->value))
		l->seek = l->value;
	if (w->modules.wait.bytes)
		return -EACCES;
	here->nr_vain++;
	l->step = LANG_EXAMINE;
	l->is_first = l->seek || w->modules.unexamined;
	return -ENOENT;
}

GLOBAL int hotspot_find(struct walk *w NONNULL)
{
	struct machine *m = &w->machine;
	struct lang *l = &w->lang;
	u64 pc = m->pc - !m->pc_is_exact;

	if (!HOTSPOT_IS_KNOWN || !l->thread_pointer || m->compat)
		return -ENOENT;
	if (w->modules.runtime != LANGUAGE_JAVA)
		return w->modules.runtime ? -ENOENT : hotspot_seek(w);
	if (!l->runtime.version && hotspot_settle(l))
		return w->modules.wait.bytes ? -EACCES : -ENOENT;
	if (!hotspot_has(l, pc))
		hotspot_heaps(l);
	l->nr = 0;
	return hotspot_blob(l, pc);
}
