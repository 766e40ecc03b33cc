/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stands: threads that wait for ever, each in a known function, whose name is the thread's: for a lock, a condition,
 * a time, input, a child, a signal, or in the handler of one.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include "victim.h"

volatile unsigned long sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, of_condition = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int ends[2], epoll, server;
static pid_t child;

KNOWN void in_mutex(void)
{
	sink += pthread_mutex_lock(&mutex);
}

KNOWN void in_condition(void)
{
	pthread_mutex_lock(&of_condition);
	sink += pthread_cond_wait(&condition, &of_condition);
}

KNOWN void in_semaphore(void)
{
	sink += sem_wait(&semaphore);
}

KNOWN void in_sleep(void)
{
	sink += nanosleep(&(struct timespec){1000000, 0}, NULL);
}

KNOWN void in_read(void)
{
	char c;

	sink += read(ends[0], &c, 1);
}

KNOWN void in_poll(void)
{
	sink += poll(NULL, 0, -1);
}

KNOWN void in_epoll(void)
{
	struct epoll_event event;

	sink += epoll_wait(epoll, &event, 1, -1);
}

KNOWN void in_accept(void)
{
	sink += accept(server, NULL, NULL);
}

KNOWN void in_wait(void)
{
	sink += waitpid(child, NULL, 0);
}

KNOWN void in_sigwait(void)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sink += sigwait(&set, &signal);
}

KNOWN void stay(int signal)
{
	sink += poll(NULL, 0, -1);
}

KNOWN void in_handler(void)
{
	sink += pthread_kill(pthread_self(), SIGUSR1);
}

static const struct stand {
	const char *name;
	void (*in)(void);
} stands[] = {
	{"in_mutex", in_mutex},	    {"in_condition", in_condition}, {"in_semaphore", in_semaphore},
	{"in_sleep", in_sleep},	    {"in_read", in_read},	    {"in_poll", in_poll},
	{"in_epoll", in_epoll},	    {"in_accept", in_accept},	    {"in_wait", in_wait},
	{"in_sigwait", in_sigwait}, {"in_handler", in_handler},
};

KNOWN void descend(int left, void (*to)(void))
{
	if (left > 1)
		descend(left - 1, to);
	else
		to();
	sink++;
}

KNOWN void *begin(void *stand)
{
	const struct stand *s = stand;

	prctl(PR_SET_NAME, s->name);
	descend(5, s->in);
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_handler = stay};
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	epoll = epoll_create1(0);
	server = socket(AF_UNIX, SOCK_STREAM, 0);
	if (sem_init(&semaphore, 0, 0) || pipe(ends) || epoll < 0 || server < 0 ||
	    bind(server, &(struct sockaddr){AF_UNIX}, sizeof(sa_family_t)) || listen(server, 1) ||
	    sigaction(SIGUSR1, &action, NULL))
		return 1;
	pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < sizeof(stands) / sizeof(stands[0]); i++)
		if (pthread_create(&thread, NULL, begin, (void *)&stands[i]))
			return 1;
	usleep(100000);
	say_ready();
	pause();
}
