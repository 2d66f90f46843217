import { setTimeout as delay } from 'node:timers/promises';

const SETTLE_MS = 500;

/**
 * The text of a file that somebody may be replacing just now: meanwhile it may be away, so that another one of its name is
 * found, or be cut short, and what stands there nobody has meant.
 *
 * @param forget what was read, so that the file is looked at again
 * @returns undefined while it changes
 */
export async function settledText(
  read: () => Promise<string | undefined>,
  forget: () => void,
  pause: () => Promise<unknown> = () => delay(SETTLE_MS, undefined, { ref: false }),
): Promise<{ readonly text: string | undefined } | undefined> {
  const text = await read();
  await pause();
  forget();
  return (await read()) === text ? { text } : undefined;
}
