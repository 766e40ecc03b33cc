/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is what is remembered of an address space what is mapped there now? */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/vma.h"
#include "port/image.h"
#include "port/port_buffer.h"

static struct image im;
static struct modules ms;

static void set_up(void)
{
	port_reset();
	image_init(&im);
	image_fde(&im, IMAGE_CODE, 16, INSNS(0));
	image_map(&im);
	modules_reset(&ms);
	modules_distrust(&ms);
}

/* As walk.c does it. */
static struct range *at_addr(u64 addr)
{
	if (module_find(&ms, addr) && module_enter(&ms, addr))
		return NULL;
	return module_here(&ms);
}

static void anon(u64 addr)
{
	static const u8 page[PAGE_BYTES];

	port_map(addr, page, sizeof(page), (struct vma){0});
}

static void a_mapping_of_a_file_is_described(void **state)
{
	struct range *r;

	set_up();
	r = at_addr(IMAGE_CODE + 0x123);
	assert_non_null(r);
	assert_int_equal(r->kind, MODULE_ELF);
	assert_int_equal(r->start, IMAGE_CODE);
	assert_int_equal(r->end, IMAGE_CODE + 0x1000);
	assert_int_equal(IMAGE_CODE + 0x123 + r->file_off, 0x1123);
	assert_int_equal(r->bias, IMAGE_BASE);
	assert_int_equal(r->hdr, IMAGE_HDR);
	assert_int_equal(r->entry, IMAGE_BASE + 0x1f00);
	assert_int_equal(r->nr_entries, 1);
	assert_true(r->module > 0);
}

static void a_known_mapping_is_found_without_a_look_up(void **state)
{
	u32 reads;

	set_up();
	at_addr(IMAGE_CODE);
	reads = port_reads();
	ms.vma_lookups = 0;
	for (u64 addr = IMAGE_CODE; addr < IMAGE_CODE + 0x1000; addr += 0x10)
		assert_int_equal(at_addr(addr)->kind, MODULE_ELF);
	assert_int_equal(ms.vma_lookups, 0);
	assert_int_equal(port_reads(), reads);
}

static void a_file_is_read_once_for_all_processes(void **state)
{
	u32 id, reads;

	set_up();
	id = at_addr(IMAGE_CODE)->module;
	modules_reset(&ms);
	reads = port_reads();
	assert_int_equal(at_addr(IMAGE_CODE)->module, id);
	assert_int_equal(port_reads(), reads);
}

static void memory_without_a_file_is_anonymous(void **state)
{
	struct range *r;

	set_up();
	anon(0x900000);
	r = at_addr(0x900010);
	assert_int_equal(r->kind, MODULE_ANON);
	assert_int_equal(r->module, 0);
	assert_int_equal(r->file_off, 0);
	assert_null(at_addr(0x800000));
}

static void module__a_file_in_memory_that_is_no_elf_is_anonymous(void **state)
{
	static const u8 page[PAGE_BYTES];
	struct range *r;

	set_up();
	for (u8 in_memory = 0; in_memory < 2; in_memory++)
		port_map(0x900000 + in_memory * 0x1000, page, sizeof(page),
			 (struct vma){.dev = 1, .ino = 99, .offset = 0, .executable = 1, .in_memory = in_memory});
	r = at_addr(0x900010);
	assert_int_equal(r->kind, MODULE_NOT_ELF);
	assert_true(r->module > 0);
	for (int i = 0; i < 2; i++) { /* once it is learnt, and once it is known */
		r = at_addr(0x901010);
		assert_int_equal(r->kind, MODULE_ANON);
		assert_int_equal(r->module, 0);
		assert_int_equal(r->file_off, 0);
		modules_reset(&ms);
	}
}

static void module__a_program_in_memory_is_a_file(void **state)
{
	set_up();
	port_unmap(IMAGE_CODE);
	port_map(IMAGE_CODE, im.bytes + 0x1000, 0x1000,
		 (struct vma){.dev = 1, .ino = IMAGE_INO, .offset = 0x1000, .executable = 1, .in_memory = 1});
	assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_ELF);
	assert_true(module_here(&ms)->module > 0);
}

