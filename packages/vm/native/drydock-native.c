/*
 * What Node cannot do, in one small file. See docs/threat-model.md: the host half is part of the
 * trusted computing base; the guest half runs inside the lab and is not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- host section: sealed memfd, namespaces, credentials, parent-death signal, exec ---- */

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <grp.h>

/*
 * `run`: everything between fork and exec that Node cannot do, in the one order that is safe:
 * join the cgroups (so that the process can be found and killed from here on), limits,
 * namespaces, root, credentials, and last the parent-death signal, which the kernel clears
 * whenever credentials change (prctl(2)). It knows nothing of QEMU, Node or git.
 *
 * The caller passes `--status FD`, the write end of a pipe. It closes without a byte when the
 * program has been executed; otherwise it carries one line naming the step that failed.
 */

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

enum { MAX_STEPS = 256, MAX_KEEP = 64, SETUP_FAILED = 125 };

enum step_kind {
  STEP_RO, STEP_RW, STEP_TMPFS, STEP_LINK, STEP_DIR, STEP_DEV, STEP_DEVICE, STEP_PROC, STEP_FDS
};

struct step {
  enum step_kind kind;
  const char *source;
  const char *target;
};

struct listener {
  int number;
  gid_t group;
  const char *path;
};

struct limit {
  int resource;
  rlim_t value;
};

struct launch {
  int unshare;
  const char *root;
  struct step steps[MAX_STEPS];
  int step_count;
  const char *cgroups[MAX_STEPS];
  int cgroup_count;
  struct limit limits[16];
  int limit_count;
  struct listener listeners[MAX_KEEP];
  int listener_count;
  int keep[MAX_KEEP];
  int keep_count;
  char *environment[MAX_STEPS];
  int environment_count;
  int sealed_fd;
  off_t sealed_size;
  bool change_ids;
  uid_t uid;
  gid_t gid;
  bool ambient_dac_read_search;
  bool session;
  bool die_with_parent;
  pid_t parent;
  mode_t mask;
  const char *directory;
  char **program;
};

static int status_fd = -1;

__attribute__((noreturn, format(printf, 1, 2))) static void give_up(const char *format, ...) {
  int saved = errno;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  int used = vsnprintf(line, sizeof line - 128, format, arguments);
  va_end(arguments);
  if (used < 0) used = 0;
  if ((size_t)used > sizeof line - 129) used = (int)sizeof line - 129;
  used += snprintf(line + used, sizeof line - (size_t)used, "%s%s\n", saved ? ": " : "",
                   saved ? strerror(saved) : "");
  int out = status_fd >= 0 ? status_fd : STDERR_FILENO;
  if (write(out, line, (size_t)used) < 0) _exit(SETUP_FAILED);
  _exit(SETUP_FAILED);
}

__attribute__((noreturn)) static void refuse_usage(const char *what, const char *value) {
  errno = 0;
  give_up("usage: %s '%s'", what, value);
}

static unsigned long long parse_number(const char *text, unsigned long long maximum) {
  char *end = NULL;
  errno = 0;
  if (*text < '0' || *text > '9') refuse_usage("not a number", text);
  unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || *end != '\0' || value > maximum) refuse_usage("number out of range", text);
  return value;
}

static int parse_namespaces(const char *list) {
  static const struct { const char *name; int flag; } known[] = {
      {"mnt", CLONE_NEWNS}, {"net", CLONE_NEWNET}, {"ipc", CLONE_NEWIPC},
      {"uts", CLONE_NEWUTS}, {"pid", CLONE_NEWPID}};
  int flags = 0;
  char copy[64];
  if (strlen(list) >= sizeof copy) refuse_usage("too many namespaces", list);
  strcpy(copy, list);
  for (char *rest = copy, *name; (name = strsep(&rest, ",")) != NULL;) {
    int flag = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      if (strcmp(name, known[i].name) == 0) flag = known[i].flag;
    if (flag == 0) refuse_usage("unknown namespace", name);
    flags |= flag;
  }
  return flags;
}

static struct limit parse_limit(char *text) {
  static const struct { const char *name; int resource; } known[] = {
      {"as", RLIMIT_AS},         {"core", RLIMIT_CORE},       {"cpu", RLIMIT_CPU},
      {"fsize", RLIMIT_FSIZE},   {"memlock", RLIMIT_MEMLOCK}, {"nofile", RLIMIT_NOFILE},
      {"nproc", RLIMIT_NPROC}};
  char *equals = strchr(text, '=');
  if (equals == NULL) refuse_usage("limit needs NAME=VALUE", text);
  *equals = '\0';
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(text, known[i].name) == 0)
      return (struct limit){known[i].resource, (rlim_t)parse_number(equals + 1, LLONG_MAX)};
  refuse_usage("unknown limit", text);
}

static void add_step(struct launch *launch, enum step_kind kind, const char *source,
                     const char *target) {
  if (launch->step_count == MAX_STEPS) refuse_usage("too many mounts at", target);
  if (target[0] != '/' || strstr(target, "/../") != NULL) refuse_usage("bad mount target", target);
  launch->steps[launch->step_count++] = (struct step){kind, source, target};
}

static void parse_launch(int argc, char **argv, struct launch *launch) {
  int i = 2;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *option = argv[i];
    int left = argc - i - 1;
    bool pair = !strcmp(option, "--ro") || !strcmp(option, "--rw") || !strcmp(option, "--tmpfs") ||
                !strcmp(option, "--link") || !strcmp(option, "--sealed-memfd");
    bool triple = !strcmp(option, "--listen");
    bool flag = !strcmp(option, "--dev") || !strcmp(option, "--proc") || !strcmp(option, "--fds") ||
                !strcmp(option, "--session") || !strcmp(option, "--ambient-dac-read-search");
    int taken = triple ? 3 : pair ? 2 : flag ? 0 : 1;
    if (left < taken) refuse_usage("missing value after", option);
    char *first = taken >= 1 ? argv[i + 1] : NULL;
    char *second = taken >= 2 ? argv[i + 2] : NULL;
    char *third = taken >= 3 ? argv[i + 3] : NULL;
    i += taken;
    if (!strcmp(option, "--unshare")) launch->unshare |= parse_namespaces(first);
    else if (!strcmp(option, "--root")) launch->root = first;
    else if (!strcmp(option, "--ro")) add_step(launch, STEP_RO, first, second);
    else if (!strcmp(option, "--rw")) add_step(launch, STEP_RW, first, second);
    else if (!strcmp(option, "--tmpfs")) {
      parse_number(second, LLONG_MAX);
      add_step(launch, STEP_TMPFS, second, first);
    } else if (!strcmp(option, "--link")) add_step(launch, STEP_LINK, first, second);
    else if (!strcmp(option, "--dir")) add_step(launch, STEP_DIR, NULL, first);
    else if (!strcmp(option, "--dev")) add_step(launch, STEP_DEV, NULL, "/dev");
    else if (!strcmp(option, "--device")) add_step(launch, STEP_DEVICE, first, "/dev");
    else if (!strcmp(option, "--proc")) add_step(launch, STEP_PROC, NULL, "/proc");
    else if (!strcmp(option, "--fds")) add_step(launch, STEP_FDS, NULL, "/fds");
    else if (!strcmp(option, "--cgroup")) {
      if (launch->cgroup_count == MAX_STEPS) refuse_usage("too many cgroups at", first);
      launch->cgroups[launch->cgroup_count++] = first;
    } else if (!strcmp(option, "--limit")) {
      if (launch->limit_count == 16) refuse_usage("too many limits at", first);
      launch->limits[launch->limit_count++] = parse_limit(first);
    } else if (!strcmp(option, "--keep")) {
      if (launch->keep_count == MAX_KEEP) refuse_usage("too many kept descriptors at", first);
      launch->keep[launch->keep_count++] = (int)parse_number(first, 1023);
    } else if (!strcmp(option, "--listen")) {
      if (launch->listener_count == MAX_KEEP) refuse_usage("too many listeners at", third);
      launch->listeners[launch->listener_count++] =
          (struct listener){(int)parse_number(first, 1023),
                            (gid_t)parse_number(second, UINT_MAX - 1), third};
    } else if (!strcmp(option, "--sealed-memfd")) {
      launch->sealed_fd = (int)parse_number(first, 1023);
      launch->sealed_size = (off_t)parse_number(second, LLONG_MAX);
    } else if (!strcmp(option, "--env")) {
      if (launch->environment_count == MAX_STEPS - 1) refuse_usage("environment too long", first);
      launch->environment[launch->environment_count++] = first;
    } else if (!strcmp(option, "--uid")) {
      launch->uid = (uid_t)parse_number(first, UINT_MAX - 1);
      launch->change_ids = true;
    } else if (!strcmp(option, "--gid")) launch->gid = (gid_t)parse_number(first, UINT_MAX - 1);
    else if (!strcmp(option, "--ambient-dac-read-search")) launch->ambient_dac_read_search = true;
    else if (!strcmp(option, "--session")) launch->session = true;
    else if (!strcmp(option, "--die-with-parent")) {
      launch->die_with_parent = true;
      launch->parent = (pid_t)parse_number(first, INT_MAX);
    } else if (!strcmp(option, "--umask")) launch->mask = (mode_t)parse_number(first, 0777);
    else if (!strcmp(option, "--cwd")) launch->directory = first;
    else if (!strcmp(option, "--status")) status_fd = (int)parse_number(first, 1023);
    else refuse_usage("unknown option", option);
  }
  if (i + 1 >= argc) refuse_usage("no program after", "--");
  launch->program = argv + i + 1;
  if (launch->program[0][0] != '/') refuse_usage("program path is not absolute", launch->program[0]);
  if ((launch->root != NULL || launch->step_count > 0) && !(launch->unshare & CLONE_NEWNS))
    refuse_usage("mounts need", "--unshare mnt");
  for (int n = 0; n < launch->step_count && launch->root == NULL; n++)
    if (launch->steps[n].kind == STEP_LINK || launch->steps[n].kind == STEP_DIR)
      refuse_usage("without --root nothing is created, not even", launch->steps[n].target);
  if (launch->change_ids && (launch->uid == 0 || launch->gid == 0))
    refuse_usage("an unprivileged launch needs both", "--uid and --gid, neither 0");
}

