/**
 * A test file that imports this is run by `npm run test:long` and by whoever names it, and not by `npm test`: it starts
 * many processes, waits for what takes its time, or tries a great deal. CI runs all of them.
 */
export {};
