import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { ActivationError } from '#errors/index.ts';
import type { PostgresBinaries } from './embedded-binaries.ts';
import { type PostgresUser, runAs } from './embedded-user.ts';

/** Name of the database superuser of an embedded server. */
export const SUPERUSER = 'svc';

/**
 * File in a copied data folder that holds the password the template was made with. It is deleted once the
 * copy has a password of its own.
 */
export const FIRST_PASSWORD_FILE = 'svc_first_password';

/** Written to postgresql.conf, where an operator may change them later. */
const SETTINGS = {
  max_connections: '200',
  shared_buffers: '128MB',
  wal_compression: 'on',
  synchronous_commit: 'on',
  fsync: 'on',
  // A session in a long query does not notice by itself that the service, or Postgres, was killed.
  client_connection_check_interval: '1s',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // The log stays free of what users store: no statements, no key values.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

// Collation and case rules of one Postgres version are the same on every machine with the builtin provider.
const INITDB_ARGUMENTS = [
  `--username=${SUPERUSER}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-data-checksums',
  '--no-sync',
  ...Object.entries(SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
];

const ABANDONED_AFTER_MS = 600_000;

export function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

/** The folder where templates are kept: beside the packages, or in the temporary folder when that is closed. */
export async function openTemplateCache(binaries: PostgresBinaries): Promise<string> {
  const modules = binaries.home.split(`${sep}node_modules${sep}`)[0];
  const beside = join(modules ?? '', 'node_modules', '.cache', 'svc-postgres');
  const uid = process.getuid?.() ?? 0;
  const temporary = join(tmpdir(), `svc-postgres-${uid}`);
  for (const folder of [beside, temporary]) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o711 });
      // In a folder that others can write to, somebody else may have made it first, with a template of his own.
      const found = await lstat(folder);
      const mine = found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0;
      if (!mine) continue;
      const probe = join(folder, `.probe-${randomUUID()}`);
      await writeFile(probe, '');
      await rm(probe);
      return folder;
    } catch {
      // Closed: the next one.
    }
  }
  throw new ActivationError([
    {
      id: 'DB_EMBEDDED_CACHE',
      where: '',
      message: `Neither ${beside} nor ${temporary} can be written to`,
      hint: 'open one of them for the user who starts the service, or set DATABASE_URL',
    },
  ]);
}

/**
 * Path of an initialised data folder that only needs to be copied. Making it takes about a second, once per
 * Postgres version and user; several processes may ask at the same time.
 */
export async function getTemplate(
  binaries: PostgresBinaries,
  cache: string,
  user: PostgresUser,
  observe: (message: string) => void,
): Promise<string> {
  const recipe = createHash('sha256').update(JSON.stringify(INITDB_ARGUMENTS)).digest('hex').slice(0, 12);
  const owner = user.ids?.uid ?? process.getuid?.() ?? 0;
  const template = join(cache, `${binaries.version}-${process.platform}-${process.arch}-u${owner}-${recipe}`);
  if (await exists(template)) return template;
  observe(`Preparing Postgres ${binaries.version}, once`);
  await removeAbandoned(cache);
  const draft = join(cache, `.draft-${randomUUID()}`);
  try {
    await makeTemplate(binaries, draft, user);
    await rename(join(draft, 'data'), template).catch(async (error: unknown) => {
      if (!(await exists(template))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return template;
}

/**
 * A copy of the template, owners included; `target` must not exist. One that was made beforehand is taken as it is: a
 * thousand files are a fifth of a second of processor time, and on a busy machine more than all the rest of a start.
 */
export async function takeCopy(template: string, target: string): Promise<void> {
  try {
    await rename(spareOf(template), target);
  } catch {
    // None is there, somebody else was faster, or the target is on another file system.
    const failure = await copy({ prefix: [] }, template, target);
    if (failure !== null) throw cannotInitialise(failure);
  }
}

/** Makes the copy for the next one who takes one, with processor time that is left over. Where it fails, that one copies. */
export async function prepareCopy(template: string): Promise<void> {
  const cache = dirname(template);
  const draft = join(cache, `.draft-${randomUUID()}`);
  try {
    if (await exists(spareOf(template))) return;
    await removeAbandoned(cache);
    if ((await copy({ prefix: ['nice', '-n', '19'] }, template, draft)) === null) {
      await rename(draft, spareOf(template));
    }
  } catch {
    // Somebody else has made one.
  } finally {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
  }
}

function spareOf(template: string): string {
  return `${template}.spare`;
}

/** One cp is faster than a thousand copies through the event loop, and clones where the file system can. */
function copy(user: PostgresUser, from: string, to: string): Promise<string | null> {
  return runAs(user, 'cp', ['-a', from, to]);
}

async function makeTemplate(binaries: PostgresBinaries, draft: string, user: PostgresUser): Promise<void> {
  const passwordFile = join(draft, FIRST_PASSWORD_FILE);
  const data = join(draft, 'data');
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, newPassword(), { mode: 0o600 });
  if (user.ids !== undefined) {
    await chown(passwordFile, user.ids.uid, user.ids.gid);
    await chown(draft, user.ids.uid, user.ids.gid);
  }
  const failure = await runAs(user, binaries.initdb, [
    ...INITDB_ARGUMENTS,
    `--pgdata=${data}`,
    `--pwfile=${passwordFile}`,
  ]);
  if (failure !== null) throw cannotInitialise(failure);
  await rename(passwordFile, join(data, FIRST_PASSWORD_FILE));
  await chmod(data, 0o700);
}

/** Drafts of processes that were killed while they made one. */
async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith('.draft-')) continue;
    const path = join(cache, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

function cannotInitialise(failure: string): ActivationError {
  return new ActivationError([
    {
      id: 'DB_EMBEDDED_INIT',
      where: '',
      message: `The embedded Postgres could not be initialised: ${failure.split('\n').slice(-3).join(' ')}`,
      hint: 'see that the disk has room, or set DATABASE_URL to a PostgreSQL server',
    },
  ]);
}
