import { overlayFlags, readSettings } from '#config/index.ts';
import { type KeyRingText, openCrypto, readKeyRing } from '#crypto/index.ts';
import type { Database, Db } from '#database/index.ts';
import { asJson } from '#json/index.ts';
import { releaseSchedule, type ScheduleImport, withdrawSchedule } from '#scheduler/index.ts';
import { countHistory, deleteHistory, recordImport } from '#security/index.ts';
import { ProcessImport } from '#workflow/index.ts';
import { type Command, EXIT } from '../command.ts';
import { tell } from '../told.ts';
import { complain } from '../typed-name.ts';
import { withDatabase } from '../with-database.ts';
import { hasSchema, ownFlags } from './import-repository.ts';
import { DEFINITIONS, PROCESSES } from './processes/take-processes.ts';
import type { StoredKind } from './repository/item.ts';
import {
  beginSeen,
  deleteItems,
  forgetImport,
  listGone,
  listImported,
  listProcesses,
  listSchedules,
  releaseNames,
} from './repository/store-repository.ts';

type Flags = Parameters<Command['run']>[0];

/** Edges go before what they are between. */
const UNDONE: readonly StoredKind[] = ['link', 'relationship', 'managed', 'repo'];
const PAGE = 2_000;

/** `svc import status`: what has come, until it is finished. */
export function importStatus(flags: Flags): Promise<number> {
  return withImported(flags, async ({ database }) => {
    const recorded = await countHistory(database.db);
    const kinds = [
      ...(await listImported(database.db)),
      ...recorded.map(({ topic, ...counts }) => ({ kind: 'audit', type: topic, ...counts })),
    ];
    tell(flags, { kinds }, () =>
      kinds.length === 0
        ? 'Nothing has come, or svc import finish has ended it.'
        : kinds
            .map(
              ({ source, kind, type, items, lastAt }) =>
                `${nameOf(kind, type)}: ${items} from ${source}, the last one at ${lastAt.toISOString()}`,
            )
            .join('\n'),
    );
    return EXIT.OK;
  });
}

/** `svc import finish`: schedules fire from now on, and nothing is taken back any more. */
export function finishImport(flags: Flags): Promise<number> {
  return withImported(flags, async (options) => {
    const { db } = options.database;
    let released = 0;
    for (const { id, isPaused } of await listSchedules(db)) {
      if (!isPaused && (await releaseSchedule(options, id))) released++;
    }
    const processes = await releaseProcesses(options.database);
    await forgetImport(db);
    await recordImport(db, options.ring, 'IMPORT_FINISH', { released, processes });
    const told = { isFinished: true, released, processes };
    tell(
      flags,
      told,
      () => `Finished; ${released} schedules fire and ${processes} processes go on from now on.`,
    );
    return EXIT.OK;
  });
}

/** `svc import undo`: takes away what has come and was not changed here since. */
export function undoImport(flags: Flags): Promise<number> {
  return withImported(flags, async (options) => {
    const taken = await options.database.db.connection().execute((db) => takeBack(db));
    let schedules = 0;
    for (const { id } of await listSchedules(options.database.db)) {
      if (await withdrawSchedule(options, id)) schedules++;
    }
    const processes = await withdrawProcesses(options.database);
    const recorded = await deleteHistory(options.database.db);
    const kinds = [
      ...taken.kinds,
      ...processes,
      ...(recorded === 0 ? [] : [{ about: 'audit/imported', deleted: recorded, kept: 0 }]),
      ...(schedules === 0 ? [] : [{ about: 'scheduler/job', deleted: schedules, kept: 0 }]),
    ];
    await forgetImport(options.database.db);
    await recordImport(options.database.db, options.ring, 'IMPORT_UNDO', { kinds: asJson(kinds) });
    tell(flags, { isUndone: true, kinds }, () =>
      [
        ...kinds.map(
          ({ about, deleted, kept }) => `${about}: ${deleted} taken back, ${kept} changed here and kept`,
        ),
        'Undone.',
      ].join('\n'),
    );
    return kinds.some(({ kept }) => kept > 0) ? EXIT.FINDING : EXIT.OK;
  });
}

/** Lets the processes go on; those that stood still at the other server stay so. @returns how many go on */
async function releaseProcesses(database: Database): Promise<number> {
  const processes = new ProcessImport(database, '');
  let released = 0;
  for (const { rootId, isSuspended } of await listProcesses(database.db, null)) {
    if (!isSuspended && (await processes.release(rootId))) released++;
  }
  await processes.releaseDefinitions();
  return released;
}

async function withdrawProcesses(database: Database) {
  const processes = new ProcessImport(database, '');
  const told = { about: PROCESSES, deleted: 0, kept: 0 };
  for (const { rootId, revision } of await listProcesses(database.db, null)) {
    if (await processes.withdraw(rootId, revision)) told.deleted++;
    else if ((await processes.revisionOf(rootId)) !== undefined) told.kept++;
  }
  const definitions = { about: DEFINITIONS, deleted: await processes.withdrawDefinitions(), kept: 0 };
  return [told, definitions].filter(({ deleted, kept }) => deleted + kept > 0);
}

async function takeBack(db: Db) {
  const imported = await listImported(db);
  const kinds: { about: string; deleted: number; kept: number }[] = [];
  await beginSeen(db);
  for (const kind of UNDONE) {
    const types = new Set(imported.filter((one) => one.kind === kind).map(({ type }) => type));
    for (const type of types) {
      const told = { about: nameOf(kind, type), deleted: 0, kept: 0 };
      let after = '';
      for (;;) {
        const page = await listGone(db, { kind, type, source: null }, after, PAGE);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.id;
        const deleted = await deleteItems(
          db,
          { kind, type },
          page.map(({ id }) => id),
        );
        await releaseNames(db, nameOf(kind, type), deleted);
        told.deleted += deleted.length;
        told.kept += page.filter(({ here }) => here !== null).length - deleted.length;
      }
      kinds.push(told);
    }
  }
  return { kinds };
}

function nameOf(kind: string, type: string): string {
  if (kind === 'schedule') return 'scheduler/job';
  if (kind === 'process') return type === '' ? PROCESSES : `${PROCESSES} (${type})`;
  return kind === 'managed' || kind === 'repo' || kind === 'audit' ? `${kind}/${type}` : kind;
}

async function withImported(
  flags: Flags,
  work: (
    options: ScheduleImport & { readonly database: Database; readonly ring: KeyRingText },
  ) => Promise<number>,
): Promise<number> {
  const own = ownFlags(flags);
  const settings = readSettings(process.env, own);
  const { text, missing } = await readKeyRing({
    variable: overlayFlags(process.env, own)['SVC_KEYS'],
    dataDirectory: settings.dataDirectory,
  });
  if (missing !== undefined)
    complain(`svc import: ${missing}; schedules with secrets need the key ring of the nodes`);
  return withDatabase(settings, 'svc import', async (database) =>
    (await hasSchema(database, settings.installLocation))
      ? work({ database, ring: text, crypto: openCrypto({ keyRing: text }) })
      : EXIT.FINDING,
  );
}