/* What the kernel says of a mapping of inode 7. */
static struct vma settled(u64 filesystem, bool shared)
{
	struct vma v = {.dev = 1, .ino = 7, .generation = 3, .filesystem = filesystem, .shared = shared};

	bool is_of_file = vma_settle(&v);

	assert_int_equal(is_of_file, v.ino != 0);
	return v;
}

static void module__memory_that_the_kernel_keeps_as_a_file_is_none(void **state)
{
	const u64 ext4 = 0xef53, tmpfs = 0x01021994, ramfs = 0x858458f6, huge = 0x958458f6;

	assert_int_equal(settled(ext4, false).ino, 7);
	assert_int_equal(settled(ext4, true).ino, 7);
	assert_int_equal(settled(ext4, true).in_memory, 0);
	assert_int_equal(settled(tmpfs, false).ino, 7);
	assert_int_equal(settled(tmpfs, false).in_memory, 1);
	assert_int_equal(settled(ramfs, false).ino, 7);
	assert_int_equal(settled(tmpfs, true).ino + settled(tmpfs, true).dev + settled(tmpfs, true).generation, 0);
	assert_int_equal(settled(ramfs, true).ino, 0);
	assert_int_equal(settled(huge, true).ino, 0);
	assert_int_equal(settled(huge, false).ino, 0);
}

static void a_file_that_is_not_executable_is_no_place_for_a_pc(void **state)
{
	set_up();
	assert_null(at_addr(IMAGE_HDR));
	assert_null(at_addr(IMAGE_HDR));
	assert_non_null(at_addr(IMAGE_CODE));
}

/* The question for the code's mapping, and then that for the tables'. */
static void a_mapping_that_was_busy_is_looked_up_again(void **state)
{
	for (u32 nth = 1; nth <= 8; nth++) {
		set_up();
		port_busy(nth, 0);
		module_find(&ms, IMAGE_CODE);
		module_enter(&ms, IMAGE_CODE);
		port_busy(0, 0);
		assert_non_null(at_addr(IMAGE_CODE));
		assert_int_equal(module_here(&ms)->kind, MODULE_ELF);
		assert_true(module_here(&ms)->module > 0);
	}
	set_up();
	port_busy(1, 0);
	assert_int_equal(module_enter(&ms, IMAGE_CODE), -EBUSY);
	assert_int_equal(module_enter(&ms, 0x800000), -ENOENT);
}

/* Somebody may be changing the mapping. What is seen of it is believed if it is what was known, and only then. */
static void a_busy_mapping_is_believed_where_it_was_known(void **state)
{
	struct vma file = {.dev = 1, .ino = IMAGE_INO, .offset = 0x2000, .executable = 1};

	set_up();
	port_busy_shows(true);
	port_busy(1, 0);
	assert_int_not_equal(module_find(&ms, IMAGE_CODE), 0);
	assert_int_equal(module_enter(&ms, IMAGE_CODE), -EBUSY); /* nothing was known */
	assert_non_null(at_addr(IMAGE_CODE));
	ms.epoch++;
	port_busy(1, 0);
	assert_non_null(at_addr(IMAGE_CODE));
	assert_int_equal(module_here(&ms)->kind, MODULE_ELF);
	ms.epoch++;
	port_reset();
	port_busy_shows(true);
	port_map(IMAGE_CODE, im.bytes + 0x1000, 0x1000, file);
	port_busy(1, 0);
	assert_int_not_equal(module_find(&ms, IMAGE_CODE), 0);
	assert_int_equal(module_enter(&ms, IMAGE_CODE), -EBUSY); /* it is somewhere else in the file now */
	port_busy_shows(false);
}

