import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ActivationError, wordsOf } from '#errors/index.ts';
import type { PostgresBinaries } from './embedded-binaries.ts';
import { getTemplate, takeCopy } from './embedded-template.ts';
import { giveTo, type PostgresUser, runAs } from './embedded-user.ts';

export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    // Root's folder is passed through by the user that Postgres runs as; the files in it are closed themselves.
    await mkdir(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    throw unusable(dataDir, wordsOf(error));
  }
}

/**
 * Makes the database where there is none.
 * @returns the template that it was made of now; undefined where there was one
 * @throws ActivationError `DB_DATA_DIR_VERSION` when another major version made the one that is there
 */
export async function initialiseData(
  binaries: PostgresBinaries,
  cache: string,
  user: PostgresUser,
  pgData: string,
  observe: (message: string) => void,
): Promise<string | undefined> {
  const found = await readFile(join(pgData, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unusable(pgData, error.message);
  });
  if (found !== undefined) {
    if (Number(found) !== binaries.major) throw otherVersion(pgData, found.trim(), binaries.version);
    await giveTo(user, pgData);
    return undefined;
  }
  const draft = `${pgData}.new`;
  await rm(draft, { recursive: true, force: true });
  const template = await getTemplate(binaries, cache, user, observe);
  await takeCopy(template, draft);
  await giveTo(user, draft);
  await rename(draft, pgData).catch((error: Error) => {
    throw unusable(pgData, error.message);
  });
  return template;
}

/** Neither the template nor its copy was flushed to the disk; a power cut would lose it until this has run. */
export async function syncData(
  binaries: PostgresBinaries,
  user: PostgresUser,
  pgData: string,
): Promise<void> {
  await runAs(user, binaries.initdb, ['--sync-only', `--pgdata=${pgData}`]);
}

export function unusable(path: string, why: string): ActivationError {
  return new ActivationError([
    {
      id: 'DB_DATA_DIR_INVALID',
      where: '',
      message: `The data folder cannot be used: ${why}`,
      hint: `see what ${path} is and who owns it, or choose another SVC_DATA_DIR`,
    },
  ]);
}

function otherVersion(pgData: string, found: string, version: string): ActivationError {
  return new ActivationError([
    {
      id: 'DB_DATA_DIR_VERSION',
      where: join(pgData, 'PG_VERSION'),
      message: `The database was made by PostgreSQL ${found}, the embedded server is ${version}`,
      hint: `dump it with PostgreSQL ${found} and restore it into a new SVC_DATA_DIR, or set DATABASE_URL`,
    },
  ]);
}