static void join_cgroups(const struct launch *launch) {
  for (int i = 0; i < launch->cgroup_count; i++) {
    int file = open(launch->cgroups[i], O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "0", 1) != 1) give_up("cgroup %s", launch->cgroups[i]);
    close(file);
  }
}

static void set_limits(const struct launch *launch) {
  for (int i = 0; i < launch->limit_count; i++) {
    struct rlimit both = {launch->limits[i].value, launch->limits[i].value};
    if (setrlimit(launch->limits[i].resource, &both) != 0)
      give_up("rlimit %d", launch->limits[i].resource);
  }
}

static void make_directories(const char *path) {
  char copy[PATH_MAX];
  if (strlen(path) >= sizeof copy) give_up("path too long: %s", path);
  strcpy(copy, path);
  for (char *at = copy + 1;; at++) {
    if (*at != '/' && *at != '\0') continue;
    char saved = *at;
    *at = '\0';
    if (mkdir(copy, 0755) != 0 && errno != EEXIST) give_up("mkdir %s", copy);
    *at = saved;
    if (saved == '\0') return;
  }
}

static void make_parent(const char *path) {
  char copy[PATH_MAX];
  if (strlen(path) >= sizeof copy) give_up("path too long: %s", path);
  strcpy(copy, path);
  char *slash = strrchr(copy, '/');
  if (slash == copy) return;
  *slash = '\0';
  make_directories(copy);
}

/* With no private root the target has to exist: nothing is created in the host's own tree. */
static void bind_mount(const char *source, const char *target, unsigned long flags, bool create) {
  /* The last component of a source is never followed: a link there would be someone's choice. */
  int from = open(source, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (from < 0 || fstat(from, &status) != 0) give_up("bind source %s", source);
  errno = 0;
  if (S_ISLNK(status.st_mode)) give_up("bind source %s is a symbolic link", source);
  if (create && S_ISDIR(status.st_mode)) make_directories(target);
  else if (create) {
    make_parent(target);
    int placeholder = open(target, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (placeholder < 0) give_up("bind target %s", target);
    close(placeholder);
  }
  char by_fd[64];
  snprintf(by_fd, sizeof by_fd, "/proc/self/fd/%d", from);
  if (mount(by_fd, target, NULL, MS_BIND, NULL) != 0) give_up("bind %s on %s", source, target);
  if (mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | flags, NULL) != 0)
    give_up("bind flags of %s", target);
  close(from);
}

/* A node of our own, not a bind: its owner and mode are ours, whatever udev made of the host's. */
static void make_device(const struct launch *launch, const char *root, const char *name,
                        mode_t mode) {
  char source[64], target[PATH_MAX];
  struct stat status;
  if (snprintf(source, sizeof source, "/dev/%s", name) >= (int)sizeof source ||
      strchr(name, '/') != NULL || stat(source, &status) != 0 || !S_ISCHR(status.st_mode))
    give_up("device %s", name);
  snprintf(target, sizeof target, "%s/dev/.new/%s", root, name);
  if (mknod(target, S_IFCHR | mode, status.st_rdev) != 0 || chmod(target, mode) != 0 ||
      chown(target, launch->uid, launch->gid) != 0)
    give_up("device node %s", target);
}

/* The source is looked up in the host's /dev, so the new one is built beside and moved over it. */
static void make_devices(const struct launch *launch, const char *root, bool create) {
  char dev[PATH_MAX], fresh[PATH_MAX];
  snprintf(dev, sizeof dev, "%s/dev", root);
  snprintf(fresh, sizeof fresh, "%s/dev/.new", root);
  if (create) make_directories(fresh);
  if (mount("drydock", fresh, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755,size=64k,nr_inodes=64"))
    give_up("tmpfs on %s", fresh);
  make_device(launch, root, "null", 0666);
  make_device(launch, root, "zero", 0666);
  make_device(launch, root, "urandom", 0666);
  for (int i = 0; i < launch->step_count; i++)
    if (launch->steps[i].kind == STEP_DEVICE)
      make_device(launch, root, launch->steps[i].source, 0600);
  if (mount(NULL, fresh, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC, NULL) ||
      mount(fresh, dev, NULL, MS_MOVE, NULL) != 0)
    give_up("devices on %s", dev);
}

static void build_mounts(const struct launch *launch) {
  if (!(launch->unshare & CLONE_NEWNS)) return;
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) give_up("make mounts private");
  bool private_root = launch->root != NULL;
  const char *root = private_root ? launch->root : "";
  if (private_root && mount("drydock", root, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                            "mode=0755,size=1m,nr_inodes=4096") != 0)
    give_up("private root at %s", root);
  for (int i = 0; i < launch->step_count; i++) {
    const struct step *step = &launch->steps[i];
    char target[PATH_MAX];
    if (snprintf(target, sizeof target, "%s%s", root, step->target) >= (int)sizeof target)
      give_up("path too long: %s", step->target);
    char option[64];
    switch (step->kind) {
      case STEP_RO:
        bind_mount(step->source, target, MS_RDONLY | MS_NOSUID | MS_NODEV, private_root);
        break;
      case STEP_RW:
        bind_mount(step->source, target, MS_NOSUID | MS_NODEV | MS_NOEXEC, private_root);
        break;
      case STEP_TMPFS:
        if (private_root) make_directories(target);
        snprintf(option, sizeof option, "mode=1777,size=%s", step->source);
        if (mount("drydock", target, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, option) != 0)
          give_up("tmpfs on %s", target);
        break;
      case STEP_LINK:
        if (private_root) make_parent(target);
        if (symlink(step->source, target) != 0) give_up("link %s", target);
        break;
      case STEP_DIR:
        make_directories(target);
        break;
      case STEP_DEV:
        make_devices(launch, root, private_root);
        break;
      case STEP_DEVICE:
        break; /* made together with STEP_DEV */
      case STEP_PROC:
        if (private_root) make_directories(target);
        if (mount("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                  "hidepid=invisible,subset=pid") != 0)
          give_up("proc on %s", target);
        break;
      case STEP_FDS:
        /* Its own descriptors and nothing else of /proc: enough to open a passed memfd by name. */
        bind_mount("/proc/self/fd", target, MS_NOSUID | MS_NODEV | MS_NOEXEC, private_root);
        break;
    }
  }
  if (!private_root) return;
  /* pivot_root(".", ".") stacks the old root on the new one; see pivot_root(2), NOTES. */
  if (chdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) give_up("pivot_root");
  if (umount2(".", MNT_DETACH) != 0) give_up("leave the old root");
  if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
            NULL) != 0)
    give_up("seal the private root");
  if (chdir("/") != 0) give_up("chdir /");
}

static void require_sealed(const struct launch *launch) {
  if (launch->sealed_fd < 0) return;
  const int wanted = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  struct stat status;
  int seals = fcntl(launch->sealed_fd, F_GET_SEALS);
  if (seals < 0 || fstat(launch->sealed_fd, &status) != 0) give_up("golden memory: not a memfd");
  errno = 0;
  if ((seals & wanted) != wanted) give_up("golden memory: not sealed (0x%x)", (unsigned)seals);
  if (status.st_size != launch->sealed_size) give_up("golden memory: wrong size");
}

/*
 * A socket made here belongs to root: the program gets a listening descriptor and needs neither a
 * writable directory nor a name for it, and whoever waits for exec can connect without polling.
 */
static void open_listeners(const struct launch *launch) {
  for (int i = 0; i < launch->listener_count; i++) {
    const struct listener *wanted = &launch->listeners[i];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(wanted->path) >= sizeof address.sun_path) refuse_usage("path too long", wanted->path);
    strcpy(address.sun_path, wanted->path);
    if (fcntl(wanted->number, F_GETFD) >= 0) refuse_usage("descriptor in use for", wanted->path);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0 || bind(made, (struct sockaddr *)&address, sizeof address) != 0 ||
        chown(wanted->path, 0, wanted->group) != 0 || chmod(wanted->path, 0660) != 0 ||
        listen(made, 1) != 0 || dup3(made, wanted->number, O_CLOEXEC) < 0)
      give_up("listen on %s", wanted->path);
    close(made);
  }
}

