import { printable } from './printable.ts';
import { complain } from './typed-name.ts';

/** What went wrong, in words: what, what to do, and by which names others know it. */
export interface Mistake {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly id?: string | undefined;
  /** The id by which log and audit of the node know the request. */
  readonly request?: string | undefined;
}

/** @param body what a program gets in place of the lines, where it is more than those say */
export function tellError(isMachineRead: boolean, mistake: Mistake, body: object = mistake): void {
  const { message, ...facts } = mistake;
  if (isMachineRead) {
    console.error(printable(JSON.stringify(body)));
    return;
  }
  const lines = Object.entries(facts).flatMap(([fact, said]) =>
    said === undefined ? [] : [`  ${fact}: ${said}`],
  );
  complain([message, ...lines].join('\n'));
}
