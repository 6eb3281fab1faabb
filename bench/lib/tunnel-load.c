// Both ends of a proxy under load: an upstream, and clients that open tunnels to it. In C, so that
// the proxy is what is measured: Node would spend more on each tunnel than some of the peers do.
//
//   tunnel-load upstream ADDRESS PORT
//   tunnel-load open   PROXY PORT AUTHORITY COUNT AT_ONCE    one JSON object: rate, set-up times
//   tunnel-load stream PROXY PORT AUTHORITY TUNNELS BYTES    one JSON object: MiB/s down
//   tunnel-load ask    PROXY PORT AUTHORITY COUNT BYTES      one JSON object: times of exchanges
//   tunnel-load hold   PROXY PORT AUTHORITY COUNT            prints "open", holds until stdin ends
//
// AUTHORITY "-" speaks to the upstream itself: the raw limit.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_FDS 65536
#define SOURCE_BYTES (1 << 20)
#define READ_BYTES (1 << 18)

static int poller;
static char buffer[READ_BYTES];

static void die(const char *what) {
	fprintf(stderr, "tunnel-load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now_ms(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

// What the kernel does for packets on behalf of who sends them is in it.
static double cpu_ms(void) {
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

static struct sockaddr_in place(const char *address, const char *port) {
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
	if (inet_pton(AF_INET, address, &at.sin_addr) != 1) die(address);
	return at;
}

static void watch(int fd, uint32_t events, int op) {
	struct epoll_event event = {.events = events, .data.fd = fd};
	if (epoll_ctl(poller, op, fd, &event) != 0) die("epoll_ctl");
}

static int socket_of(int flags) {
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | flags, 0);
	if (fd < 0 || fd >= MAX_FDS) die("socket");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return fd;
}

// ---- upstream: waits for eight bytes, how many are wanted, and sends so many.

static long long owed[MAX_FDS];
static unsigned char asked[MAX_FDS];
static int source;

static void forget(int fd) {
	owed[fd] = 0;
	asked[fd] = 0;
	close(fd);
}

static void serve(int fd, uint32_t events) {
	if (events & EPOLLIN) {
		ssize_t got = recv(fd, buffer, sizeof buffer, 0);
		if (got == 0 || (got < 0 && errno != EAGAIN)) return forget(fd);
		if (got == 8 && !asked[fd]) {
			memcpy(&owed[fd], buffer, 8);
			asked[fd] = 1;
			watch(fd, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
		}
	}
	if (events & (EPOLLERR | EPOLLHUP)) return forget(fd);
	if ((events & EPOLLOUT) && asked[fd]) {
		off_t from = 0;
		size_t want = owed[fd] < SOURCE_BYTES ? (size_t)owed[fd] : SOURCE_BYTES;
		ssize_t sent = sendfile(fd, source, &from, want);
		if (sent < 0 && errno != EAGAIN) return forget(fd);
		if (sent > 0) owed[fd] -= sent;
		if (owed[fd] == 0) {
			asked[fd] = 0;
			watch(fd, EPOLLIN, EPOLL_CTL_MOD);
		}
	}
}

static void upstream(const char *address, const char *port) {
	struct sockaddr_in at = place(address, port);
	int one = 1, listener = socket_of(SOCK_NONBLOCK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(listener, (void *)&at, sizeof at) != 0 || listen(listener, 4096) != 0) die("listen");
	source = memfd_create("source", 0);
	if (source < 0 || ftruncate(source, SOURCE_BYTES) != 0) die("memfd");
	memset(buffer, 7, sizeof buffer);
	for (int i = 0; i < SOURCE_BYTES / READ_BYTES; i++)
		if (write(source, buffer, sizeof buffer) != sizeof buffer) die("memfd");
	watch(listener, EPOLLIN, EPOLL_CTL_ADD);
	puts("listening");
	fflush(stdout);
	for (;;) {
		struct epoll_event events[256];
		int count = epoll_wait(poller, events, 256, -1);
		for (int i = 0; i < count; i++) {
			int fd = events[i].data.fd;
			if (fd != listener) {
				serve(fd, events[i].events);
				continue;
			}
			for (int client; (client = accept4(listener, 0, 0, SOCK_NONBLOCK)) >= 0;)
				watch(client, EPOLLIN, EPOLL_CTL_ADD);
		}
	}
}

// ---- clients

static struct sockaddr_in proxy;
static char request[1024];
static size_t request_length;
static double sent_at[MAX_FDS];
static int head_length[MAX_FDS];
static char status_text[MAX_FDS][13];
static int status_length[MAX_FDS];

/** Starts a connection; its request goes out once it is there. */
static int begin(void) {
	int fd = socket_of(SOCK_NONBLOCK);
	if (connect(fd, (void *)&proxy, sizeof proxy) != 0 && errno != EINPROGRESS) die("connect");
	head_length[fd] = status_length[fd] = 0;
	sent_at[fd] = 0;
	watch(fd, EPOLLOUT, EPOLL_CTL_ADD);
	return fd;
}

/** Reads the head byte by byte: what follows is the tunnel's. 1 open, 0 not yet, -1 not granted. */
static int read_head(int fd) {
	for (char byte;;) {
		ssize_t got = recv(fd, &byte, 1, 0);
		if (got < 0 && errno == EAGAIN) return 0;
		if (got <= 0) return -1;
		if (status_length[fd] < 12) status_text[fd][status_length[fd]++] = byte;
		head_length[fd] = byte == "\r\n\r\n"[head_length[fd]] ? head_length[fd] + 1 : byte == '\r';
		if (head_length[fd] == 4) return memcmp(status_text[fd] + 8, " 200", 4) == 0 ? 1 : -1;
	}
}

static int direct;

/** Advances a tunnel that isn't open yet. 1 just opened, 0 not yet, -1 failed. */
static int advance(int fd, uint32_t events) {
	if (sent_at[fd] == 0) {
		if (events & (EPOLLERR | EPOLLHUP)) return -1;
		sent_at[fd] = now_ms();
		if (direct) return 1;
		if (send(fd, request, request_length, MSG_NOSIGNAL) != (ssize_t)request_length) return -1;
		watch(fd, EPOLLIN, EPOLL_CTL_MOD);
		return 0;
	}
	return read_head(fd);
}

static int by_value(const void *a, const void *b) {
	double d = *(const double *)a - *(const double *)b;
	return d < 0 ? -1 : d > 0;
}

static void open_many(int count, int at_once) {
	double *times = calloc((size_t)count, sizeof *times);
	int begun = 0, done = 0, failed = 0;
	double started = now_ms();
	while (begun < at_once && begun < count) begin(), begun++;
	while (done + failed < count) {
		struct epoll_event events[256];
		int got = epoll_wait(poller, events, 256, 20000);
		if (got == 0) {
			failed = count - done;
			break;
		}
		for (int i = 0; i < got; i++) {
			int fd = events[i].data.fd, step = advance(fd, events[i].events);
			if (step == 0) continue;
			if (step > 0) times[done++] = now_ms() - sent_at[fd];
			else failed++;
			close(fd);
			if (begun < count) begin(), begun++;
		}
	}
	double ms = now_ms() - started;
	qsort(times, (size_t)done, sizeof *times, by_value);
	printf("{\"tunnels\":%d,\"failed\":%d,\"ms\":%.3f,\"cpuMs\":%.3f,\"p50\":%.4f,\"p99\":%.4f}\n", done,
	       failed, ms, cpu_ms(), done ? times[done / 2] : -1.0,
	       done ? times[(int)(done * 0.99)] : -1.0);
}

/** Opens so many, some at once, and leaves them open. */
static int *open_all(int count) {
	int *fds = calloc((size_t)count, sizeof *fds), begun = 0, opened = 0;
	while (begun < 32 && begun < count) begin(), begun++;
	while (opened < count) {
		struct epoll_event events[256];
		int got = epoll_wait(poller, events, 256, 20000);
		if (got == 0) errno = ETIMEDOUT, die("open");
		for (int i = 0; i < got; i++) {
			int fd = events[i].data.fd, step = advance(fd, events[i].events);
			if (step < 0) errno = ECONNREFUSED, die("tunnel refused");
			if (step == 0) continue;
			fds[opened++] = fd;
			watch(fd, 0, EPOLL_CTL_DEL);
			if (begun < count) begin(), begun++;
		}
	}
	return fds;
}

static void stream(int tunnels, long long bytes) {
	int *fds = open_all(tunnels), live = tunnels;
	long long left[MAX_FDS], each = bytes / tunnels;
	double started = now_ms();
	for (int i = 0; i < tunnels; i++) {
		left[fds[i]] = each;
		if (send(fds[i], &each, 8, MSG_NOSIGNAL) != 8) die("ask");
		watch(fds[i], EPOLLIN, EPOLL_CTL_ADD);
	}
	while (live > 0) {
		struct epoll_event events[256];
		int got = epoll_wait(poller, events, 256, 20000);
		if (got == 0) errno = ETIMEDOUT, die("stream");
		for (int i = 0; i < got; i++) {
			int fd = events[i].data.fd;
			// Taken from the kernel without being copied.
			ssize_t size = recv(fd, 0, READ_BYTES, MSG_TRUNC);
			if (size < 0 && errno == EAGAIN) continue;
			if (size <= 0) errno = size == 0 ? EPIPE : errno, die("cut");
			left[fd] -= size;
			if (left[fd] > 0) continue;
			live--;
			close(fd);
		}
	}
	double ms = now_ms() - started;
	printf("{\"tunnels\":%d,\"bytes\":%lld,\"ms\":%.3f,\"cpuMs\":%.3f}\n", tunnels, each * tunnels, ms,
	       cpu_ms());
}

/** One exchange after the other in one tunnel: eight bytes there, so many back. */
static void ask(int count, long long bytes) {
	double *times = calloc((size_t)count, sizeof *times), started = now_ms();
	int fd = open_all(1)[0];
	watch(fd, EPOLLIN, EPOLL_CTL_ADD);
	for (int i = 0; i < count; i++) {
		double sent = now_ms();
		if (send(fd, &bytes, 8, MSG_NOSIGNAL) != 8) die("ask");
		for (long long left = bytes; left > 0;) {
			struct epoll_event event;
			if (epoll_wait(poller, &event, 1, 20000) == 0) errno = ETIMEDOUT, die("ask");
			ssize_t size = recv(fd, 0, READ_BYTES, MSG_TRUNC);
			if (size < 0 && errno == EAGAIN) continue;
			if (size <= 0) errno = size == 0 ? EPIPE : errno, die("cut");
			left -= size;
		}
		times[i] = now_ms() - sent;
	}
	double ms = now_ms() - started;
	qsort(times, (size_t)count, sizeof *times, by_value);
	printf("{\"exchanges\":%d,\"ms\":%.3f,\"p50\":%.4f,\"p99\":%.4f}\n", count, ms, times[count / 2],
	       times[(int)(count * 0.99)]);
}

static void hold(int count) {
	open_all(count);
	puts("open");
	fflush(stdout);
	while (read(0, buffer, sizeof buffer) > 0) continue;
}

int main(int argc, char **argv) {
	signal(SIGPIPE, SIG_IGN);
	poller = epoll_create1(0);
	if (argc == 4 && strcmp(argv[1], "upstream") == 0) upstream(argv[2], argv[3]);
	if (argc < 6) return 2;
	proxy = place(argv[2], argv[3]);
	direct = strcmp(argv[4], "-") == 0;
	request_length = (size_t)snprintf(request, sizeof request,
	                                  "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", argv[4], argv[4]);
	if (strcmp(argv[1], "open") == 0 && argc == 7) open_many(atoi(argv[5]), atoi(argv[6]));
	else if (strcmp(argv[1], "stream") == 0 && argc == 7) stream(atoi(argv[5]), atoll(argv[6]));
	else if (strcmp(argv[1], "ask") == 0 && argc == 7) ask(atoi(argv[5]), atoll(argv[6]));
	else if (strcmp(argv[1], "hold") == 0) hold(atoi(argv[5]));
	else return 2;
	return 0;
}
