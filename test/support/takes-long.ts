/**
 * A test file that imports this is run by `npm run test:long` and by whoever names it, and not by `npm test`: it starts
 * many processes, or waits for what takes its time. CI runs all of them.
 */
export {};
