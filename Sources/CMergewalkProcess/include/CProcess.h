/* What glibc declares for GNU sources only, which Swift's view of it is not. No system header is included here: Swift
 * takes the types of a header that its own module of glibc lacks for this module's. */
#ifndef CPROCESS_H
#define CPROCESS_H

/* A pipe whose ends no child inherits: the end to read from and the end to write to; 0, or -1 with `errno`. */
int cprocess_pipe(int *readEnd, int *writeEnd);

/* Lets a child start in a folder; `actions` are posix_spawn_file_actions_t. 0, or what went wrong as `errno` has it. */
int cprocess_spawn_in_folder(void *actions, const char *folder);

/* How many processors this thread may run on; 1 when the system does not say. */
int cprocess_processors(void);

/* Waits until all that was written to the file system of an open file is on the disk; 0, or -1 with `errno`. */
int cprocess_syncfs(int file);

/* Takes a lock on a file that is open to write, which the system drops with the last descriptor of this opening; 0, or -1
 * with `errno`: EAGAIN or EACCES when another opening has it. After a failure, close the file: it may have half of the
 * lock. */
int cprocess_lock(int file);

/* Whether another opening has such a lock on a file, or that of an earlier version: 1 or 0, or -1 with `errno`. On most
 * systems no process but one of an earlier version finds the file locked meanwhile. */
int cprocess_is_locked(int file);

#endif
