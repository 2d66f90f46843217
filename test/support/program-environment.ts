const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;

/** What a program of ours has from `bin/bootstrap.js` and its user's shell, and no settings. */
export const PROGRAM_ENVIRONMENT = { PATH, HOME, NODE_COMPILE_CACHE };
