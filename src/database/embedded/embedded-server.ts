import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  ACCESS_FILE,
  type Access,
  freePort,
  readAccess,
  replaceFirstPassword,
  urlOf,
  writeAccess,
} from './embedded-access.ts';
import { findPostgresBinaries, type PostgresBinaries } from './embedded-binaries.ts';
import { initialiseData, makeDataDir, syncData, unusable } from './embedded-data.ts';
import { lockDataDir } from './embedded-lock.ts';
import { type Postmaster, startPostmaster, stopOrphan } from './embedded-postmaster.ts';
import { FIRST_PASSWORD_FILE, newPassword, openTemplateCache, prepareCopy } from './embedded-template.ts';
import { choosePostgresUser, type PostgresUser } from './embedded-user.ts';

export interface EmbeddedServerOptions {
  /**
   * Holds `postgres/` (the database), `postgres.json` (port and password, readable by the owner only),
   * `postgres.lock` (the owning process) and `postgres.log`. Made when it does not exist.
   */
  readonly dataDir: string;
  readonly observe?: (message: string) => void;
  /** Postgres settings that win over `postgres/postgresql.conf`, such as `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedServer {
  /** `postgres://…`, with the password. */
  readonly url: string;
  /** The same server without a connection pooler between, which an embedded server never has. */
  readonly directUrl: string;
  readonly pid: number;
  readonly version: string;
  /** Settles when Postgres has ended, whether it was stopped or died. */
  readonly ended: Promise<void>;
  /** Fast shutdown: open transactions are rolled back, sessions are closed. */
  stop(): Promise<void>;
}

interface Place {
  readonly dataDir: string;
  readonly pgData: string;
  readonly binaries: PostgresBinaries;
  readonly user: PostgresUser;
  readonly settings: Readonly<Record<string, string>>;
  readonly observe: (message: string) => void;
}

const PORT_ATTEMPTS = 5;
const LINGERING_SESSIONS_MS = 60_000;
const RETRY_MS = 50;

/**
 * Runs a Postgres of our own on 127.0.0.1, for this process alone. Whatever an earlier owner left behind, even
 * a running Postgres, is cleared away first. When this process dies without `stop`, Postgres stops by itself.
 * @throws ActivationError `DB_DATA_DIR_IN_USE`, `DB_DATA_DIR_VERSION`, `DB_DATA_DIR_INVALID`, `DB_EMBEDDED_*`
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const dataDir = resolve(options.dataDir);
  const pgData = join(dataDir, 'postgres');
  const { observe = () => {}, settings = {} } = options;
  const binaries = await findPostgresBinaries();
  await makeDataDir(dataDir);
  const unlock = await lockDataDir(dataDir).catch(explain);
  try {
    const cache = await openTemplateCache(binaries);
    const user = await choosePostgresUser(pgData, [dataDir, cache, binaries.postgres, binaries.initdb]);
    const madeFrom = await initialiseData(binaries, cache, user, pgData, observe);
    await stopOrphan(pgData, observe);
    const { postmaster, access } = await launch({ dataDir, pgData, binaries, user, settings, observe });
    const syncing =
      madeFrom !== undefined && settings['fsync'] !== 'off' ? syncData(binaries, user, pgData) : undefined;
    await replaceFirstPassword(access, pgData).catch(async (error: unknown) => {
      await postmaster.stop();
      throw error;
    });
    const preparing = madeFrom === undefined ? undefined : prepareCopy(madeFrom);
    const url = urlOf(access);
    const ended = postmaster.ended.then(unlock);
    const stop = async () => {
      await syncing;
      await preparing;
      await postmaster.stop();
      await ended;
    };
    return { url, directUrl: url, pid: postmaster.pid, version: binaries.version, ended, stop };
  } catch (error) {
    await unlock();
    return explain(error);
  }

  function explain(error: unknown): never {
    throw error instanceof Error && 'syscall' in error ? unusable(dataDir, error.message) : error;
  }
}

/** Starts on the remembered port where it is free, on another otherwise. */
async function launch(place: Place): Promise<{ postmaster: Postmaster; access: Access }> {
  const accessFile = join(place.dataDir, ACCESS_FILE);
  const remembered = await readAccess(accessFile);
  if (remembered === undefined) await refuseUnknownPassword(accessFile, place.pgData);
  const password = remembered?.password ?? newPassword();
  const startedAt = performance.now();
  for (let attempt = 1; ; ) {
    const port = await freePort(attempt === 1 ? remembered?.port : undefined);
    const access = { port, password, version: place.binaries.version };
    if (!isDeepStrictEqual(access, remembered)) await writeAccess(accessFile, access);
    try {
      return { postmaster: await startOn(port, place), access };
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      // Between the look and the start somebody else may have taken the port.
      const portTaken = /could not create any TCP\/IP sockets/.test(reason) && attempt < PORT_ATTEMPTS;
      // Sessions of a Postgres that was killed notice it a moment later.
      const lingering =
        /pre-existing shared memory block/.test(reason) &&
        performance.now() - startedAt < LINGERING_SESSIONS_MS;
      if (!portTaken && !lingering) throw error;
      if (portTaken) attempt++;
      else await delay(RETRY_MS);
    }
  }
}

function startOn(port: number, place: Place): Promise<Postmaster> {
  return startPostmaster({
    user: place.user,
    postgres: place.binaries.postgres,
    pgData: place.pgData,
    logFile: join(place.dataDir, 'postgres.log'),
    observe: place.observe,
    settings: {
      ...place.settings,
      port: String(port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
    },
  });
}

async function refuseUnknownPassword(accessFile: string, pgData: string): Promise<void> {
  const isFresh = await stat(join(pgData, FIRST_PASSWORD_FILE)).catch(() => undefined);
  if (isFresh === undefined) throw unusable(accessFile, `${accessFile} with its password is missing`);
}