static void more_mappings_than_ranges_replace_each_other(void **state)
{
	set_up();
	for (u32 i = 0; i < 2 * NR_RANGES; i++)
		anon(0x10000000 + 0x10000 * i);
	for (int round = 0; round < 2; round++)
		for (u32 i = 0; i < 2 * NR_RANGES; i++) {
			struct range *r = at_addr(0x10000010 + 0x10000 * i);

			assert_int_equal(r->start, 0x10000000 + 0x10000 * i);
			assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_ELF);
		}
	ms.vma_lookups = 0;
	for (u32 i = NR_RANGES + 4; i < 2 * NR_RANGES; i++) /* the last ones are still known */
		at_addr(0x10000010 + 0x10000 * i);
	assert_int_equal(ms.vma_lookups, 0);
}

static void each_range_is_asked_for_once_after_a_change(void **state)
{
	u32 id;

	set_up();
	anon(0x900000);
	id = at_addr(IMAGE_CODE)->module;
	at_addr(0x900000);
	modules_distrust(&ms);
	ms.vma_lookups = ms.misses = 0;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(at_addr(IMAGE_CODE + i)->module, id);
		assert_int_equal(at_addr(0x900000 + i)->kind, MODULE_ANON);
	}
	assert_int_equal(ms.vma_lookups, 2);
	assert_int_equal(ms.misses, 0);
}

static void another_file_in_the_same_place_is_noticed(void **state)
{
	u32 id;

	set_up();
	id = at_addr(IMAGE_CODE)->module;
	port_unmap(IMAGE_CODE);
	anon(IMAGE_CODE);
	modules_distrust(&ms);
	assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_ANON);
	port_unmap(IMAGE_CODE);
	modules_distrust(&ms);
	assert_null(at_addr(IMAGE_CODE));
	port_map(IMAGE_CODE, im.bytes + 0x1000, 0x1000,
		 (struct vma){.dev = 1, .ino = IMAGE_INO, .offset = 0x1000, .executable = 1});
	modules_distrust(&ms);
	assert_int_equal(at_addr(IMAGE_CODE)->module, id);
}

static void a_mapping_that_was_split_is_noticed(void **state)
{
	struct vma file = {.dev = 1, .ino = IMAGE_INO, .offset = 0x1000, .executable = 1};

	set_up();
	port_unmap(IMAGE_CODE);
	port_map(IMAGE_CODE, im.bytes + 0x1000, 0x2000, file);
	assert_int_equal(at_addr(IMAGE_CODE + 0x800)->end, IMAGE_CODE + 0x2000);
	port_unmap(IMAGE_CODE);
	port_map(IMAGE_CODE, im.bytes + 0x1000, 0x1000, file);
	modules_distrust(&ms);
	assert_int_equal(at_addr(IMAGE_CODE + 0x800)->end, IMAGE_CODE + 0x1000);
}

static void a_second_mapping_of_the_text_alone_has_no_tables_beside_it(void **state)
{
	struct vma file = {.dev = 1, .ino = IMAGE_INO, .offset = 0x1000, .executable = 1};
	u32 id;

	set_up();
	id = at_addr(IMAGE_CODE)->module;
	port_map(0x90001000, im.bytes + 0x1000, 0x1000, file);
	assert_int_equal(at_addr(0x90001010)->kind, MODULE_NO_EH_FRAME);
	assert_int_equal(at_addr(0x90001010)->module, id);
	assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_ELF);
	anon(0x90002000); /* something else lies where the tables would be */
	modules_reset(&ms);
	assert_int_equal(at_addr(0x90001010)->kind, MODULE_NO_EH_FRAME);
}

static void sframe_is_looked_for_beside_the_text_too(void **state)
{
	struct vma file = {.dev = 1, .ino = IMAGE_INO, .offset = 0x1000, .executable = 1};
	Elf64_Phdr *ph = (Elf64_Phdr *)(im.bytes + sizeof(Elf64_Ehdr)) + 4; /* of .eh_frame_hdr */

	set_up();
	ph->p_type = 0x6474e554;
	ph->p_vaddr = 0x5000;
	im.bytes[0x3000 + 9] = 'x'; /* nor is there an .eh_frame to be found */
	assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_SFRAME);
	assert_int_equal(at_addr(IMAGE_CODE)->sframe, 0x5000);
	port_map(0x90001000, im.bytes + 0x1000, 0x1000, file);
	assert_int_equal(at_addr(0x90001010)->kind, MODULE_NO_EH_FRAME);
}