/* The listed descriptors survive exec; every other one is closed by the kernel at exec. */
static void keep_only_listed(const struct launch *launch) {
  if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) give_up("close_range");
  for (int i = 0; i < launch->keep_count; i++)
    if (fcntl(launch->keep[i], F_SETFD, 0) != 0) give_up("keep descriptor %d", launch->keep[i]);
  for (int i = 0; i < launch->listener_count; i++)
    if (fcntl(launch->listeners[i].number, F_SETFD, 0) != 0) give_up("keep listener %d", i);
}

static void drop_bounding_set(uint64_t retained) {
  for (int capability = 0; capability < 64; capability++) {
    int present = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
    if (present < 0) return; /* beyond the kernel's last capability */
    if (present == 1 && !(retained >> capability & 1) &&
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
      give_up("bounding set, capability %d", capability);
  }
}

static void set_capabilities(uint64_t wanted) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  for (int i = 0; i < 2; i++) {
    uint32_t half = (uint32_t)(wanted >> (32 * i));
    data[i] = (struct __user_cap_data_struct){half, half, half};
  }
  if (syscall(SYS_capset, &header, data) != 0) give_up("capset");
  for (int capability = 0; capability < 64; capability++)
    if (wanted >> capability & 1 &&
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0)
      give_up("ambient capability %d", capability);
}

static void drop_credentials(const struct launch *launch) {
  if (!launch->change_ids) return;
  uint64_t retained = launch->ambient_dac_read_search ? 1ULL << CAP_DAC_READ_SEARCH : 0;
  drop_bounding_set(retained);
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) give_up("keepcaps");
  if (setgroups(0, NULL) != 0) give_up("setgroups");
  if (setresgid(launch->gid, launch->gid, launch->gid) != 0) give_up("setresgid");
  if (setresuid(launch->uid, launch->uid, launch->uid) != 0) give_up("setresuid");
  set_capabilities(retained);
}

static void tie_to_parent(const struct launch *launch) {
  if (!launch->die_with_parent) return;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) give_up("parent-death signal");
  errno = 0;
  /* The parent may have died before the signal was set. */
  if (getppid() != launch->parent) give_up("parent %d is gone", (int)launch->parent);
}

static int supervisor_pipe = -1;

/*
 * Only a child enters a new PID namespace, so a supervisor stays: it holds one end of a pipe, dies
 * with the parent, and the namespace (hence every descendant) dies with its child.
 */
static void enter_pid_namespace(const struct launch *launch) {
  if (!(launch->unshare & CLONE_NEWPID)) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) give_up("pipe");
  pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    close(ends[1]);
    supervisor_pipe = ends[0];
    return;
  }
  unsigned held = (unsigned)ends[1];
  if (syscall(SYS_close_range, 0U, held - 1, 0U) != 0 ||
      syscall(SYS_close_range, held + 1, ~0U, 0U) != 0)
    _exit(SETUP_FAILED);
  status_fd = -1;
  tie_to_parent(launch);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) _exit(SETUP_FAILED);
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : SETUP_FAILED);
}

/* Whoever should take this process along may have died before the signal was set: look again. */
static void tie_to_supervisor(void) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) give_up("parent-death signal");
  struct pollfd closed = {supervisor_pipe, POLLIN, 0};
  int gone = poll(&closed, 1, 0);
  errno = 0;
  if (gone != 0) give_up("supervisor is gone");
}

static int run_mode(int argc, char **argv) {
  static struct launch launch = {.sealed_fd = -1, .mask = 077};
  parse_launch(argc, argv, &launch);
  if (status_fd >= 0 && fcntl(status_fd, F_SETFD, FD_CLOEXEC) != 0) give_up("status descriptor");
  join_cgroups(&launch);
  set_limits(&launch);
  open_listeners(&launch);
  if (launch.session && setsid() < 0) give_up("setsid");
  if (launch.unshare != 0 && unshare(launch.unshare) != 0) give_up("unshare");
  enter_pid_namespace(&launch);
  /* What is made for the program has to let its user in, whatever umask the caller has. */
  umask(022);
  build_mounts(&launch);
  require_sealed(&launch);
  if (launch.directory != NULL && chdir(launch.directory) != 0)
    give_up("chdir %s", launch.directory);
  umask(launch.mask);
  drop_credentials(&launch);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("no_new_privs");
  keep_only_listed(&launch);
  if (launch.unshare & CLONE_NEWPID) tie_to_supervisor();
  else tie_to_parent(&launch);
  execve(launch.program[0], launch.program, launch.environment);
  give_up("exec %s", launch.program[0]);
}

/*
 * `keep SIZE REGISTRY IDLE_SECONDS`: holds golden memory. Announces the descriptor of an empty
 * memfd of SIZE bytes, waits until the caller has filled it through /proc/<pid>/fd and written
 * "seal", seals it for ever, and then only exists, so that later runs can open the same memory.
 * It leaves when REGISTRY has not been touched for IDLE_SECONDS, or soon after it is gone.
 */
enum { KEEPER_LOOKS_SECONDS = 30 };

static int keep_mode(int argc, char **argv) {
  if (argc != 5) refuse_usage("keep needs", "SIZE REGISTRY IDLE_SECONDS");
  off_t size = (off_t)parse_number(argv[2], LLONG_MAX);
  const char *registry = argv[3];
  time_t idle = (time_t)parse_number(argv[4], 86400);
  int memory = memfd_create("drydock-golden", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0 || ftruncate(memory, size) != 0) give_up("golden memory");
  if (setsid() < 0 && errno != EPERM) give_up("setsid");
  if (chdir("/") != 0) give_up("chdir /");
  if (dprintf(STDOUT_FILENO, "memory %d\n", memory) < 0) give_up("announce");
  char order[5];
  for (size_t got = 0; got < sizeof order;) {
    ssize_t n = read(STDIN_FILENO, order + got, sizeof order - got);
    if (n <= 0) return 1; /* the builder gave up: the memory goes with us */
    got += (size_t)n;
  }
  if (memcmp(order, "seal\n", sizeof order) != 0) refuse_usage("expected", "seal");
  if (fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    give_up("seal golden memory");
  if (dprintf(STDOUT_FILENO, "sealed\n") < 0) give_up("announce");
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) give_up("/dev/null");
  for (int standard = 0; standard < 3; standard++)
    if (dup2(nowhere, standard) < 0) give_up("detach");
  close(nowhere);
  /* The registry file is written right after "sealed": give the builder one period of grace. */
  time_t used = time(NULL);
  for (;;) {
    time_t now = time(NULL);
    if (now - used >= idle) return 0;
    time_t left = idle - (now - used);
    sleep((unsigned)(left < KEEPER_LOOKS_SECONDS ? left : KEEPER_LOOKS_SECONDS));
    struct stat status;
    if (stat(registry, &status) != 0) return 0;
    if (status.st_mtime > used) used = status.st_mtime;
  }
}

/* ---- host section: the reaper's wait ---- */

/*
 * `reap --within MS --watch FD... -- PROGRAM ARG...`: waits, and does nothing else, so that a live
 * run costs no second Node. On each watched socket a line `D <ms>` sets the run's deadline afresh
 * and `Q` says that whoever is at its other end needs no reaper any more; both are answered `ok`.
 * The wait ends for good when all have said `Q`. A socket that closes before, a line that is none,
 * or the deadline executes PROGRAM, which removes the run. MS is the deadline until the first `D`.
 * The sockets stay open in PROGRAM: their close tells the other ends that the removal is over.
 */
enum { MAX_WATCHED = 8, MAX_REAP_LINE = 32 };

/* A limit against nonsense, far above any run's: ten days. */
static const long long MAX_REAP_WAIT_MS = 10LL * 24 * 3600 * 1000;

struct watched {
  int fd;
  bool done;
  char line[MAX_REAP_LINE];
  size_t used;
};

/* Counts while the machine sleeps: a deadline is about the world, not about our processor. */
static long long reap_now(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) give_up("clock");
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* False: the line is none of the two, or its sender doesn't read the answers. */
static bool reap_line(struct watched *watched, long long *deadline) {
  const char *line = watched->line;
  /* A NUL inside would make C see a shorter line than was sent. */
  if (strlen(line) != watched->used) return false;
  if (strcmp(line, "Q") == 0) {
    watched->done = true;
  } else {
    if (line[0] != 'D' || line[1] != ' ' || !isdigit((unsigned char)line[2])) return false;
    char *end = NULL;
    errno = 0;
    long long wait = strtoll(line + 2, &end, 10);
    if (errno != 0 || *end != '\0' || wait > MAX_REAP_WAIT_MS) return false;
    *deadline = reap_now() + wait;
  }
  return write(watched->fd, "ok\n", 3) == 3 || watched->done;
}

