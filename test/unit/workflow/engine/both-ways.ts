import { test } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { Host } from './host.ts';

type Options = Parameters<typeof Host.start>[2];
export type Start = (
  files: string | readonly string[],
  variables?: JsonObject,
  options?: Options,
  stimulus?: Parameters<typeof Host.start>[3],
) => Promise<Host>;

/** The same case twice: in one piece, and with the state written out and read back before every step. */
export function bothWays(title: string, play: (start: Start) => Promise<void>): void {
  for (const revives of [false, true]) {
    test(`${title}${revives ? ', also when revived between all steps' : ''}`, () =>
      play((files, variables, options, stimulus) =>
        Host.start(files, variables, { ...options, revives }, stimulus),
      ));
  }
}
