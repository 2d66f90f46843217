import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { ActivationError } from '#errors/index.ts';

/**
 * The operating system's user that Postgres runs as. Postgres refuses to be root, so a service that was started
 * as root gives it to an unprivileged one.
 */
export interface PostgresUser {
  /** Absent: the user of this process. */
  readonly ids?: { readonly uid: number; readonly gid: number };
  /** Command that changes the user and keeps one capability; empty: the spawn itself changes the user. */
  readonly prefix: readonly string[];
}

/**
 * Capabilities that let the user pass through closed folders such as /root, the weaker first. Containers usually
 * have the second only.
 */
const CAPABILITIES = ['dac_read_search', 'dac_override'];

/**
 * The user that can reach all `paths`.
 * @param pgData when it exists, its owner is the user, because Postgres insists on owning it
 * @throws ActivationError `DB_EMBEDDED_USER`
 */
export async function choosePostgresUser(pgData: string, paths: readonly string[]): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const ids = (await ownerOf(pgData)) ?? (await unprivilegedIds());
  let closed: string | null = null;
  for (const user of [{ ids, prefix: [] }, ...CAPABILITIES.map((name) => withCapability(ids, name))]) {
    const obstacle = await findObstacle(user, paths);
    if (obstacle === null) return user;
    closed ??= obstacle;
  }
  throw new ActivationError([
    {
      id: 'DB_EMBEDDED_USER',
      where: '',
      message: `Postgres does not run as root, and user ${ids.uid} cannot enter ${closed}`,
      hint:
        'start the service as an ordinary user, let others pass through the folders above it (chmod a+x), ' +
        'install setpriv (util-linux), or set DATABASE_URL',
    },
  ]);
}

/** Makes the user the owner of a folder with all that is in it, where it is not; Postgres insists on that. */
export async function giveTo(user: PostgresUser, folder: string): Promise<void> {
  const { ids } = user;
  if (ids === undefined || (await stat(folder)).uid === ids.uid) return;
  const failure = await runAs({ prefix: [] }, 'chown', ['-R', `${ids.uid}:${ids.gid}`, folder]);
  if (failure !== null) throw new Error(failure);
}

export function spawnAs(
  user: PostgresUser,
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'stdio' | 'cwd' | 'detached'>,
): ChildProcess {
  const [first = command, ...others] = [...user.prefix, command, ...args];
  const change = user.prefix.length === 0 ? user.ids : undefined;
  // The service's own environment holds secrets, and PG* variables would change what Postgres does.
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  return spawn(first, others, { ...options, ...change, env });
}

/** Runs to the end; the answer is null when it succeeded, else what it said. */
export async function runAs(
  user: PostgresUser,
  command: string,
  args: readonly string[],
): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const child = spawnAs(user, command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' });
  let said = '';
  const hear = (text: Buffer) => {
    said += text;
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  child.once('error', (error) => resolve(error.message));
  child.once('close', (code, signal) =>
    resolve(code === 0 ? null : said.trim() || `ended with ${code ?? signal}`),
  );
  return promise;
}

function withCapability(ids: { uid: number; gid: number }, name: string): PostgresUser {
  const change = [`--reuid=${ids.uid}`, `--regid=${ids.gid}`, '--clear-groups'];
  // Postgres asks access(2) whether it may run its own program, and access(2) disregards the capabilities of an
  // ordinary user unless this bit is set. The bit lets nothing through the next exec but the ambient capability.
  const honoured = '--securebits=+no_setuid_fixup';
  return {
    ids,
    prefix: ['setpriv', ...change, honoured, `--inh-caps=+${name}`, `--ambient-caps=+${name}`, '--'],
  };
}

/**
 * The first path that the user cannot enter or run, found by trying, because only the operating system knows all
 * its rules.
 */
function findObstacle(user: PostgresUser, paths: readonly string[]): Promise<string | null> {
  const script = 'for path; do test -x "$path" || { echo "$path"; exit 1; }; done';
  return runAs(user, '/bin/sh', ['-c', script, 'sh', ...paths]);
}

/** Undefined for root: it made a copy of an installation or of a data folder, and cannot run Postgres. */
async function ownerOf(path: string): Promise<{ uid: number; gid: number } | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid };
}

async function unprivilegedIds(): Promise<{ uid: number; gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  const users = new Map(lines.map((line) => line.split(':')).map((fields) => [fields[0], fields]));
  const fields = users.get('postgres') ?? users.get('nobody');
  return { uid: Number(fields?.[2] ?? 65_534), gid: Number(fields?.[3] ?? 65_534) };
}
