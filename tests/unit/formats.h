/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tracefs says of some events, as linux 6.18 has them, and of some that could be. */
#pragma once

#define COMMON_FIELDS(name, id)                                                        \
	"name: " name "\nID: " id "\nformat:\n"                                        \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define EXEC_FORMAT                                                            \
	COMMON_FIELDS("sched_process_exec", "365")                             \
	"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n" \
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"                 \
	"\tfield:pid_t old_pid;\toffset:16;\tsize:4;\tsigned:1;\n\n"           \
	"print fmt: \"filename=%s pid=%d old_pid=%d\", __get_str(filename), REC->pid, REC->old_pid\n"

#define OPENAT_FORMAT                                                                                                  \
	COMMON_FIELDS("sys_enter_openat", "782")                                                                       \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"                                                   \
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"                                                           \
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"                                             \
	"\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"                                                         \
	"\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n\n"                                                    \
	"print fmt: \"dfd: 0x%08lx, filename: 0x%08lx, flags: 0x%08lx, mode: 0x%08lx\", ((unsigned long)(REC->dfd)), " \
	"((unsigned long)(REC->filename)), ((unsigned long)(REC->flags)), ((unsigned long)(REC->mode))\n"

#define PAIR_FORMAT                                                                                                  \
	COMMON_FIELDS("pair", "9")                                                                                   \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"                                                   \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                                       \
	"\tfield:int state;\toffset:28;\tsize:4;\tsigned:1;\n\n"                                                     \
	"print fmt: \"comm=%s pid=%d state=%s\", REC->comm, REC->pid, __print_symbolic(REC->state, { 5, \"parent\" " \
	"}, { 6, \"child\" })\n"

#define INDEX_FORMAT                                               \
	COMMON_FIELDS("index", "11")                               \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"     \
	"\tfield:int state;\toffset:28;\tsize:4;\tsigned:1;\n\n"   \
	"print fmt: \"state=%d\", REC->comm[REC->pid]\n"

#define RELATIVE_FORMAT                                                   \
	COMMON_FIELDS("relative", "10")                                   \
	"\tfield:__rel_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n" \
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n\n"          \
	"print fmt: \"name=%s pid=%d\", __get_rel_str(name), REC->pid\n"

#define HEX_FORMAT                                                       \
	COMMON_FIELDS("hex", "11")                                       \
	"\tfield:__data_loc u8[] data;\toffset:8;\tsize:4;\tsigned:0;\n" \
	"\tfield:u32 len;\toffset:12;\tsize:4;\tsigned:0;\n\n"           \
	"print fmt: \"%s\", __print_hex(__get_dynamic_array(data), REC->len)\n"

#define STRANGE_FORMAT                                          \
	COMMON_FIELDS("strange", "12")                          \
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"   \
	"\tfield:int more;\toffset:12;\tsize:4;\tsigned:1;\n\n" \
	"print fmt: \"%d\", unheard_of_function(REC->pid)\n"
