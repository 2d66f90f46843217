import { open, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { ConnectorError } from '../../contract.ts';

const LOOK_MS = 50;
/** Nobody writes that long: whoever has made it has died over it. */
const STALE_MS = 120_000;

/** Does something while nobody else does, be it on another node that sees the same folder. */
export async function withLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const isMine = await take(path);
    if (isMine) break;
    if (await isStale(path)) await rm(path, { force: true });
    else {
      await pause(LOOK_MS, undefined, { signal }).catch(() => {
        throw new ConnectorError('timeout', `'${path}' says that somebody else writes the file`);
      });
    }
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(`${hostname()} ${process.pid}\n`).finally(() => file.close());
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return false;
    throw new ConnectorError('denied', `'${path}' cannot be made: ${String(code)}`, { cause: error });
  }
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}
