/** Told by `--quick`: fewer and shorter rounds, less data, to see that everything works. */
export const isQuick = process.argv.includes('--quick');

export const ROUNDS = isQuick ? 2 : 4;
export const ROUND_MS = isQuick ? 500 : 1_200;
export const WARM_UP_MS = isQuick ? 500 : 1_500;
