import { listOverrides, rotateFiles, rotateKeys } from '#administration/index.ts';
import type { Settings } from '#config/index.ts';
import {
  forgetKey,
  forgetReplacedKeys,
  KeyRing,
  type KeyRingPlace,
  noteRotation,
  openKeyRing,
  Rewrapper,
  requireKeysInUse,
} from '#crypto/index.ts';
import type { Db } from '#database/index.ts';
import { type Command, EXIT } from './command.ts';
import { printable } from './printable.ts';
import { isTold, tell } from './told.ts';
import { complain } from './typed-name.ts';
import { withDatabase } from './with-database.ts';

const TELL_EVERY_MS = 1_000;

type Flags = Parameters<Command['run']>[0];

/** `svc keys rotate [--files]`: the database first, then the files of the project. */
export async function rotate(settings: Settings, place: KeyRingPlace, flags: Flags): Promise<number> {
  // Whoever reads it with a program gets the outcome as a whole.
  const say = isTold(flags) === 'lines' ? (line: string) => console.log(printable(line)) : () => {};
  return withDatabase(settings, 'svc keys rotate', async (database) => {
    const { text, place: where } = await openKeyRing(place);
    const { ids } = new KeyRing(text);
    // Without its key a value could not be told from one that somebody has made up.
    await requireKeysInUse(database, ids, where);
    const rewrapper = new Rewrapper(text);
    await noteRotation(database.db, ids);
    const { tables, ...rows } = await rotateRows(database.db, rewrapper, say);
    const overrides = await listOverrides(database.db);
    const overridden = new Set(overrides.map(({ id }) => id));
    const { projectLocation } = settings;
    const write = flags['files'] === true;
    const files = await rotateProject({ projectLocation, rewrapper, overridden, write }, say);
    const isDone = rows.failures.length === 0 && rows.isSettled && files.isDone;
    if (isDone) await forgetReplacedKeys(database.db, ids);
    tell(flags, { isDone, tables, ...rows, files: files.rotations }, () =>
      isDone ? 'Nothing is under an older key any more; only backups need those.' : '',
    );
    return isDone ? EXIT.OK : EXIT.FINDING;
  });
}

/** `svc keys forget <alias> <id>`: nodes start without the key again. */
export async function forget(settings: Settings, alias: string, id: string, flags: Flags): Promise<number> {
  return withDatabase(settings, 'svc keys forget', async (database) => {
    if (await forgetKey(database.db, alias, id)) {
      tell(
        flags,
        { alias, id, isForgotten: true },
        () => `Nodes start without key ${id} of ${alias} now; what is still under it can be read by nobody.`,
      );
      return EXIT.OK;
    }
    complain(`As far as is known nothing is stored under key ${id} of ${alias}: see svc_key.`);
    return EXIT.FINDING;
  });
}

type Say = (line: string) => void;

async function rotateRows(db: Db, rewrapper: Rewrapper, say: Say) {
  let toldAt = performance.now();
  const tables = new Map<string, { seen: number; rewritten: number[] }>();
  const { failures, foreign, isSettled } = await rotateKeys(
    db,
    rewrapper,
    ({ table, round, seen, rewritten, done }) => {
      const counted = tables.get(table) ?? { seen, rewritten: [] };
      if (round === 0) counted.seen = seen;
      counted.rewritten[round] = rewritten;
      tables.set(table, counted);
      const isNews = round === 0 ? seen > 0 : rewritten > 0;
      const isDue = done === 1 || performance.now() - toldAt > TELL_EVERY_MS;
      if (!isNews || !isDue) return;
      toldAt = performance.now();
      const percent = done === 1 ? '' : ` (${Math.round(done * 100)} %)`;
      say(`${table}: ${seen} with encrypted values, ${rewritten} encrypted again${percent}`);
    },
  );
  for (const { place, message } of failures) say(lineOf(place, message));
  if (foreign.rows > 0) {
    say(`${foreign.rows} with what looks encrypted, and was by no key of this ring: left as it is, such as`);
    for (const { place, message } of foreign.first) say(lineOf(place, message));
  }
  if (!isSettled) {
    say('Something goes on encrypting with an older key: start every node again, then rotate once more.');
  }
  const counts = [...tables].map(([table, { seen, rewritten }]) => ({
    table,
    seen,
    rewritten: rewritten.reduce((sum, ofRound) => sum + ofRound, 0),
  }));
  return { tables: counts.filter(({ seen }) => seen > 0), failures, foreign, isSettled };
}

async function rotateProject(options: Parameters<typeof rotateFiles>[0], say: Say) {
  const rotations = await rotateFiles(options);
  for (const { file, sealed, outdated, failures, foreign } of rotations) {
    if (foreign !== undefined) say(lineOf(file, `left as it is: ${foreign}`));
    if (sealed === 0) continue;
    const what = options.write ? `${outdated} encrypted again` : `${outdated} of them under older keys`;
    say(`${file}: ${sealed} encrypted values, ${what}`);
    for (const message of failures) say(lineOf(file, message));
  }
  const waiting = options.write ? 0 : rotations.filter(({ outdated }) => outdated > 0).length;
  if (waiting > 0)
    say(`${waiting} ${waiting === 1 ? 'file waits' : 'files wait'} for svc keys rotate --files`);
  const isDone = waiting === 0 && rotations.every(({ failures }) => failures.length === 0);
  return {
    isDone,
    rotations: rotations.filter(({ sealed, foreign }) => sealed > 0 || foreign !== undefined),
  };
}

/** Names and values of users may stand in it. */
function lineOf(place: string, message: string): string {
  return `  ${place}: ${message}`.replace(/\p{C}/gu, '?').slice(0, 400);
}