/* False: this socket's other end is gone without a good-bye, or talks nonsense. */
static bool reap_read(struct watched *watched, long long *deadline) {
  char bytes[256];
  ssize_t count = read(watched->fd, bytes, sizeof bytes);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  for (ssize_t i = 0; i < count && !watched->done; i++) {
    if (bytes[i] != '\n') {
      if (watched->used + 1 >= sizeof watched->line) return false;
      watched->line[watched->used++] = bytes[i];
      continue;
    }
    watched->line[watched->used] = '\0';
    if (!reap_line(watched, deadline)) return false;
    watched->used = 0;
  }
  return true;
}

/* Waits until there is a reason to act (true), or none ever again (false). */
static bool reap_wait(struct watched *watched, nfds_t count, long long deadline) {
  for (;;) {
    struct pollfd polled[MAX_WATCHED];
    bool all_done = true;
    for (nfds_t k = 0; k < count; k++) {
      polled[k] = (struct pollfd){watched[k].done ? -1 : watched[k].fd, POLLIN, 0};
      all_done = all_done && watched[k].done;
    }
    if (all_done) return false;
    long long left = deadline - reap_now();
    if (left <= 0) return true;
    int ready = poll(polled, count, left > 60000 ? 60000 : (int)left);
    if (ready < 0 && errno != EINTR) return true;
    for (nfds_t k = 0; ready > 0 && k < count; k++)
      if (polled[k].revents != 0 && !reap_read(&watched[k], &deadline)) return true;
  }
}

static int reap_mode(int argc, char **argv) {
  static const char usage[] = "--within MS --watch FD... -- PROGRAM";
  struct watched watched[MAX_WATCHED];
  nfds_t count = 0;
  int i = 2;
  if (i + 1 >= argc || strcmp(argv[i], "--within") != 0) refuse_usage("reap needs", usage);
  long long deadline =
      reap_now() + (long long)parse_number(argv[i + 1], (unsigned long long)MAX_REAP_WAIT_MS);
  for (i += 2; i + 1 < argc && strcmp(argv[i], "--watch") == 0; i += 2) {
    if (count == MAX_WATCHED) refuse_usage("too many descriptors at", argv[i + 1]);
    int fd = (int)parse_number(argv[i + 1], 1023);
    watched[count++] = (struct watched){.fd = fd};
    /* An answer that nobody reads must not keep the deadline from being looked at. */
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
      refuse_usage("no such descriptor", argv[i + 1]);
  }
  if (count == 0 || i + 1 >= argc || strcmp(argv[i], "--") != 0)
    refuse_usage("reap needs", usage);
  /* The terminal's signals are for the launcher; the reaper acts on what becomes of the others. */
  if (setsid() < 0 && errno != EPERM) give_up("setsid");
  signal(SIGPIPE, SIG_IGN);
  if (!reap_wait(watched, count, deadline)) return 0;
  execve(argv[i + 1], argv + i + 1, environ);
  give_up("cannot execute %s", argv[i + 1]);
}

/* ---- guest section: init, reseed, clock, limits, pseudo-terminals ---- */

#include <dirent.h>
#include <linux/openat2.h>
#include <linux/random.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>

/*
 * Four modes, all inside the virtual machine, where nothing is trusted:
 *   init          process 1: modules, disks, the agent; ends the guest when the agent ends
 *   guest-relay   a virtio-serial port on one side, a socket of the agent on the other
 *   guest-setup   reseed, clock and mounts after a restore, in one process that already runs
 *   guest-spawn   one command: namespace, user, limits, terminal, exact exit status
 * The last three are started before the golden snapshot and wait for one message on descriptor 0
 * or 3, because starting a process from Node costs tens of milliseconds under emulation.
 * A message is a u32 (little-endian) byte count, then NUL-terminated strings.
 */

enum {
  GUEST_MESSAGE_LIMIT = 1 << 20,    /* arguments and environment of one command */
  GUEST_STRINGS_LIMIT = 8192,       /* strings in one message */
  GUEST_PIPE_BYTES = 256 * 1024,    /* fewer switches between command and agent while it prints */
  GUEST_RELAY_BYTES = 64 * 1024,    /* one bulk frame */
  GUEST_PORT_SEGMENT = 4096,        /* the port driver hands out one page a read */
  GUEST_WARM_BYTES = 8 * 1024 * 1024, /* a file worth keeping in every clone's page cache */
  GUEST_HOST_POLL_NS = 2000000,     /* how often to look for a host end that is not connected */
};

/* Not from linux/fs.h, which cannot be included beside sys/mount.h in glibc 2.36. */
#define GUEST_BLKFLSBUF _IO(0x12, 97)
#define GUEST_CGROUP "/sys/fs/cgroup/cmd"

static bool guest_verbose;

static void guest_say(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  if ((size_t)length > sizeof line - 2) length = sizeof line - 2;
  line[length++] = '\n';
  int console = open("/dev/console", O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (console < 0) return;
  if (write(console, line, (size_t)length) < 0) { /* nobody left to tell */ }
  close(console);
}

static void guest_trace(const char *step) {
  if (!guest_verbose) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  guest_say("drydock-init: %lld.%03ld %s", (long long)now.tv_sec, now.tv_nsec / 1000000, step);
}

static bool guest_write_all(int fd, const void *data, size_t length) {
  const char *at = data;
  while (length > 0) {
    ssize_t done = write(fd, at, length);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    length -= (size_t)done;
  }
  return true;
}

static bool guest_read_all(int fd, void *data, size_t length) {
  char *at = data;
  while (length > 0) {
    ssize_t done = read(fd, at, length);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    length -= (size_t)done;
  }
  return true;
}

static bool guest_write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool written = guest_write_all(fd, text, strlen(text));
  int problem = errno;
  close(fd);
  errno = problem;
  return written;
}

/* The file's first line, as text. */
static bool guest_read_file(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t length = read(fd, text, size - 1);
  close(fd);
  if (length < 0) return false;
  text[length] = '\0';
  text[strcspn(text, "\n")] = '\0';
  return true;
}

struct guest_message {
  char *text;
  uint32_t length;
  char *strings[GUEST_STRINGS_LIMIT];
  int count;
  int next;
};

/* False when the other end closed before a message: the agent went away. */
static bool guest_receive(int fd, struct guest_message *message) {
  uint32_t length;
  if (!guest_read_all(fd, &length, sizeof length)) return false;
  if (length == 0 || length > GUEST_MESSAGE_LIMIT) return false;
  char *text = malloc(length);
  if (text == NULL || !guest_read_all(fd, text, length) || text[length - 1] != '\0') return false;
  message->text = text;
  message->length = length;
  message->count = message->next = 0;
  for (char *at = text; at < text + length; at += strlen(at) + 1) {
    if (message->count == GUEST_STRINGS_LIMIT) return false;
    message->strings[message->count++] = at;
  }
  return true;
}

static char *guest_take(struct guest_message *message) {
  return message->next < message->count ? message->strings[message->next++] : (char *)"";
}

static long long guest_take_number(struct guest_message *message) {
  return strtoll(guest_take(message), NULL, 10);
}

/* Looks a disk up by the serial the host gave it: device names depend on probe order. */
static bool guest_find_disk(const char *serial, char *path, size_t size) {
  DIR *directory = opendir("/sys/block");
  if (directory == NULL) return false;
  bool found = false;
  for (struct dirent *entry; !found && (entry = readdir(directory)) != NULL;) {
    char name[300], text[64] = {0};
    snprintf(name, sizeof name, "/sys/block/%s/serial", entry->d_name);
    found = guest_read_file(name, text, sizeof text) && strcmp(text, serial) == 0;
    if (found) snprintf(path, size, "/dev/%s", entry->d_name);
  }
  closedir(directory);
  if (!found) errno = ENODEV;
  return found;
}

/* ---- guest: init ---- */

static void guest_end(void) {
  sync();
  /* With reboot=t on the command line and -no-reboot this ends the VMM with and without ACPI. */
  reboot(RB_AUTOBOOT);
  for (;;) pause();
}

static void guest_cannot(const char *step, const char *what) {
  guest_say("drydock-init: cannot %s %s: %s", step, what, strerror(errno));
  guest_end();
}

static void guest_mount(const char *source, const char *target, const char *type,
                        unsigned long flags, const char *options) {
  if (mount(source, target, type, flags, options) != 0) guest_cannot("mount", target);
}

static bool guest_has_option(const char *option) {
  char line[4096] = {0};
  int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t length = read(fd, line, sizeof line - 1);
  close(fd);
  for (char *word = length > 0 ? strtok(line, " \n") : NULL; word; word = strtok(NULL, " \n"))
    if (strcmp(word, option) == 0) return true;
  return false;
}

