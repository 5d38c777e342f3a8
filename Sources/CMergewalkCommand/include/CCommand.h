/* What a command has to do before Swift's main function runs. */
#ifndef CCOMMAND_H
#define CCOMMAND_H

/* The arguments that the process was started with, as the loader hands them over: Swift reads them from /proc, which
 * need not be there. */
int ccommand_argument_count(void);
const char *ccommand_argument(int index);

/* From here on the first SIGINT, SIGTERM or SIGHUP is only a request; before, it ends the process with exit code 4. */
void ccommand_listen(void);

/* Lets go of the pages of code that the process has used so far: those that are used again come back from the file, which
 * the system keeps in memory as long as it has some to spare. */
void ccommand_let_code_go(void);

/* Keeps memory that is freed for the next use, for a process that does the same many times over: what goes back to the
 * system comes again page by page, a tenth of the time of a small store. */
void ccommand_keep_freed_memory(void);

/* Whether somebody has asked the process to stop. */
int ccommand_is_stop_requested(void);

#endif
