/*
 * Stands between a program and its storage (LD_PRELOAD, Linux): counts the calls that change files below
 * STORAGE_FOLDER, lets the n-th of them fail, and writes down what they did, so that a test can make the files as a
 * power cut would leave them. storage-calls.ts compiles it and reads what it writes.
 *
 * STORAGE_CONTROL is a file of four 32-bit numbers that both sides share: the calls counted so far; the number of the
 * call that shall fail, 0 for none; with which error; and how many have failed. STORAGE_TRACE, where it is set, gets a
 * record of each call that succeeded: a head and then the path and the bytes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum call { OPEN = 1, WRITE, SYNC, TRUNCATE, RENAME, UNLINK };
struct control { int32_t counted, failing, error, failed; };
struct head { int32_t call, path_length; int64_t file, offset, length; };

static struct control *control;
static const char *folder;
static int trace = -1;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
  folder = getenv("STORAGE_FOLDER");
  const char *path = getenv("STORAGE_CONTROL"), *trace_path = getenv("STORAGE_TRACE");
  if (!folder || !path) return;
  int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  if (shared != MAP_FAILED) control = shared;
  if (trace_path) trace = syscall(SYS_openat, AT_FDCWD, trace_path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

/* The memory that several processes share about the write-ahead log is made anew after a crash. */
static int is_ours(const char *path) {
  size_t length = strlen(path);
  return control && strncmp(path, folder, strlen(folder)) == 0 && !(length > 4 && strcmp(path + length - 4, "-shm") == 0);
}

static int is_our_file(int file, char *path, size_t size) {
  char link[64];
  if (!control) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, size - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_ours(path);
}

/* Whether this is the call that fails; counts it. */
static int fails(void) {
  int32_t number = __atomic_add_fetch(&control->counted, 1, __ATOMIC_SEQ_CST);
  if (control->failing == 0 || number != control->failing) return 0;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  errno = control->error;
  return 1;
}

static int64_t number_of(int file) {
  struct stat status;
  return fstat(file, &status) == 0 ? (int64_t)status.st_ino : 0;
}

static void record(enum call call, const char *path, int64_t file, int64_t offset, const void *bytes, int64_t length) {
  if (trace < 0) return;
  struct head head = {call, (int32_t)strlen(path), file, offset, length};
  struct iovec parts[3] = {{&head, sizeof head}, {(void *)path, strlen(path)}, {(void *)bytes, bytes ? length : 0}};
  int kept = errno;
  syscall(SYS_writev, trace, parts, 3);
  errno = kept;
}

static int open_at(int directory, const char *path, int flags, mode_t mode) {
  if (!is_ours(path) || !(flags & (O_WRONLY | O_RDWR | O_CREAT))) return syscall(SYS_openat, directory, path, flags, mode);
  if (fails()) return -1;
  pthread_mutex_lock(&one_at_a_time);
  int is_new = (flags & O_CREAT) && syscall(SYS_faccessat, directory, path, F_OK) != 0;
  int file = syscall(SYS_openat, directory, path, flags, mode);
  if (file >= 0 && is_new) record(OPEN, path, number_of(file), 0, NULL, 0);
  if (file >= 0 && !is_new && (flags & O_TRUNC)) record(TRUNCATE, path, number_of(file), 0, NULL, 0);
  pthread_mutex_unlock(&one_at_a_time);
  return file;
}

static mode_t mode_of(int flags, va_list rest) { return flags & O_CREAT ? va_arg(rest, mode_t) : 0; }
#define OPEN_CALL(name, before, directory)                                                                             \
  int name(before const char *path, int flags, ...) {                                                                  \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode_t mode = mode_of(flags, rest);                                                                                \
    va_end(rest);                                                                                                      \
    return open_at(directory, path, flags, mode);                                                                      \
  }
#define NOTHING
#define DIRECTORY int directory,
OPEN_CALL(open, NOTHING, AT_FDCWD)
OPEN_CALL(open64, NOTHING, AT_FDCWD)
OPEN_CALL(openat, DIRECTORY, directory)
OPEN_CALL(openat64, DIRECTORY, directory)