static void guest_load_modules(void) {
  FILE *list = fopen("/etc/modules", "re");
  if (list == NULL) guest_cannot("read", "/etc/modules");
  char line[512];
  while (fgets(line, sizeof line, list) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '\0' || line[0] == '#') continue;
    int fd = open(line, O_RDONLY | O_CLOEXEC);
    if (fd < 0) guest_cannot("open module", line);
    if (syscall(SYS_finit_module, fd, "", 0) != 0 && errno != EEXIST)
      guest_cannot("load module", line);
    close(fd);
  }
  fclose(list);
}

static void guest_mount_disk(const char *serial, const char *target) {
  char device[300];
  /* virtio-blk probes asynchronously on some kernels: give the disk a second to appear. */
  for (int tries = 0; !guest_find_disk(serial, device, sizeof device); tries++) {
    if (tries == 200) guest_cannot("find the disk", serial);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  guest_mount(device, target, "erofs", MS_RDONLY | MS_NODEV, NULL);
}

/* /dev of the commands: only what cannot reach a channel or a disk. */
static void guest_make_devices(const char *root) {
  static const struct {
    const char *name;
    unsigned int major, minor;
  } devices[] = {{"null", 1, 3},   {"zero", 1, 5},    {"full", 1, 7}, {"random", 1, 8},
                 {"urandom", 1, 9}, {"tty", 5, 0}};
  static const char *links[][2] = {{"pts/ptmx", "ptmx"},
                                   {"/proc/self/fd", "fd"},
                                   {"/proc/self/fd/0", "stdin"},
                                   {"/proc/self/fd/1", "stdout"},
                                   {"/proc/self/fd/2", "stderr"}};
  char path[128];
  mkdir(root, 0755);
  guest_mount("dev", root, "tmpfs", MS_NOSUID, "mode=0755,size=64k");
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    snprintf(path, sizeof path, "%s/%s", root, devices[i].name);
    mode_t before = umask(0);
    if (mknod(path, S_IFCHR | 0666, makedev(devices[i].major, devices[i].minor)) != 0)
      guest_cannot("make", path);
    umask(before);
  }
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    snprintf(path, sizeof path, "%s/%s", root, links[i][1]);
    if (symlink(links[i][0], path) != 0) guest_cannot("make", path);
  }
  snprintf(path, sizeof path, "%s/pts", root);
  mkdir(path, 0755);
  guest_mount("devpts", path, "devpts", MS_NOSUID | MS_NOEXEC, "mode=620,ptmxmode=666,gid=5");
  snprintf(path, sizeof path, "%s/shm", root);
  mkdir(path, 01777);
  guest_mount("shm", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=64m");
}

/*
 * What the kernel would do in the background, or for real disks, an emulated processor would have
 * to translate before the first command. A kernel without one of these files does without.
 */
static void guest_quieten(void) {
  static const char *settings[][2] = {{"/proc/sys/vm/stat_interval", "3600"},
                                      /* Memory that runs short still starts it; 0 is at once. */
                                      {"/proc/sys/vm/dirty_writeback_centisecs", "360000"}};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    guest_write_file(settings[i][0], settings[i][1]);
  static const char *queue[][2] = {
      {"scheduler", "none"}, {"wbt_lat_usec", "0"}, {"iostats", "0"}, {"add_random", "0"}};
  DIR *directory = opendir("/sys/block");
  if (directory == NULL) return;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    for (size_t i = 0; i < sizeof queue / sizeof *queue; i++) {
      char path[320];
      snprintf(path, sizeof path, "/sys/block/%s/queue/%s", entry->d_name, queue[i][0]);
      guest_write_file(path, queue[i][1]);
    }
  }
  closedir(directory);
}

/* Files that nearly every command needs are read once, before the snapshot, and never run there. */
static void guest_warm_cache(void) {
  static const char *files[] = {"bin/sh", "bin/busybox", "lib64/ld-linux-x86-64.so.2",
                                "lib/x86_64-linux-gnu/libc.so.6"};
  static char bytes[1 << 16];
  int root = open("/run/lower", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (size_t i = 0; root >= 0 && i < sizeof files / sizeof *files; i++) {
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK, .resolve = RESOLVE_IN_ROOT};
    int fd = (int)syscall(SYS_openat2, root, files[i], &how, sizeof how);
    struct stat status;
    if (fd < 0) continue;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= GUEST_WARM_BYTES)
      while (read(fd, bytes, sizeof bytes) > 0) { /* into the page cache */ }
    close(fd);
  }
  if (root >= 0) close(root);
}

static void guest_loopback_up(void) {
  struct ifreq request = {.ifr_flags = IFF_UP};
  strcpy(request.ifr_name, "lo");
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) != 0) guest_cannot("raise", "lo");
  close(fd);
}

