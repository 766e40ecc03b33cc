/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The image of a kernel, as far as names go: code at the top of the address space that begins with _text. */
extern int memory;
int vfs_fixture(int x);
void _start(void);

__asm__(".globl _text\n_text:\n.fill 64, 1, 0x90\n");

static inline __attribute__((always_inline)) int inlined(int x)
{
	return x * memory;
}

__attribute__((noinline)) int vfs_fixture(int x)
{
	return inlined(x) + 1;
}

int memory = 7;

void _start(void)
{
	memory = vfs_fixture(memory);
}
