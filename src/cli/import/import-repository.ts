import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  auditConfig,
  authenticationConfig,
  ConfigStore,
  managedConfig,
  overlayFlags,
  readSettings,
  writtenJson,
} from '#config/index.ts';
import { openCrypto, readKeyRing } from '#crypto/index.ts';
import { type Database, inspectSchema, readMigrations } from '#database/index.ts';
import { wordsOf } from '#errors/index.ts';
import { ManagedTypes } from '#managed/index.ts';
import { type Command, EXIT } from '../command.ts';
import { isTold, tell } from '../told.ts';
import { complain } from '../typed-name.ts';
import { UsageError } from '../usage-error.ts';
import { withDatabase } from '../with-database.ts';
import { openHouse } from './houses/open-house.ts';
import { ForeignSourceError } from './repository/foreign-source-error.ts';
import { GROUPS, type Group } from './repository/import-source.ts';
import { type ImportOptions, runImport } from './repository/run-import.ts';
import type { Tally } from './repository/tally.ts';
import { verifyImport } from './repository/verify-import.ts';

type Flags = Parameters<Command['run']>[0];

export const repositoryOptions: Command['options'] = {
  apply: { type: 'boolean' },
  delete: { type: 'boolean' },
  follow: { type: 'boolean' },
  every: { type: 'string' },
  only: { type: 'string' },
  schema: { type: 'string' },
  user: { type: 'string' },
  type: { type: 'string' },
  zone: { type: 'string' },
  audit: { type: 'string' },
};

const DEFAULT_EVERY = '5';

/** `svc import repository`: what stands in the tables of the other server. */
export async function importRepository(flags: Flags, url: string): Promise<number> {
  const every = secondsOf(flags['every']);
  if (flags['follow'] === true && flags['apply'] !== true) throw new UsageError('--follow needs --apply');
  return withImport(flags, url, async (options) => {
    const isApplied = flags['apply'] === true;
    const deletes = flags['delete'] === true;
    const tally = await runImport({ ...options, isApplied, deletes, isQuick: false });
    tell(flags, toldOf(tally, { isApplied, source: options.source.place }), () => inLines(tally, isApplied));
    if (flags['follow'] !== true) return tally.hasLeft ? EXIT.FINDING : EXIT.OK;
    return follow(options, every, isTold(flags) === 'lines');
  });
}

/** `svc import verify`: each object there against what is here. */
export async function verifyRepository(flags: Flags, url: string): Promise<number> {
  return withImport(flags, url, async (options) => {
    const tally = await verifyImport(options);
    const told = tally.kinds.map(({ about, read, unchanged, left }) => ({
      about,
      read,
      same: unchanged,
      differ: left,
    }));
    tell(
      flags,
      { source: options.source.place, isSame: !tally.hasLeft, kinds: told, remarks: tally.remarks },
      () =>
        [
          ...remarksInLines(tally),
          ...told.map(
            ({ about, read, same, differ }) => `${about}: ${read} read, ${same} the same here, ${differ} not`,
          ),
        ].join('\n'),
    );
    return tally.hasLeft ? EXIT.FINDING : EXIT.OK;
  });
}

/** What changes there comes within seconds, until somebody ends it. */
async function follow(options: Known, everySeconds: number, isTold: boolean): Promise<number> {
  const stop = new AbortController();
  const end = () => stop.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, end);
  if (isTold) console.log(`following ${options.source.place} every ${everySeconds} s; Ctrl-C ends it`);
  while (!stop.signal.aborted) {
    const round = { ...options, isApplied: true, deletes: true, isQuick: true, signal: stop.signal };
    // Either of the two databases may be away for a while.
    const tally = await runImport(round).catch((error: unknown) => {
      complain(`svc import: ${wordsOf(error)}; it is tried again`);
      return undefined;
    });
    for (const { about, created, updated, deleted } of tally?.kinds ?? []) {
      if (isTold && created + updated + deleted > 0)
        console.log(`${about}: ${created} created, ${updated} updated, ${deleted} deleted`);
    }
    await setTimeout(everySeconds * 1_000, undefined, { signal: stop.signal }).catch(() => {});
  }
  return EXIT.OK;
}

type Known = Omit<ImportOptions, 'isApplied' | 'deletes' | 'isQuick' | 'signal'>;

