/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Record the titles of processes. A process's title is read soon after its first thread has come into the profile, again a
 * second later, since servers change it when they begin to work (PostgreSQL, nginx), and at the end of the recording. When
 * its main thread changes its name, as in execve(), it is read anew, and what is found holds for the threads that come
 * later. Where the mode reports the arguments with which processes begin, by fork() or execve(), these are the title until it is
 * read, and that of a process which ends before.
 *
 * Titles of so many processes are recorded. A user has half of what the others leave at the most, so that one with many processes takes no
 * other's titles and labels away; of as many again that were not alive when they were to be read. What has none for that is counted. While the recorder takes too much CPU time they wait, and may end
 * meanwhile: that is counted, too.
 */
#pragma once
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/process/ask.h"
#include "lib/process/title.h"
#include "lib/profile/write/write.h"
#include "lib/record/cgroups.h"

#define TITLES_MAX 20000	    /* processes of which titles are recorded */
#define TITLED_MAX (3 * TITLES_MAX) /* those, as many again that have only begun, and others that are to be read */
#define BEGUN_MAX 4096	  /* processes of which the arguments are kept until their first thread is in the profile */
#define TITLES_A_LOOK 256 /* read at one time; the others wait for the next one */

/* Rows of thread from which on a title holds. */
struct titled {
	pid_t pid;
	uint32_t thread; /* number in the profile */
	uint32_t title;	 /* number of the text, plus 1; 0: none; TITLE_REFUSED */
	bool gone;	 /* it had ended when its title was to be read again */
	bool crowded;	 /* its arguments are more than the share of its user */
};

#define TITLE_REFUSED UINT32_MAX /* it is more than the share of its user */

/* The titles that are recorded, at most TITLES_MAX. */
struct title_shares {
	struct map of_user; /* uid -> how many */
	uint32_t nr;	    /* of all */
};

/* A process has begun, with @bytes bytes of arguments @text: see struct event_arguments. */
struct process_begun {
	pid_t pid;
	uid_t uid;
	bool executed;
	const char *comm, *text;
	size_t bytes;
};

/* What is kept of it. */
struct begun {
	pid_t pid;
	uid_t uid;
	char title[TITLE_BYTES];
};

/* All-zero is the state before the recording. */
struct titles {
	uint32_t next; /* the first thread of the profile that has not been seen */
	size_t read;   /* titled[] up to here have been read once */
	size_t again;  /* ... and up to here twice */
	struct map of; /* pid -> index of its last element of titled, plus 1 */
	struct vec(struct titled) titled;
	struct strings texts;
	struct title_shares alive, begun; /* titles that were read, and arguments with which processes began */
	struct begun *began;		  /* by PID modulo BEGUN_MAX; NULL: none has begun */
	uint64_t refused;		  /* how many are not, as there are too many */
	bool held;			  /* by the caller: none are read, they wait */
	size_t waited;			  /* titled[] up to here have waited so */
	uint64_t late;			  /* how many of those were read at last; others are not yet */
	struct ask_child child;		  /* that reads them */
	struct process_title answer[TITLES_AT_ONCE];
};

/* Before anything else takes memory: begin the child that reads them. */
void titles_begin(struct titles *t);

/*
 * Read the titles of processes that are new in @w's profile, and write them; with @c, unless it is NULL, also their cgroups.
 * Returns 0 or -ENOMEM.
 */
int titles_follow(struct titles *t, struct profile_writer *w, struct cgroups *c);

/*
 * Process @p has begun: the threads of it that come into @w's profile from now on have its arguments as title, and so has the last
 * one if the process has executed a program of the same name. Returns 0 or -ENOMEM.
 */
int titles_begun(struct titles *t, struct profile_writer *w, const struct process_begun *p);

/* How many processes had to wait so far. */
uint64_t titles_late(const struct titles *t);

/* Read those again that were read once, @all: those of all processes. Returns 0 or -ENOMEM. */
int titles_look_again(struct titles *t, struct profile_writer *w, struct cgroups *c, bool all);
void titles_done(struct titles *t);
