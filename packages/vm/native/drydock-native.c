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

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
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

enum step_kind { STEP_RO, STEP_RW, STEP_TMPFS, STEP_LINK, STEP_DIR, STEP_DEV, STEP_PROC, STEP_FDS };

struct step {
  enum step_kind kind;
  const char *source;
  const char *target;
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
    bool flag = !strcmp(option, "--dev") || !strcmp(option, "--proc") || !strcmp(option, "--fds") ||
                !strcmp(option, "--session") || !strcmp(option, "--ambient-dac-read-search");
    if (left < (pair ? 2 : flag ? 0 : 1)) refuse_usage("missing value after", option);
    char *first = flag ? NULL : argv[i + 1];
    char *second = pair ? argv[i + 2] : NULL;
    i += pair ? 2 : flag ? 0 : 1;
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

static void make_devices(const char *root, bool create) {
  static const char *const names[] = {"null", "zero", "urandom"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char source[64], target[PATH_MAX];
    snprintf(source, sizeof source, "/dev/%s", names[i]);
    snprintf(target, sizeof target, "%s/dev/%s", root, names[i]);
    bind_mount(source, target, MS_NOSUID | MS_NOEXEC, create);
  }
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
        make_devices(root, private_root);
        break;
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

/* The listed descriptors survive exec; every other one is closed by the kernel at exec. */
static void keep_only_listed(const struct launch *launch) {
  if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) give_up("close_range");
  for (int i = 0; i < launch->keep_count; i++)
    if (fcntl(launch->keep[i], F_SETFD, 0) != 0) give_up("keep descriptor %d", launch->keep[i]);
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
  if (launch.session && setsid() < 0) give_up("setsid");
  if (launch.unshare != 0 && unshare(launch.unshare) != 0) give_up("unshare");
  enter_pid_namespace(&launch);
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

/* ---- guest section: init, reseed, clock, limits, pseudo-terminals ---- */

/* ---- dispatch ---- */

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: drydock-native MODE ...\n");
    return 2;
  }
  if (strcmp(argv[1], "run") == 0) return run_mode(argc, argv);
  fprintf(stderr, "drydock-native: unknown mode '%s'\n", argv[1]);
  return 2;
}
