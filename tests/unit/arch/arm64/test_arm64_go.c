/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a walk go where Go's runtime has switched stacks, and is what is not as it should be not believed? */
#include "program.h"

#define JIT 0x7000000ULL
#define GO 0x30000000ULL

/* In the code: goexit(), where runtime functions come back from a call, and calls of two functions. */
#define GOEXIT (JIT + 0x204)
#define CALLED (JIT + 0x98)
#define CALLER (JIT + 0x108)
#define GROWING (JIT + 0x1a4)
#define IN_SYSTEMSTACK (JIT + 0x310)
#define IN_MCALL (JIT + 0x420)
#define IN_MORESTACK (JIT + 0x510)
#define IN_CLONE (JIT + 0x604)
#define IN_ASMCGOCALL (JIT + 0x704)
#define IN_CGOCALLBACK (JIT + 0x784)
#define IN_CROSSCALL2 (JIT + 0x804)

/* In the data: the thread's g, its m, the goroutine's g, and the goroutine's stack, in which RECORD is a frame record. */
enum { G0 = 0, THREAD = 0x400, G = 0x800, G_STACK = 0xc00, RECORD = 0xc40, CALLBACK = 0xd00, OUTER = 0xe00 };

static u8 jit_code[PAGE_BYTES];
static u64 go_data[PAGE_BYTES / 8];
static struct vma anon_like = {.executable = 1};

#define GO_WORD(at) go_data[(at) / 8]
#define PUT(at, ...) memcpy(jit_code + ((at) - JIT), (const u32[]){__VA_ARGS__}, sizeof((const u32[]){__VA_ARGS__}))

static void code(void)
{
	memset(jit_code, 0, sizeof(jit_code));
	PUT(CALLED - 4, 0x94000001);
	PUT(CALLER - 4, 0x94000001);
	PUT(GROWING - 4, 0x940000dc); /* bl to 0x370 behind: morestack_noctxt() */
	PUT(GOEXIT - 4, 0xaa0003e0, 0x94000001);
	PUT(IN_SYSTEMSTACK - 12, 0xf940379d, 0xf9400343, 0xd63f0060, 0xf9401b83, 0xf940607c, 0x94000001);
	PUT(IN_MCALL - 24, 0xf940379d, 0xaa0303e0, 0xf81f03ff, 0xd10043ff, 0xf9400344, 0xd63f0080, 0x14000001);
	PUT(IN_MORESTACK - 12, 0xf940379d, 0xf81f0fff, 0x94000001, 0xbea71700);
	PUT(IN_CLONE - 4, 0xd63f0000, 0x52800de0, 0xd2800ba8, 0xd4000001);
	PUT(IN_ASMCGOCALL - 4, 0xd63f0020, 0xaa0003e9, 0xf94003fc, 0x94000001);
	PUT(IN_CGOCALLBACK - 4, 0xd63f0000, 0xf94003e5, 0xf9002385, 0x910003e4);
	PUT(IN_CROSSCALL2 - 4, 0x94000001, 0xa94253f3, 0xa9435bf5, 0xa94463f7);
}

static void data(void)
{
	memset(go_data, 0, sizeof(go_data));
	GO_WORD(G0 + 48) = GO + THREAD;
	GO_WORD(THREAD) = GO + G0;
	GO_WORD(THREAD + 192) = GO + G;
	GO_WORD(G) = GO + G_STACK;
	GO_WORD(G + 8) = GO + PAGE_BYTES;
	GO_WORD(G + 48) = GO + THREAD;
	GO_WORD(G + 56) = GO + G_STACK + 8;
	GO_WORD(RECORD + 8) = GOEXIT;
}

static void begin_walk(u64 g)
{
	start(FUNCTION(0) + 4, 0);
	w.machine.reg[X28] = g;
	port_map(JIT, jit_code, sizeof(jit_code), anon_like);
	port_map(GO, (u8 *)go_data, sizeof(go_data), anon_like);
}

