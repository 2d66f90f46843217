import type { Wake } from '#database/index.ts';
import type { QueueOptions } from '#queue/queue.ts';

/** Wakes of a queue that call whoever is to be woken, after the commit. */
export function wakesOf(run: (topic: string) => void): QueueOptions['wakes'] {
  const wake = (topic: string): Wake => ({ topic, run: () => run(topic), statement: () => undefined });
  return { ahead: wake('ahead'), behind: wake('behind') };
}
