/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program with a function that is exported and one that is not, for test_symbolize.c to take apart. */
int fixture_outer(int x);

__attribute__((noinline)) static int fixture_inner(int x)
{
	__asm__ volatile("");
	return x * 7 + 1;
}

__attribute__((noinline)) int fixture_outer(int x)
{
	return fixture_inner(x) + fixture_inner(x + 1);
}

int main(int argc, char **argv)
{
	(void)argv;
	return fixture_outer(argc);
}