async function withImport(
  flags: Flags,
  url: string,
  work: (options: Known) => Promise<number>,
): Promise<number> {
  const own = ownFlags(flags);
  const settings = readSettings(process.env, own);
  const environment = overlayFlags(process.env, own);
  const only = groupsOf(flags['only']);
  const passwordFile = textOf(flags['password-file']);
  const password =
    passwordFile === undefined ? undefined : (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, '');
  const config = await ConfigStore.inspect({ settings, environment, report: () => {} });
  const types = new ManagedTypes();
  types.replace(writtenJson(config.get(managedConfig).objects));
  const { text: ring } = await readKeyRing({
    variable: environment['SVC_KEYS'],
    dataDirectory: settings.dataDirectory,
  });
  const crypto = openCrypto({ keyRing: ring });
  return withDatabase(settings, 'svc import', async (database) => {
    if (!(await hasSchema(database, settings.installLocation))) return EXIT.FINDING;
    try {
      const { projectLocation } = settings;
      const audit = sinceOf(textOf(flags['audit']));
      const [schema, user, type, zone] = ['schema', 'user', 'type', 'zone'].map((name) =>
        textOf(flags[name]),
      );
      const given = { place: url, password, schema, user, type, zone, audit };
      await using source = await openHouse(given, { types, crypto, projectLocation });
      const role = config.properties.roles.authorized;
      const { keepDays } = config.get(auditConfig);
      const authentication = config.get(authenticationConfig);
      return await work({ source, database, types, crypto, ring, authentication, role, keepDays, only });
    } catch (error) {
      if (!(error instanceof ForeignSourceError)) throw error;
      complain(`svc import: ${error.message}`);
      return EXIT.FINDING;
    }
  });
}

function textOf(flag: string | boolean | undefined): string | undefined {
  return typeof flag === 'string' ? flag : undefined;
}

/** The time from which on entries come, given as a day or a time. */
function sinceOf(given: string | undefined): string | undefined {
  if (given === undefined || given === 'all') return given;
  const at = Date.parse(given);
  if (!/^\d{4}-\d\d-\d\d/.test(given) || Number.isNaN(at))
    throw new UsageError(`--audit is '${given}': expected a day such as 2026-01-31, or all`);
  return new Date(at).toISOString();
}

/** The flags that every command takes. */
export function ownFlags(flags: Flags): Flags {
  const mine = new Set(['output', 'json', 'password-file', 'to', ...Object.keys(repositoryOptions)]);
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !mine.has(name)));
}

export async function hasSchema({ db }: Database, installLocation: string): Promise<boolean> {
  const { pending } = await inspectSchema(db, await readMigrations(join(installLocation, 'migrations')));
  if (pending.length === 0) return true;
  complain(`svc import: the schema lacks ${pending.length} migrations: 'svc migrate', or start a node first`);
  return false;
}

function secondsOf(given: string | boolean | undefined): number {
  const seconds = Number(given ?? DEFAULT_EVERY);
  if (Number.isFinite(seconds) && seconds >= 0.1 && seconds <= 3_600) return seconds;
  throw new UsageError(`--every is '${String(given)}', and no number of seconds from 0.1 to 3600`);
}

function groupsOf(given: string | boolean | undefined): ReadonlySet<Group> {
  if (typeof given !== 'string') return new Set(GROUPS);
  const names = given.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !GROUPS.some((group) => group === name));
  if (wrong !== undefined) throw new UsageError(`--only '${wrong}': there are ${GROUPS.join(', ')}`);
  return new Set(GROUPS.filter((group) => names.includes(group)));
}

function toldOf(tally: Tally, facts: { readonly isApplied: boolean; readonly source: string }) {
  return { ...facts, kinds: tally.kinds, remarks: tally.remarks };
}

function inLines(tally: Tally, isApplied: boolean): string {
  const counts = tally.kinds.map(
    ({ about, read, created, updated, unchanged, deleted, left }) =>
      `${about}: ${read} read, ${created} created, ${updated} updated, ${unchanged} unchanged, ${deleted} deleted, ${left} left`,
  );
  const last = isApplied
    ? "Written. 'svc import verify' compares, 'svc import finish' ends it, 'svc import undo' takes it back."
    : 'This is the plan, and nothing was written: --apply does it.';
  return [...remarksInLines(tally), ...counts, last].join('\n');
}

function remarksInLines({ remarks }: Tally): readonly string[] {
  return remarks.map(({ about, reason, isLeft, count, ids }) => {
    const which = ids.length === 0 ? '' : ` (${ids.join(', ')}${count > ids.length ? ', …' : ''})`;
    return `${isLeft ? 'left ' : 'note '} ${about}: ${count}${which}: ${reason}`.replace(/\p{C}/gu, '?');
  });
}
