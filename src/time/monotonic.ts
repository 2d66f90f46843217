/**
 * Milliseconds since some moment in the past, the same for all threads of the process. For spans that one thread
 * begins and another judges: when the machine's wall clock is set, nobody is late or dead for it.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