static void a_full_table_of_modules_takes_only_the_number(void **state)
{
	set_up();
	port_module_limit(0);
	assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_ELF);
	assert_int_equal(at_addr(IMAGE_CODE)->module, 0);
	assert_int_equal(at_addr(IMAGE_CODE)->hdr, IMAGE_HDR);
}

static void a_module_that_could_not_be_read_is_read_again(void **state)
{
	for (int err = -EFAULT; err <= -EACCES; err++) {
		set_up();
		port_fail_read(1, err, false);
		assert_int_equal(at_addr(IMAGE_CODE)->kind, err == -EFAULT ? MODULE_UNREADABLE : MODULE_NOT_SAFE);
		assert_int_equal(module_here(&ms)->module, 0);
		assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_ELF);
		assert_true(at_addr(IMAGE_CODE)->module > 0);
	}
}

static void a_file_whose_start_was_passed_over_is_asked_for_again(void **state)
{
	struct vma file = {.dev = 1, .ino = IMAGE_INO, .offset = 0x1000, .executable = 1};

	set_up();
	port_reset();
	port_map(IMAGE_CODE, im.bytes + 0x1000, 0x1000, file);
	assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_UNREADABLE);
	image_map(&im);
	assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_ELF);
	assert_true(at_addr(IMAGE_CODE)->module > 0);
}

static void code_of_a_segment_with_an_address_of_its_own_is_placed_by_it(void **state)
{
	Elf64_Phdr *code = (Elf64_Phdr *)(im.bytes + sizeof(Elf64_Ehdr)) + 1;
	struct vma file = {.dev = 1, .ino = IMAGE_INO, .executable = 1};
	u64 code_start = IMAGE_BASE + 0x101080;

	/* As lld does: the code's address is its offset and a megabyte, and it does not begin with a page. */
	set_up();
	code->p_offset = 0x1080;
	code->p_vaddr = 0x101080;
	code->p_filesz = 0x800;
	port_unmap(IMAGE_CODE);
	file.offset = 0x1000;
	port_map(IMAGE_BASE + 0x101000, im.bytes + 0x1000, 0x1000, file);
	assert_int_equal(at_addr(code_start)->bias, IMAGE_BASE);
	assert_int_equal(at_addr(code_start)->hdr, IMAGE_HDR);
	assert_int_equal(at_addr(code_start)->kind, MODULE_ELF);
}

/* The mapping at @addr is replaced by memory without a file. */
static struct range *moved(u64 addr, u64 len, bool executable)
{
	static const u8 code[0x2000];

	set_up();
	port_unmap(addr);
	port_map(addr, code, len, (struct vma){.executable = executable});
	return at_addr(addr + 0x123);
}

static void text_in_memory_of_its_own_at_its_own_place_is_the_files(void **state)
{
	struct range *r = moved(IMAGE_CODE, 0x1000, true);

	assert_int_equal(r->kind, MODULE_ELF);
	assert_true(r->module > 0);
	assert_int_equal(IMAGE_CODE + 0x123 + r->file_off, 0x1123);
	assert_int_equal(r->bias, IMAGE_BASE);
	assert_int_equal(r->hdr, IMAGE_HDR);
	ms.vma_lookups = 0;
	modules_distrust(&ms);
	assert_ptr_equal(at_addr(IMAGE_CODE), r); /* it is known again */
	assert_int_equal(ms.nr, 1);
	assert_int_equal(r->kind, MODULE_ELF);
}

