import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ActivationError, systemCodeOf } from '#errors/index.ts';
import { isAlive, type ProcessIdentity, thisProcess } from './embedded-process.ts';

/**
 * Makes this process the owner of a data folder. A lock whose process is gone is taken over.
 * @returns releases it
 * @throws ActivationError `DB_DATA_DIR_IN_USE` when a living process owns it
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const path = lockFile(dataDir);
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(thisProcess()), { mode: 0o600 });
  try {
    const owner = await take(path, draft);
    if (owner !== undefined) throw inUse(dataDir, owner.pid);
  } finally {
    await rm(draft, { force: true });
  }
  return () => rm(path, { force: true });
}

/** The living owner of a data folder, if there is one. */
export async function findOwner(dataDir: string): Promise<ProcessIdentity | undefined> {
  const text = await readLock(lockFile(dataDir));
  return text === undefined ? undefined : livingOwner(text);
}

/**
 * Links the draft to the path, so that a lock appears with its content and only where there was none.
 *
 * A dead owner's lock may be removed only by who holds a second lock that is named after that owner. Without it
 * two starts could both see the dead lock, and the slower one would remove the new lock of the faster one.
 * @returns the living owner when there is one
 */
async function take(path: string, draft: string): Promise<ProcessIdentity | undefined> {
  while (!(await linkIfFree(draft, path))) {
    const text = await readLock(path);
    if (text === undefined) continue;
    const owner = livingOwner(text);
    if (owner !== undefined) return owner;
    const succession = `${path}.after-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    const rival = await take(succession, draft);
    if (rival !== undefined) return rival;
    if ((await readLock(path)) === text) await rm(path, { force: true });
    await rm(succession, { force: true });
  }
  return undefined;
}

async function linkIfFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function readLock(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function livingOwner(text: string): ProcessIdentity | undefined {
  const owner = JSON.parse(text) as ProcessIdentity;
  return isAlive(owner) ? owner : undefined;
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'postgres.lock');
}

function inUse(dataDir: string, pid: number): ActivationError {
  return new ActivationError([
    {
      id: 'DB_DATA_DIR_IN_USE',
      where: '',
      message: `The data folder ${dataDir} is in use by process ${pid}`,
      hint: 'choose another SVC_DATA_DIR, or set DATABASE_URL to let several processes share one database',
    },
  ]);
}