/* Function 0 has been called by a function with a frame record, which returns to @ra, with @fp. */
static void called_at(u64 ra, u64 fp)
{
	begin();
	code();
	data();
	function(0, 2);
	function(1, 2);
	outermost(2);
	put64(&im.up, STACK + 16);
	put64(&im.up, CALLED);
	put64(&im.up, fp);
	put64(&im.up, ra);
	begin_walk(GO + G0);
}

/* The walk ends with @outcome, behind function 0, its caller, and @pcs. */
static void assert_walk(u32 outcome, u32 nr, const u64 *pcs)
{
	walk_stack(&w);
	assert_int_equal(w.outcome, outcome);
	assert_int_equal(w.out.nr, nr + 2);
	for (u32 i = 0; i < nr; i++)
		assert_int_equal(frame_offset(w.out.frame[i + 2]), pcs[i]);
}

#define ASSERT_WALK(outcome, ...) assert_walk(outcome, COUNT(((const u64[]){__VA_ARGS__})), (const u64[]){__VA_ARGS__})

static void a_goroutine_begins_below_goexit(void **state)
{
	called_at(GOEXIT, 0);
	GO_WORD(G0) = STACK;
	GO_WORD(G0 + 8) = STACK_END;
	ASSERT_WALK(THREAD_START, GOEXIT);

	called_at(GOEXIT, STACK + 64); /* something called it: that is not how goroutines begin */
	walk_stack(&w);
	assert_int_equal(w.outcome, JIT_CODE);
}

static void a_goroutine_does_not_end_in_another_stack(void **state)
{
	called_at(GOEXIT, 0);
	GO_WORD(G0) = GO;
	GO_WORD(G0 + 8) = GO + PAGE_BYTES;
	ASSERT_WALK(JIT_CODE, GOEXIT);
}

static void a_thread_begins_in_its_clone(void **state)
{
	called_at(IN_CLONE, 0x1234);
	ASSERT_WALK(THREAD_START, IN_CLONE);
}

static void system_stack(void)
{
	called_at(IN_SYSTEMSTACK, 0x1234);
	GO_WORD(G + 104) = GO + G_STACK;
	GO_WORD(G_STACK) = GO + RECORD;
	GO_WORD(G_STACK + 8) = CALLER;
}

static void go_comes_back_from_the_system_stack(void **state)
{
	system_stack();
	ASSERT_WALK(THREAD_START, IN_SYSTEMSTACK, CALLER, GOEXIT);
}

/* A frame of function 1 in the data at @at, which was called by function 2. */
static void c_frame(u32 at)
{
	GO_WORD(at) = 1;
	GO_WORD(at + 8) = RETURN(2);
}

static void assert_c_frames(u32 nr)
{
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_int_equal(w.out.nr, nr);
}

static void behind_the_switch_the_stack_pointer_is_known(void **state)
{
	system_stack();
	c_frame(G_STACK + 24);
	GO_WORD(G_STACK + 8) = RETURN(1);
	assert_c_frames(5);
}

static void a_goroutine_that_is_not_as_it_should_be_is_not_believed(void **state)
{
	static const struct {
		u32 at;
		u64 val;
	} wrong[] = {
		{G0 + 48, GO + 0x600},	    {THREAD, GO + G},		{G + 56, GO + G_STACK - 8},
		{G + 56, GO + PAGE_BYTES},  {G_STACK + 8, JIT + 0x180}, {G_STACK, GO + G_STACK - 16},
		{G + 104, GO + PAGE_BYTES}, {G + 48, GO + 0x600},	{THREAD + 192, 0},
	};

	for (u32 i = 0; i < COUNT(wrong); i++) {
		system_stack();
		GO_WORD(wrong[i].at) = wrong[i].val;
		ASSERT_WALK(JIT_CODE, IN_SYSTEMSTACK);
	}
	system_stack();
	PUT(IN_SYSTEMSTACK - 12, 0xf940379c); /* another register */
	ASSERT_WALK(JIT_CODE, IN_SYSTEMSTACK);
}

