import { complain } from './typed-name.ts';

/** What went wrong, in words: what, what to do, and by which names others know it. */
export interface Mistake {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly id?: string | undefined;
  /** By which log and audit of the node know it. */
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
  complain(printable([message, ...lines].join('\n')));
}

/** What somebody has stored must not steer the terminal of who reads it. */
export function printable(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be taken out
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
