import type { Scan } from '#client/index.ts';
import { EXIT } from '../command.ts';
import { say, showObject } from './output.ts';
import type { Asked } from './remote-command.ts';
import { isSpoken } from './report.ts';
import { formatScan } from './scan-progress.ts';
import type { Flag } from './verb.ts';

const POLL_MS = 500;
export const WATCH: Readonly<Record<string, Flag>> = {
  watch: { short: 'w', does: 'stay, and show a progress bar until it has ended' },
};

/** A run as it is now, and what is shown of it in other forms than a line. */
interface Seen {
  readonly run: Scan;
  readonly shown: object;
}

/**
 * On a terminal one line that is written anew, elsewhere a line whenever something has changed.
 *
 * @returns the exit code: a finding where it failed, was cancelled, or failed for some of its objects
 */
export async function watchRun(asked: Asked, read: () => Promise<Seen>): Promise<number> {
  const isTerminal = process.stdout.isTTY === true;
  for (let before = ''; ; ) {
    const { run, shown } = await read();
    const isOver = !['INITIALIZED', 'ACTIVE'].includes(run.progress.state);
    const line = formatScan(run, 30);
    if (isSpoken(asked) && isTerminal) process.stdout.write(`\r\x1b[K${line}${isOver ? '\n' : ''}`);
    else if (isSpoken(asked) && line !== before) say(line);
    before = line;
    if (isOver) {
      if (!isSpoken(asked)) showObject(shown, asked.form);
      else {
        for (const { objectID, error } of run.errors) say(`  ${objectID}: ${error.message}`);
        if (run.error !== null) say(`  ${run.error.message}`);
      }
      return run.progress.state === 'COMPLETED' && run.progress.failures === 0 ? EXIT.OK : EXIT.FINDING;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