static void since_go_1_25_a_g_is_a_word_smaller(void **state)
{
	system_stack();
	PUT(IN_SYSTEMSTACK - 12, 0xf940339d); /* ldr x29,[x28,#96] */
	GO_WORD(G + 96) = GO_WORD(G + 104);
	GO_WORD(THREAD + 184) = GO_WORD(THREAD + 192);
	GO_WORD(G + 104) = GO_WORD(THREAD + 192) = 0;
	ASSERT_WALK(THREAD_START, IN_SYSTEMSTACK, CALLER, GOEXIT);
}

/* The scheduler, called by mcall() or morestack(): the function before continues at @pc. */
static void scheduler(u64 ra, u64 pc)
{
	called_at(ra, 0x1234);
	GO_WORD(G + 64) = pc;
	GO_WORD(G + 104) = GO + RECORD;
}

static void the_caller_of_the_scheduler_is_known_while_it_works_for_it(void **state)
{
	scheduler(IN_MCALL, CALLER);
	ASSERT_WALK(THREAD_START, IN_MCALL, CALLER, GOEXIT);

	scheduler(IN_MCALL, CALLER);
	GO_WORD(THREAD + 192) = 0; /* it has put its goroutine aside */
	ASSERT_WALK(THREAD_START, IN_MCALL);

	scheduler(IN_MCALL, CALLER);
	GO_WORD(G + 48) = GO + 0x600; /* another thread has taken it */
	ASSERT_WALK(THREAD_START, IN_MCALL);
}

static void a_function_whose_stack_is_too_small_has_no_frame_yet(void **state)
{
	scheduler(IN_MORESTACK, GROWING);
	GO_WORD(G + 96) = CALLER; /* its caller's, whose frame record is still in use */
	ASSERT_WALK(THREAD_START, IN_MORESTACK, GROWING, CALLER, GOEXIT);

	scheduler(IN_MORESTACK, GROWING); /* the first function of a goroutine */
	GO_WORD(G + 96) = GOEXIT;
	GO_WORD(G + 104) = 0;
	ASSERT_WALK(THREAD_START, IN_MORESTACK, GROWING, GOEXIT);

	scheduler(IN_MORESTACK, GROWING);
	GO_WORD(G + 96) = JIT + 0x180; /* no call */
	ASSERT_WALK(JIT_CODE, IN_MORESTACK, GROWING);

	scheduler(IN_MORESTACK, CALLER); /* another one, which it is about to go on with */
	ASSERT_WALK(THREAD_START, IN_MORESTACK);
}

static void go_keeps_its_stack_pointer_around_calls_of_the_vdso(void **state)
{
	for (u32 kept = 0; kept < 2; kept++) {
		begin();
		code();
		data();
		function(0, 2);
		put64(&im.up, GO + G_STACK);
		put64(&im.up, CALLED);
		GO_WORD(G_STACK) = GO + RECORD;
		GO_WORD(G_STACK + 8) = CALLER;
		begin_walk(GO + G);
		w.machine.reg[X20] = GO + G_STACK + (kept ? 8 : 16);
		walk_stack(&w);
		assert_int_equal(w.outcome, kept ? THREAD_START : JIT_CODE);
		assert_int_equal(w.out.nr, kept ? 4 : 2);
	}
}

/* C that a goroutine has called by asmcgocall(), which was left at @depth: function 0, with the g and that on its stack. */
static void c_called_by_go(u64 depth)
{
	begin();
	code();
	data();
	function(0, 2);
	put64(&im.up, 0);
	put64(&im.up, IN_ASMCGOCALL);
	put64(&im.up, GO + G);
	put64(&im.up, depth);
	GO_WORD(G_STACK) = GO + RECORD;
	GO_WORD(G_STACK + 8) = CALLER;
	begin_walk(0x77);
}