static void guest_enter_agent_root(void) {
  mkdir("/agent", 0755);
  guest_mount_disk("agent", "/agent");
  static const char *moved[] = {"/proc", "/sys", "/dev"};
  for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
    char target[32];
    snprintf(target, sizeof target, "/agent%s", moved[i]);
    guest_mount(moved[i], target, NULL, MS_MOVE, NULL);
  }
  if (chdir("/agent") != 0) guest_cannot("enter", "/agent");
  guest_mount(".", "/", NULL, MS_MOVE, NULL);
  if (chroot(".") != 0 || chdir("/") != 0) guest_cannot("enter", "the agent's root");
  guest_mount("run", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=16m");
  guest_mount("tmp", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700,size=16m");
}

static int guest_init_mode(void) {
  mkdir("/proc", 0755);
  mkdir("/sys", 0755);
  mkdir("/dev", 0755);
  guest_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  guest_mount("sys", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  guest_mount("dev", "/dev", "devtmpfs", MS_NOSUID, NULL);
  guest_verbose = guest_has_option("drydock.verbose");
  guest_load_modules();
  guest_trace("modules loaded");
  if (guest_has_option("drydock.canary")) {
    guest_say("drydock-init: canary ok");
    guest_end();
  }
  guest_enter_agent_root();
  guest_trace("agent root mounted");
  mkdir("/run/lower", 0755);
  mkdir("/run/merged", 0755);
  guest_mount_disk("root", "/run/lower");
  guest_quieten();
  guest_warm_cache();
  guest_make_devices("/run/dev");
  guest_mount("cgroup", "/sys/fs/cgroup", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  if (!guest_write_file("/sys/fs/cgroup/cgroup.subtree_control", "+pids"))
    guest_cannot("enable", "the pids controller");
  if (mkdir(GUEST_CGROUP, 0755) != 0) guest_cannot("make", GUEST_CGROUP);
  sethostname("drydock", 7);
  guest_loopback_up();
  unsigned char byte;
  /* Blocks until the CRNG is initialised, so that the snapshot holds an initialised one. */
  if (getrandom(&byte, 1, 0) != 1) guest_cannot("seed", "the CRNG");
  guest_trace("starting the agent");

  pid_t agent = fork();
  if (agent == 0) {
    /* When memory runs out the command has to go, not the agent that reports it. */
    guest_write_file("/proc/self/oom_score_adj", "-1000");
    int console = open("/dev/console", O_RDWR | O_NOCTTY);
    if (console >= 0) {
      for (int fd = 0; fd < 3; fd++) dup2(console, fd);
      if (console > 2) close(console);
    }
    /* Memory that was freed is kept: faulting it in again is what an emulator is slowest at. */
    char *environment[] = {(char *)"PATH=/bin", (char *)"HOME=/", (char *)"LANG=C.UTF-8",
                           (char *)"MALLOC_ARENA_MAX=1", (char *)"MALLOC_TOP_PAD_=16777216",
                           (char *)"MALLOC_TRIM_THRESHOLD_=67108864",
                           (char *)"MALLOC_MMAP_THRESHOLD_=4194304", NULL};
    /*
     * For the first seconds after a restore, when an emulator has to translate each instruction
     * that is new to it: no compiler, no collector, and every call site with its feedback from its
     * first rehearsal.
     */
    execle("/bin/node", "node", "--expose-gc", "--no-lazy", "--no-opt", "--no-sparkplug",
           "--no-flush-bytecode", "--no-lazy-feedback-allocation", "--interrupt-budget=2000000000",
           "--single-threaded-gc", "--min-semi-space-size=8",
           "--max-old-space-size=256", "/agent.js", (char *)NULL, environment);
    guest_say("drydock-init: cannot start /bin/node: %s", strerror(errno));
    _exit(127);
  }
  if (agent < 0) guest_cannot("start", "the agent");
  for (;;) {
    int status;
    pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) break;
    if (ended != agent) continue;
    if (WIFSIGNALED(status)) guest_say("drydock-init: agent ended (signal %d)", WTERMSIG(status));
    else guest_say("drydock-init: agent ended (exit %d)", WEXITSTATUS(status));
    break;
  }
  guest_end();
  return 1;
}

/* ---- guest: relay ---- */

static bool guest_find_port(const char *name, char *path, size_t size) {
  DIR *directory = opendir("/sys/class/virtio-ports");
  if (directory == NULL) return false;
  bool found = false;
  for (struct dirent *entry; !found && (entry = readdir(directory)) != NULL;) {
    char file[320], text[128] = {0};
    snprintf(file, sizeof file, "/sys/class/virtio-ports/%s/name", entry->d_name);
    found = guest_read_file(file, text, sizeof text) && strcmp(text, name) == 0;
    if (found) snprintf(path, size, "/dev/%s", entry->d_name);
  }
  closedir(directory);
  return found;
}

struct guest_buffer {
  char bytes[GUEST_RELAY_BYTES];
  size_t start, end;
};

/* One read a page is what the driver gives; readv asks for sixteen of them in one call. */
static ssize_t guest_read_port(int port, struct guest_buffer *buffer) {
  struct iovec pages[GUEST_RELAY_BYTES / GUEST_PORT_SEGMENT];
  int count = GUEST_RELAY_BYTES / GUEST_PORT_SEGMENT;
  for (int i = 0; i < count; i++)
    pages[i] = (struct iovec){buffer->bytes + i * GUEST_PORT_SEGMENT, GUEST_PORT_SEGMENT};
  return readv(port, pages, count);
}

static int guest_open_port(const char *name) {
  char path[300];
  /* The device node appears some moments after the host has plugged the port. */
  while (!guest_find_port(name, path, sizeof path))
    nanosleep(&(struct timespec){.tv_nsec = GUEST_HOST_POLL_NS}, NULL);
  for (;;) {
    int port = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (port >= 0 || (errno != ENOENT && errno != ENXIO && errno != EBUSY)) return port;
    nanosleep(&(struct timespec){.tv_nsec = GUEST_HOST_POLL_NS}, NULL);
  }
}

/* The host of a rehearsal, which is the agent itself. */
static int guest_connect(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) return -1;
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

static int guest_relay_mode(void) {
  struct guest_message message;
  static struct guest_buffer inward;
  const int agent = 3;
  int outward[2];
  if (pipe2(outward, O_CLOEXEC) != 0) return 1;
  fcntl(outward[1], F_SETPIPE_SZ, GUEST_PIPE_BYTES);
  dprintf(agent, "ready %d\n", outward[1]);
  if (!guest_receive(0, &message)) return 0;
  close(outward[1]); /* the agent has opened it by now */
  const char *name = guest_take(&message);
  int port = name[0] == '/' ? guest_connect(name) : guest_open_port(name);
  if (port < 0) return 1;
  fcntl(agent, F_SETFL, fcntl(agent, F_GETFL) | O_NONBLOCK);

  /*
   * After a restore data can arrive before the news that the host is connected, so only a host
   * that has spoken and was then seen connected is gone for good when it leaves.
   */
  bool host_spoke = false, host_seen = false;
  bool port_full = false;
  for (;;) {
    bool idle_in = inward.start == inward.end;
    struct pollfd waits[3] = {
        {.fd = port, .events = (short)((idle_in ? POLLIN : 0) | (port_full ? POLLOUT : 0))},
        {.fd = agent, .events = (short)(idle_in ? 0 : POLLOUT)},
        {.fd = port_full ? -1 : outward[0], .events = POLLIN}};
    if (poll(waits, 3, -1) < 0) {
      if (errno != EINTR) return 1;
      continue;
    }
    if (waits[1].revents & (POLLHUP | POLLERR)) return 0;
    if (host_spoke && (waits[0].revents & POLLHUP) == 0) host_seen = true;
    if (idle_in && (waits[0].revents & (POLLIN | POLLHUP | POLLERR))) {
      ssize_t got = guest_read_port(port, &inward);
      if (got > 0) {
        inward.start = 0;
        inward.end = (size_t)got;
        host_spoke = true;
      } else if (got == 0) {
        if (host_seen) return 0;
        nanosleep(&(struct timespec){.tv_nsec = GUEST_HOST_POLL_NS}, NULL);
      } else if (errno != EAGAIN && errno != EINTR) {
        return 0; /* unplugged */
      }
    }
    if (inward.start < inward.end) {
      ssize_t put = send(agent, inward.bytes + inward.start, inward.end - inward.start,
                         MSG_NOSIGNAL);
      if (put > 0) inward.start += (size_t)put;
      else if (put < 0 && errno != EAGAIN && errno != EINTR) return 0;
    }
    if (port_full && (waits[0].revents & POLLOUT)) port_full = false;
    if (!port_full && (waits[2].revents & (POLLIN | POLLHUP))) {
      /* Moves the pipe's pages to the port: no copy, and one notice to the host for all of them. */
      ssize_t put = splice(outward[0], NULL, port, NULL, GUEST_PIPE_BYTES, SPLICE_F_NONBLOCK);
      if (put == 0) return 0; /* the agent has written its last */
      if (put < 0 && errno == EAGAIN) port_full = true;
      else if (put < 0 && errno != EINTR) return 0;
    }
  }
}

/* ---- guest: setup ---- */

static int guest_hex_digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

/*
 * Clones of one snapshot share the generator's state. Adding entropy alone mixes it into the
 * input pool and leaves the output key as it was until the next reseed; both calls are needed.
 */
static bool guest_reseed(const char *hex) {
  struct {
    int entropy_count;
    int size;
    unsigned char bytes[64];
  } pool = {0};
  size_t length = strlen(hex) / 2;
  if (length == 0 || length > sizeof pool.bytes) return errno = EINVAL, false;
  for (size_t i = 0; i < length; i++)
    pool.bytes[i] =
        (unsigned char)(guest_hex_digit(hex[2 * i]) << 4 | guest_hex_digit(hex[2 * i + 1]));
  pool.entropy_count = (int)length * 8;
  pool.size = (int)length;
  int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  bool done = ioctl(fd, RNDADDENTROPY, &pool) == 0 && ioctl(fd, RNDRESEEDCRNG) == 0;
  int problem = errno;
  close(fd);
  memset(&pool, 0, sizeof pool);
  errno = problem;
  return done;
}

static bool guest_set_clock(long long nanoseconds) {
  struct timespec now = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return clock_settime(CLOCK_REALTIME, &now) == 0;
}

#define GUEST_UPPER "upper"

/* Where the disk of a run is: looked up before the snapshot, because each clone would look again. */
struct guest_disk {
  char device[300];
  int fd;
};

static struct guest_disk guest_expect_upper(void) {
  struct guest_disk disk = {.fd = -1};
  mkdir("/run/upper", 0755);
  if (guest_find_disk(GUEST_UPPER, disk.device, sizeof disk.device))
    disk.fd = open(disk.device, O_RDONLY | O_CLOEXEC);
  return disk;
}

static bool guest_mount_upper(const char *serial, const struct guest_disk *disk) {
  if (serial[0] == '\0')
    return mount("upper", "/run/upper", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") == 0;
  if (disk->fd < 0 || strcmp(serial, GUEST_UPPER) != 0) return errno = ENODEV, false;
  /* What was cached of this disk belongs to the blank one the snapshot was taken with. */
  if (ioctl(disk->fd, GUEST_BLKFLSBUF, 0) != 0) return false;
  /*
   * The disk lives as long as the run: no barriers, and nothing in the background, whose thread an
   * emulated processor would have to start, and to translate, before the first command.
   */
  return mount(disk->device, "/run/upper", "ext4", MS_NOATIME | MS_NODEV,
               "nobarrier,noinit_itable,no_prefetch_block_bitmaps,noblock_validity,"
               "errors=continue") == 0;
}

static bool guest_mount_overlay(void) {
  if (mkdir("/run/upper/data", 0755) != 0 && errno != EEXIST) return false;
  if (mkdir("/run/upper/work", 0700) != 0 && errno != EEXIST) return false;
  return mount("root", "/run/merged", "overlay", MS_NOATIME | MS_NODEV,
               "lowerdir=/run/lower,upperdir=/run/upper/data,workdir=/run/upper/work,volatile") == 0;
}

static bool guest_enter_command_root(void) {
  if (unshare(CLONE_NEWNS) != 0) return false;
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return false;
  if (chdir("/run/merged") != 0) return false;
  if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) return false;
  if (mount("/sys", "sys", NULL, MS_BIND, NULL) != 0) return false;
  if (mount(NULL, "sys", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
            NULL) != 0)
    return false;
  if (mount("/run/dev", "dev", NULL, MS_BIND | MS_REC, NULL) != 0) return false;
  if (mount("run", "run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64m") != 0) return false;
  if (chmod("tmp", 01777) != 0) return false;
  if (syscall(SYS_pivot_root, ".", ".") != 0) return false;
  return umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

/* Writes a limit and reads back what it is now. */
static bool guest_set_file(int fd, const char *value, char *now, size_t size) {
  if (!guest_write_all(fd, value, strlen(value))) return false;
  ssize_t length = pread(fd, now, size - 1, 0);
  if (length <= 0) return false;
  now[length] = '\0';
  now[strcspn(now, "\n")] = '\0';
  return true;
}

static bool guest_answer(const char *failed, const char *good) {
  char answer[256];
  if (failed == NULL) snprintf(answer, sizeof answer, "%s\n", good);
  else snprintf(answer, sizeof answer, "error %s: %s\n", failed, strerror(errno));
  return guest_write_all(3, answer, strlen(answer)) && failed == NULL;
}

/*
 * Says "ready" on descriptor 3. Then takes ENTROPY, TIME, UPPER, PIDS and answers "ok PIDS", or
 * "error STEP: REASON". Then stays: it holds the namespace of the commands. `rehearsal` answers
 * and changes nothing.
 */
static int guest_setup_mode(bool rehearsal) {
  /* Opened now, because it is out of sight once the root has changed. */
  int pids_max = open(GUEST_CGROUP "/pids.max", O_RDWR | O_CLOEXEC);
  struct guest_disk disk = guest_expect_upper();
  if (!guest_answer(NULL, "ready")) return 1;
  struct guest_message message;
  if (!guest_receive(0, &message)) return 0;
  const char *entropy = guest_take(&message);
  const char *time = guest_take(&message);
  const char *upper = guest_take(&message);
  const char *pids = guest_take(&message);
  const char *failed = NULL;
  char good[64] = "ok 0", limit[32] = "0";
  if (rehearsal) return guest_answer(NULL, good) ? 0 : 1;
  if (!guest_reseed(entropy)) failed = "reseed";
  else if (!guest_set_clock(strtoll(time, NULL, 10))) failed = "clock";
  else if (!guest_set_file(pids_max, pids, limit, sizeof limit)) failed = "pids";
  else if (!guest_mount_upper(upper, &disk)) failed = "upper";
  else if (!guest_mount_overlay()) failed = "overlay";
  else if (!guest_enter_command_root()) failed = "root";
  snprintf(good, sizeof good, "ok %s", limit);
  if (!guest_answer(failed, good)) return 1;
  char rest;
  while (read(0, &rest, 1) > 0) { /* until the agent ends */ }
  return 0;
}

/* ---- guest: spawn ---- */

struct guest_command {
  const char *cgroup;      /* directory of its own, "" for none */
  const char *namespace;   /* file of the mount namespace to enter, "" for none */
  const char *root;        /* directory to chroot to, "" for none (tests) */
  uid_t uid;
  gid_t gid;
  rlim_t descriptors;
  bool terminal, kill_leftovers;
  unsigned short rows, columns;
  const char *directory;
  char **arguments;
  char **environment;
};

static char **guest_take_list(struct guest_message *message) {
  long long count = guest_take_number(message);
  if (count < 0 || count > message->count - message->next) return NULL;
  char **list = calloc((size_t)count + 1, sizeof *list);
  for (long long i = 0; list != NULL && i < count; i++) list[i] = guest_take(message);
  return list;
}

static bool guest_take_command(struct guest_message *message, struct guest_command *command) {
  command->cgroup = guest_take(message);
  command->namespace = guest_take(message);
  command->root = guest_take(message);
  command->uid = (uid_t)guest_take_number(message);
  command->gid = (gid_t)guest_take_number(message);
  command->descriptors = (rlim_t)guest_take_number(message);
  command->terminal = guest_take_number(message) != 0;
  command->rows = (unsigned short)guest_take_number(message);
  command->columns = (unsigned short)guest_take_number(message);
  command->kill_leftovers = guest_take_number(message) != 0;
  command->directory = guest_take(message);
  command->arguments = guest_take_list(message);
  command->environment = guest_take_list(message);
  return command->arguments != NULL && command->environment != NULL &&
         command->arguments[0] != NULL && message->next == message->count;
}

/* Status and wording a shell would give: 127 not found, 126 found and not to be run. */
static void guest_refuse(const char *what, int problem) {
  dprintf(2, "drydock: %s: %s\n", what, strerror(problem));
  _exit(problem == ENOENT ? 127 : 126);
}

static void guest_exec(char *path, char **arguments) {
  execv(path, arguments);
  if (errno != ENOEXEC) return;
  /* A script without an interpreter line: POSIX has the shell run it (execvp(3)). */
  size_t count = 0;
  while (arguments[count] != NULL) count++;
  char **shell = calloc(count + 2, sizeof *shell);
  if (shell == NULL) return;
  shell[0] = (char *)"sh";
  shell[1] = path;
  for (size_t i = 1; i < count; i++) shell[i + 1] = arguments[i];
  execv("/bin/sh", shell);
}

static void guest_search_and_exec(char **arguments) {
  char *name = arguments[0];
  if (name[0] == '\0') guest_refuse("''", ENOENT);
  if (strchr(name, '/') != NULL) {
    guest_exec(name, arguments);
    guest_refuse(name, errno);
  }
  const char *search = getenv("PATH");
  if (search == NULL) search = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  int problem = ENOENT;
  for (const char *at = search;; at++) {
    size_t length = strcspn(at, ":");
    char path[PATH_MAX];
    int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, length == 0 ? "." : at, name);
    if (length == 0) written = snprintf(path, sizeof path, "./%s", name);
    if (written > 0 && (size_t)written < sizeof path) {
      guest_exec(path, arguments);
      /* A directory that cannot be searched hides nothing that a later one may hold. */
      if (errno != ENOENT && errno != ENOTDIR) problem = errno;
    }
    at += length;
    if (*at == '\0') break;
  }
  guest_refuse(name, problem);
}

/* In the child, while it still is root and sees the agent's file system. */
static bool guest_join(const char *cgroup) {
  if (cgroup[0] == '\0') return true;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/cgroup.procs", cgroup);
  if (!guest_write_file(path, "0")) return false;
  guest_write_file("/proc/self/oom_score_adj", "0");
  return true;
}

static bool guest_enter(const struct guest_command *command) {
  if (command->namespace[0] != '\0') {
    int fd = open(command->namespace, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNS) != 0) return false;
    close(fd);
  }
  if (command->root[0] != '\0' && (chroot(command->root) != 0 || chdir("/") != 0)) return false;
  return true;
}

/* What a child can do before it knows its command. */
static void guest_become_child(const char *cgroup) {
  setsid();
  for (int signal_number = 1; signal_number < NSIG; signal_number++)
    signal(signal_number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (!guest_join(cgroup)) guest_refuse("enter", errno);
}

static void guest_run_command(const struct guest_command *command, const int stdio[3],
                              int terminal_slave) {
  if (terminal_slave >= 0) {
    if (ioctl(terminal_slave, TIOCSCTTY, 0) != 0) guest_refuse("terminal", errno);
    for (int fd = 0; fd < 3; fd++) dup2(terminal_slave, fd);
  } else {
    for (int fd = 0; fd < 3; fd++) dup2(stdio[fd], fd);
  }
  if (!guest_enter(command)) guest_refuse("enter", errno);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  struct rlimit descriptors = {command->descriptors, command->descriptors};
  struct rlimit no_core = {0, 0};
  if (setrlimit(RLIMIT_NOFILE, &descriptors) != 0 || setrlimit(RLIMIT_CORE, &no_core) != 0)
    guest_refuse("limits", errno);
  umask(022);
  if (setgroups(0, NULL) != 0 || setresgid(command->gid, command->gid, command->gid) != 0 ||
      setresuid(command->uid, command->uid, command->uid) != 0)
    guest_refuse("user", errno);
  /* After the change of user, so that its permissions decide. */
  if (chdir(command->directory) != 0) guest_refuse(command->directory, errno);
  environ = command->environment;
  guest_search_and_exec(command->arguments);
}

static void guest_kill_cgroup(const struct guest_command *command) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/cgroup.kill", command->cgroup);
  guest_write_file(path, "1");
}

/* Killed processes leave their cgroup some moments after the signal. */
static void guest_remove_cgroup(const struct guest_command *command) {
  for (int tries = 0; tries < 500 && rmdir(command->cgroup) != 0 && errno == EBUSY; tries++)
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

struct guest_terminal {
  int master, from_agent, to_agent;
  bool input_open;
};

/* From the instance that the commands see as /dev/pts, so that ttyname(3) works for them. */
static bool guest_open_terminal(const struct guest_command *command, int *master, int *slave) {
  int unlock = 0;
  *master = open("/run/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*master < 0) *master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*master < 0 || ioctl(*master, TIOCSPTLCK, &unlock) != 0) return false;
  *slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*slave < 0) return false;
  struct winsize size = {.ws_row = command->rows, .ws_col = command->columns};
  return ioctl(*master, TIOCSWINSZ, &size) == 0 && fchown(*slave, command->uid, 5) == 0;
}

/* False at the end of the terminal's output: the last process that had it open is gone. */
static bool guest_pump_output(const struct guest_terminal *terminal) {
  char bytes[16384];
  ssize_t got = read(terminal->master, bytes, sizeof bytes);
  if (got < 0 && errno == EINTR) return true;
  return got > 0 && guest_write_all(terminal->to_agent, bytes, (size_t)got);
}

static void guest_pump_input(struct guest_terminal *terminal) {
  char bytes[4096];
  ssize_t got = read(terminal->from_agent, bytes, sizeof bytes);
  if (got > 0 && guest_write_all(terminal->master, bytes, (size_t)got)) return;
  /* The end of input on a terminal is its end-of-file character, as typed by a person. */
  char end = 4;
  if (got == 0) guest_write_all(terminal->master, &end, 1);
  terminal->input_open = false;
}

/* One line: "signal NUMBER process|group" or "resize ROWS COLUMNS". */
static void guest_obey(char *line, pid_t child, bool ended, const struct guest_terminal *terminal) {
  int first, second;
  char target[16];
  if (sscanf(line, "signal %d %15s", &first, target) == 2) {
    /* Until the child has been waited for, its number cannot belong to another process. */
    if (!ended) kill(strcmp(target, "group") == 0 ? -child : child, first);
  } else if (sscanf(line, "resize %d %d", &first, &second) == 2 && terminal->master >= 0) {
    struct winsize size = {.ws_row = (unsigned short)first, .ws_col = (unsigned short)second};
    ioctl(terminal->master, TIOCSWINSZ, &size);
  }
}

static void guest_report(int status) {
  if (WIFSIGNALED(status)) dprintf(3, "signal %d\n", WTERMSIG(status));
  else dprintf(3, "exit %d\n", WEXITSTATUS(status));
}

static void guest_supervise(const struct guest_command *command, pid_t child, int signals,
                            struct guest_terminal *terminal) {
  char line[128];
  size_t length = 0;
  bool ended = false, agent_open = true;
  while (!ended || terminal->master >= 0) {
    struct pollfd waits[4] = {
        {.fd = signals, .events = POLLIN},
        {.fd = agent_open ? 3 : -1, .events = POLLIN},
        {.fd = terminal->master, .events = POLLIN},
        {.fd = terminal->master >= 0 && terminal->input_open ? terminal->from_agent : -1,
         .events = POLLIN}};
    if (poll(waits, 4, -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (waits[2].revents != 0 && !guest_pump_output(terminal)) {
      close(terminal->master);
      terminal->master = -1;
      continue;
    }
    if (waits[3].revents != 0) guest_pump_input(terminal);
    if (waits[1].revents != 0) {
      ssize_t got = read(3, line + length, sizeof line - 1 - length);
      if (got <= 0) {
        agent_open = false;
      } else {
        length += (size_t)got;
        line[length] = '\0';
        for (char *end; (end = strchr(line, '\n')) != NULL;) {
          *end = '\0';
          guest_obey(line, child, ended, terminal);
          length -= (size_t)(end + 1 - line);
          memmove(line, end + 1, length + 1);
        }
        if (length == sizeof line - 1) length = 0;
      }
    }
    if (waits[0].revents != 0) {
      struct signalfd_siginfo info;
      if (read(signals, &info, sizeof info) < 0 && errno != EINTR) return;
      int status;
      if (!ended && waitpid(child, &status, WNOHANG) == child) {
        ended = true;
        if (command->kill_leftovers && command->cgroup[0] != '\0') guest_kill_cgroup(command);
        guest_report(status);
      }
    }
  }
}

/* A child that was started before the snapshot, in its cgroup, and waits for its command. */
struct guest_waiting {
  pid_t pid;
  int orders;
};

static bool guest_make_cgroup(const char *cgroup) {
  return cgroup[0] == '\0' || mkdir(cgroup, 0755) == 0 || errno == EEXIST;
}

static struct guest_waiting guest_fork_ahead(const char *cgroup, const int stdio[3]) {
  struct guest_waiting none = {.pid = -1, .orders = -1};
  int orders[2];
  if (!guest_make_cgroup(cgroup) || pipe2(orders, O_CLOEXEC) != 0) return none;
  fcntl(orders[1], F_SETPIPE_SZ, GUEST_MESSAGE_LIMIT);
  pid_t child = fork();
  if (child == 0) {
    close(orders[1]);
    guest_become_child(cgroup);
    struct guest_message message;
    struct guest_command command;
    /* The helper has ended, or goes on without this child. */
    if (!guest_receive(orders[0], &message) || !guest_take_command(&message, &command)) _exit(0);
    guest_run_command(&command, stdio, -1);
  }
  close(orders[0]);
  if (child < 0) return close(orders[1]), none;
  return (struct guest_waiting){.pid = child, .orders = orders[1]};
}

static void guest_dismiss(const struct guest_waiting *waiting) {
  if (waiting->pid < 0) return;
  close(waiting->orders);
  while (waitpid(waiting->pid, NULL, 0) < 0 && errno == EINTR) { /* it ends at once */ }
}

static bool guest_order(const struct guest_waiting *waiting, const struct guest_message *message) {
  uint32_t length = message->length;
  bool sent = guest_write_all(waiting->orders, &length, sizeof length) &&
              guest_write_all(waiting->orders, message->text, length);
  close(waiting->orders);
  return sent;
}

/*
 * Says "ready IN OUT ERR" on descriptor 3: numbers of the agent's ends of three pipes, which the
 * agent opens through /proc. Then one message, then "pid N", "exit N", "signal N" or "error …".
 * With a cgroup the child is there already when the message comes.
 */
static int guest_spawn_mode(const char *cgroup) {
  int input[2], output[2], error[2];
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0)
    return 1;
  fcntl(output[1], F_SETPIPE_SZ, GUEST_PIPE_BYTES);
  fcntl(input[1], F_SETPIPE_SZ, GUEST_PIPE_BYTES);
  signal(SIGPIPE, SIG_IGN);
  const int stdio[3] = {input[0], output[1], error[1]};
  struct guest_waiting waiting = {.pid = -1, .orders = -1};
  if (cgroup[0] != '\0') waiting = guest_fork_ahead(cgroup, stdio);
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigprocmask(SIG_BLOCK, &watched, NULL);
  int signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  dprintf(3, "ready %d %d %d\n", input[1], output[0], error[0]);
  struct guest_message message;
  if (!guest_receive(3, &message)) return 0;
  close(input[1]);
  close(output[0]);
  close(error[0]);
  struct guest_command command;
  if (!guest_take_command(&message, &command)) {
    dprintf(3, "error message: %s\n", strerror(EINVAL));
    return 1;
  }
  /* So that the command may open /dev/stdout, which is a pipe that root has made. */
  for (int i = 0; i < 3; i++)
    if (fchown(stdio[i], command.uid, command.gid) != 0) { /* only that convenience is lost */ }
  struct guest_terminal terminal = {.master = -1, .from_agent = input[0], .to_agent = output[1]};
  int slave = -1;
  /* A terminal is inherited, so its command can't have been started before there was one. */
  if (command.terminal || strcmp(command.cgroup, cgroup) != 0) {
    guest_dismiss(&waiting);
    waiting.pid = -1;
  }
  if (waiting.pid < 0 && !guest_make_cgroup(command.cgroup)) {
    dprintf(3, "error cgroup: %s\n", strerror(errno));
    return 1;
  }
  if (command.terminal) {
    if (!guest_open_terminal(&command, &terminal.master, &slave)) {
      dprintf(3, "error terminal: %s\n", strerror(errno));
      return 1;
    }
    terminal.input_open = true;
  }
  pid_t child = waiting.pid;
  if (child < 0) {
    child = fork();
    if (child == 0) {
      guest_become_child(command.cgroup);
      guest_run_command(&command, stdio, slave);
    }
  } else if (!guest_order(&waiting, &message)) {
    child = -1;
  }
  if (child < 0) {
    dprintf(3, "error fork: %s\n", strerror(errno));
    return 1;
  }
  if (slave >= 0) close(slave);
  close(error[1]);
  if (!command.terminal) {
    close(input[0]);
    close(output[1]);
  }
  dprintf(3, "pid %d\n", (int)child);
  guest_supervise(&command, child, signals, &terminal);
  if (command.kill_leftovers && command.cgroup[0] != '\0') guest_remove_cgroup(&command);
  return 0;
}

/* A command of the rehearsal: it writes, and succeeds. */
static int guest_rehearsal_mode(void) {
  return guest_write_all(1, "rehearsal\n", 10) ? 0 : 1;
}

/* ---- dispatch ---- */

int main(int argc, char **argv) {
  /* The kernel starts /init without a mode. */
  if (getpid() == 1 && strcmp(argv[0], "/init") == 0) return guest_init_mode();
  if (argc < 2) {
    fprintf(stderr, "usage: drydock-native MODE ...\n");
    return 2;
  }
  if (strcmp(argv[1], "run") == 0) return run_mode(argc, argv);
  if (strcmp(argv[1], "keep") == 0) return keep_mode(argc, argv);
  if (strcmp(argv[1], "reap") == 0) return reap_mode(argc, argv);
  if (strcmp(argv[1], "init") == 0) return guest_init_mode();
  if (strcmp(argv[1], "guest-relay") == 0) return guest_relay_mode();
  if (strcmp(argv[1], "guest-setup") == 0)
    return guest_setup_mode(argc > 2 && strcmp(argv[2], "rehearsal") == 0);
  if (strcmp(argv[1], "guest-spawn") == 0) return guest_spawn_mode(argc > 2 ? argv[2] : "");
  if (strcmp(argv[1], "guest-rehearsal") == 0) return guest_rehearsal_mode();
  fprintf(stderr, "drydock-native: unknown mode '%s'\n", argv[1]);
  return 2;
}
