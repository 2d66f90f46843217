/** Told by `--quick`: fewer and shorter rounds, less data, to see that everything works. */
export const isQuick = process.argv.includes('--quick');

/** Told by `--full`: no limit of time, until all of the data is done. */
export const isFull = process.argv.includes('--full');

export const ROUNDS = isQuick ? 2 : 4;
export const ROUND_MS = isQuick ? 500 : 1_200;
export const WARM_UP_MS = isQuick ? 500 : 1_500;
