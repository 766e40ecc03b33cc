/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that a dynamic linker runs, as in `/lib64/ld-linux-x86-64.so.2 PROGRAM`: for the kernel, that is the linker. */
#pragma once
#include <stddef.h>
#include <sys/types.h>

/*
 * Which of the @len bytes of arguments @args, with a 0 byte behind each, names the program that a dynamic linker runs? Returns
 * NULL if there is none.
 */
const char *loader_argument(const char *args, size_t len);

/*
 * Open the program of @pid, as O_PATH: that which the dynamic linker runs, if /proc/PID/exe is one; then its name goes to @name of
 * @size bytes, which else becomes "". Returns a descriptor or a negative errno. It may wait.
 */
int loader_open_program(pid_t pid, const char *args, size_t len, char *name, size_t size);
