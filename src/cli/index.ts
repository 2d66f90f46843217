/** The command line: one file per command, each with its help and its exit codes (0 fine, 1 finding, 2 usage). */
export { run } from './run.ts';