static void code_beside_a_file_is_not_its_text(void **state)
{
	static const u8 code[0x2000];

	set_up();
	port_map(IMAGE_BASE + IMAGE_BYTES, code, 0x1000, (struct vma){.executable = 1}); /* JIT code behind a library */
	assert_int_equal(at_addr(IMAGE_BASE + IMAGE_BYTES)->kind, MODULE_ANON);
	assert_int_equal(module_here(&ms)->module, 0);
	port_map(IMAGE_BASE - 0x1000, code, 0x1000, (struct vma){.executable = 1});
	assert_int_equal(at_addr(IMAGE_BASE - 0x1000)->kind, MODULE_ANON);
	assert_int_equal(moved(IMAGE_CODE, 0x1000, false)->kind, MODULE_ANON); /* data */
	set_up();
	port_unmap(IMAGE_CODE);
	port_unmap(IMAGE_HDR);
	port_map(IMAGE_CODE, code, 0x2000, (struct vma){.executable = 1}); /* more than the segment */
	assert_int_equal(at_addr(IMAGE_CODE)->kind, MODULE_ANON);
}

static void the_vdso_is_a_module(void **state)
{
	static struct range *r;

	set_up();
	port_reset();
	port_map(0x7fff10000000, im.bytes, IMAGE_BYTES, (struct vma){.vdso = 1, .executable = 1});
	r = at_addr(0x7fff10001000);
	assert_int_equal(r->kind, MODULE_ELF);
	assert_true(r->module > 0);
	assert_int_equal(r->hdr, 0x7fff10002000);
	assert_int_equal(ms.key.ino, 1);
	assert_int_equal(ms.key.dev, 0);
}

/* Last, since numbers are given once. */
static void when_the_numbers_run_out_modules_have_none(void **state)
{
	struct vma file = {.dev = 9, .executable = 1};
	u32 last = 0, id;

	for (u32 ino = 1; ino < 0x10100; ino++) {
		port_reset();
		modules_reset(&ms);
		file.ino = ino;
		port_map(IMAGE_CODE, im.bytes + 0x1000, 0x1000, file);
		id = at_addr(IMAGE_CODE)->module;
		assert_true(id <= MAX_MODULE_ID);
		assert_true(id > last || (id == 0 && last == MAX_MODULE_ID));
		if (id)
			last = id;
	}
	assert_int_equal(last, MAX_MODULE_ID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_of_a_file_is_described),
		cmocka_unit_test(a_known_mapping_is_found_without_a_look_up),
		cmocka_unit_test(a_file_is_read_once_for_all_processes),
		cmocka_unit_test(memory_without_a_file_is_anonymous),
		cmocka_unit_test(a_file_that_is_not_executable_is_no_place_for_a_pc),
		cmocka_unit_test(a_mapping_that_was_busy_is_looked_up_again),
		cmocka_unit_test(a_busy_mapping_is_believed_where_it_was_known),
		cmocka_unit_test(more_mappings_than_ranges_replace_each_other),
		cmocka_unit_test(each_range_is_asked_for_once_after_a_change),
		cmocka_unit_test(another_file_in_the_same_place_is_noticed),
		cmocka_unit_test(a_mapping_that_was_split_is_noticed),
		cmocka_unit_test(a_second_mapping_of_the_text_alone_has_no_tables_beside_it),
		cmocka_unit_test(sframe_is_looked_for_beside_the_text_too),
		cmocka_unit_test(a_full_table_of_modules_takes_only_the_number),
		cmocka_unit_test(a_module_that_could_not_be_read_is_read_again),
		cmocka_unit_test(a_file_whose_start_was_passed_over_is_asked_for_again),
		cmocka_unit_test(code_of_a_segment_with_an_address_of_its_own_is_placed_by_it),
		cmocka_unit_test(text_in_memory_of_its_own_at_its_own_place_is_the_files),
		cmocka_unit_test(code_beside_a_file_is_not_its_text),
		cmocka_unit_test(module__a_file_in_memory_that_is_no_elf_is_anonymous),
		cmocka_unit_test(module__a_program_in_memory_is_a_file),
		cmocka_unit_test(module__memory_that_the_kernel_keeps_as_a_file_is_none),
		cmocka_unit_test(the_vdso_is_a_module),
		cmocka_unit_test(when_the_numbers_run_out_modules_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