/* offset -1: where the file stands */
static ssize_t write_at(int file, const void *bytes, size_t length, int64_t offset) {
  char path[4096];
  int ours = is_our_file(file, path, sizeof path);
  if (ours && fails()) return -1;
  if (ours) pthread_mutex_lock(&one_at_a_time);
  struct stat status;
  int64_t at = offset;
  if (ours && offset < 0) {
    int appends = fcntl(file, F_GETFL) & O_APPEND;
    at = appends && fstat(file, &status) == 0 ? (int64_t)status.st_size : (int64_t)syscall(SYS_lseek, file, 0, SEEK_CUR);
  }
  ssize_t written =
      offset < 0 ? syscall(SYS_write, file, bytes, length) : syscall(SYS_pwrite64, file, bytes, length, offset);
  if (ours && written > 0) record(WRITE, path, number_of(file), at, bytes, written);
  if (ours) pthread_mutex_unlock(&one_at_a_time);
  return written;
}

ssize_t write(int file, const void *bytes, size_t length) { return write_at(file, bytes, length, -1); }
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) { return write_at(file, bytes, length, at); }
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) { return write_at(file, bytes, length, at); }

static ssize_t write_parts(int file, const struct iovec *parts, int count, int64_t offset) {
  char path[4096];
  if (!is_our_file(file, path, sizeof path))
    return offset < 0 ? syscall(SYS_writev, file, parts, count) : syscall(SYS_pwritev, file, parts, count, offset, 0);
  ssize_t all = 0;
  for (int part = 0; part < count; part += 1) {
    if (parts[part].iov_len == 0) continue;
    ssize_t written = write_at(file, parts[part].iov_base, parts[part].iov_len, offset < 0 ? -1 : offset + all);
    if (written < 0) return all > 0 ? all : -1;
    all += written;
    if ((size_t)written < parts[part].iov_len) break;
  }
  return all;
}
ssize_t writev(int file, const struct iovec *parts, int count) { return write_parts(file, parts, count, -1); }
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) { return write_parts(file, parts, count, at); }
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) { return write_parts(file, parts, count, at); }

static int sync_file(long call, int file) {
  char path[4096];
  int ours = is_our_file(file, path, sizeof path);
  if (ours && fails()) return -1;
  if (ours) pthread_mutex_lock(&one_at_a_time);
  int result = syscall(call, file);
  if (ours && result == 0) record(SYNC, path, number_of(file), 0, NULL, 0);
  if (ours) pthread_mutex_unlock(&one_at_a_time);
  return result;
}
int fsync(int file) { return sync_file(SYS_fsync, file); }
int fdatasync(int file) { return sync_file(SYS_fdatasync, file); }

static int truncate_file(int file, int64_t length) {
  char path[4096];
  int ours = is_our_file(file, path, sizeof path);
  if (ours && fails()) return -1;
  if (ours) pthread_mutex_lock(&one_at_a_time);
  int result = syscall(SYS_ftruncate, file, length);
  if (ours && result == 0) record(TRUNCATE, path, number_of(file), length, NULL, 0);
  if (ours) pthread_mutex_unlock(&one_at_a_time);
  return result;
}
int ftruncate(int file, off_t length) { return truncate_file(file, length); }
int ftruncate64(int file, off64_t length) { return truncate_file(file, length); }

int rename(const char *from, const char *to) {
  int ours = is_ours(from) || is_ours(to);
  if (ours && fails()) return -1;
  if (ours) pthread_mutex_lock(&one_at_a_time);
  int result = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (ours && result == 0) record(RENAME, from, 0, 0, to, strlen(to));
  if (ours) pthread_mutex_unlock(&one_at_a_time);
  return result;
}

int unlink(const char *path) {
  int ours = is_ours(path);
  if (ours && fails()) return -1;
  if (ours) pthread_mutex_lock(&one_at_a_time);
  int result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (ours && result == 0) record(UNLINK, path, 0, 0, NULL, 0);
  if (ours) pthread_mutex_unlock(&one_at_a_time);
  return result;
}