static void c_that_go_calls_leads_to_the_goroutine(void **state)
{
	/* beyond its stack, though a frame is there; no frame; not a word's place */
	static const u64 wrong[] = {PAGE_BYTES - G_STACK + 8, PAGE_BYTES - G_STACK - 16, 4};

	c_called_by_go(PAGE_BYTES - G_STACK - 8);
	walk_stack(&w);
	assert_int_equal(w.outcome, THREAD_START);
	assert_int_equal(w.out.nr, 4);
	assert_int_equal(frame_offset(w.out.frame[2]), CALLER);
	for (u32 i = 0; i < COUNT(wrong); i++) {
		c_called_by_go(wrong[i]);
		GO_WORD(G_STACK - 16) = GO + RECORD;
		GO_WORD(G_STACK - 8) = CALLER;
		walk_stack(&w);
		assert_int_equal(w.outcome, JIT_CODE);
		assert_int_equal(w.out.nr, 2);
	}
}

/* Go that C has called by crosscall2(); CALLBACK is where cgocallback() was in the thread's stack. */
static void go_called_by_c(void)
{
	called_at(IN_CGOCALLBACK, 0x1234);
	w.machine.reg[X28] = GO + G;
	GO_WORD(G0 + 56) = GO + CALLBACK + 8;
	GO_WORD(CALLBACK) = 0x99; /* of C: crosscall2() has kept it, too */
	GO_WORD(CALLBACK + 8) = IN_CROSSCALL2;
	GO_WORD(CALLBACK + 8 + 48 + 8 * 22) = GO + RECORD;
	GO_WORD(CALLBACK + 8 + 48 + 8 * 23) = CALLER;
}

static void go_that_c_calls_leads_to_the_threads_stack(void **state)
{
	go_called_by_c();
	ASSERT_WALK(JIT_CODE, IN_CGOCALLBACK, IN_CROSSCALL2, CALLER); /* the record lies below */

	go_called_by_c();
	GO_WORD(CALLBACK + 8 + 48 + 8 * 22) = GO + OUTER + 0x100;
	GO_WORD(OUTER + 0x108) = CALLED;
	ASSERT_WALK(JIT_CODE, IN_CGOCALLBACK, IN_CROSSCALL2, CALLER, CALLED);

	go_called_by_c();
	c_frame(CALLBACK + 8 + 48 + 8 * 24);
	GO_WORD(CALLBACK + 8 + 48 + 8 * 23) = RETURN(1);
	assert_c_frames(6);

	go_called_by_c(); /* a call within a call */
	GO_WORD(CALLBACK + 8 + 16) = GO + OUTER;
	walk_stack(&w);
	assert_int_equal(w.machine.callback_sp, GO + OUTER);

	go_called_by_c();
	GO_WORD(G0 + 48) = GO + 0x600; /* not the m's */
	ASSERT_WALK(JIT_CODE, IN_CGOCALLBACK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_goroutine_begins_below_goexit),
		cmocka_unit_test(a_goroutine_does_not_end_in_another_stack),
		cmocka_unit_test(a_thread_begins_in_its_clone),
		cmocka_unit_test(go_comes_back_from_the_system_stack),
		cmocka_unit_test(behind_the_switch_the_stack_pointer_is_known),
		cmocka_unit_test(a_goroutine_that_is_not_as_it_should_be_is_not_believed),
		cmocka_unit_test(since_go_1_25_a_g_is_a_word_smaller),
		cmocka_unit_test(the_caller_of_the_scheduler_is_known_while_it_works_for_it),
		cmocka_unit_test(a_function_whose_stack_is_too_small_has_no_frame_yet),
		cmocka_unit_test(go_keeps_its_stack_pointer_around_calls_of_the_vdso),
		cmocka_unit_test(c_that_go_calls_leads_to_the_goroutine),
		cmocka_unit_test(go_that_c_calls_leads_to_the_threads_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
