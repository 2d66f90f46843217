import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPosition } from '#database/index.ts';
import type { Service } from '#lifecycle/index.ts';

const FILE = 'seen.json';
const INTERVAL_MS = 30_000;

/** How far a node has seen the log of its database, in its data folder: a database that was put back knows less. */
export interface SeenMarker {
  readonly history: string;
  readonly lsn: string;
}

/** @returns undefined where there is none, or none that can be read */
export async function readSeenMarker(dataDirectory: string): Promise<SeenMarker | undefined> {
  try {
    const { history, lsn } = JSON.parse(await readFile(join(dataDirectory, FILE), 'utf8'));
    return /^[0-9A-F]+\/[0-9A-F]+$/i.test(lsn) && typeof history === 'string' ? { history, lsn } : undefined;
  } catch {
    return undefined;
  }
}

/** Writes it now and then and at the end, where there may be written. Who has no such folder goes without. */
export function seenMarkerKeeper(
  dataDirectory: string,
  history: string,
  seen: () => LogPosition | undefined,
): Service {
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  const write = () => {
    const lsn = seen()?.lsn;
    if (lsn === undefined) return;
    writing = writing.then(() => writeMarker(dataDirectory, { history, lsn })).catch(() => undefined);
  };
  return {
    name: 'seen marker',
    async start() {
      timer = setInterval(write, INTERVAL_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      write();
      await writing;
    },
  };
}

async function writeMarker(dataDirectory: string, marker: SeenMarker): Promise<void> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const [file, draft] = [join(dataDirectory, FILE), join(dataDirectory, `${FILE}.new`)];
  await writeFile(draft, `${JSON.stringify(marker)}\n`);
  await rename(draft, file);
}
