import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Asks the person at the terminal for what nobody else shall see. */
export async function askSecret(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** Whether the person at the terminal wants it; where nobody sits there, the command itself was the answer. */
export async function confirmed(question: string): Promise<boolean> {
  if (!isTerminal()) return true;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** Whether somebody sits there who can be asked. */
export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}
