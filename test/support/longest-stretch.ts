/**
 * The most of this thread's processor time that anything takes between two turns of its event loop, in ms: of a processor, and not of a
 * clock, since the machine may have other things to do.
 *
 * @returns what ends the watch and tells
 */
export function watchStretches(): () => number {
  let longest = 0;
  let before = process.threadCpuUsage();
  let isWatching = true;
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    if (isWatching) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isWatching = false;
    return longest;
  };
}
