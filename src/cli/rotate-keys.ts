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
import { EXIT } from './command.ts';
import { complain } from './typed-name.ts';
import { withDatabase } from './with-database.ts';

const TELL_EVERY_MS = 1_000;

/** `svc keys rotate [--files]`: the database first, then the files of the project. */
export async function rotate(settings: Settings, place: KeyRingPlace, files: boolean): Promise<number> {
  return withDatabase(settings, 'svc keys rotate', async (database) => {
    const { text, place: where } = await openKeyRing(place);
    const { ids } = new KeyRing(text);
    // Without its key a value could not be told from one that somebody has made up.
    await requireKeysInUse(database, ids, where);
    const rewrapper = new Rewrapper(text);
    await noteRotation(database.db, ids);
    const rows = await rotateRows(database.db, rewrapper);
    const overrides = await listOverrides(database.db);
    const overridden = new Set(overrides.map(({ id }) => id));
    const { projectLocation } = settings;
    const whole = await rotateProject({ projectLocation, rewrapper, overridden, write: files });
    if (!rows || !whole) return EXIT.FINDING;
    await forgetReplacedKeys(database.db, ids);
    console.log('Nothing is under an older key any more; only backups need those.');
    return EXIT.OK;
  });
}

/** `svc keys forget <alias> <id>`: nodes start without the key again. */
export async function forget(settings: Settings, alias: string, id: string): Promise<number> {
  return withDatabase(settings, 'svc keys forget', async (database) => {
    if (await forgetKey(database.db, alias, id)) {
      console.log(
        `Nodes start without key ${id} of ${alias} now; what is still under it can be read by nobody.`,
      );
      return EXIT.OK;
    }
    complain(`As far as is known nothing is stored under key ${id} of ${alias}: see svc_key.`);
    return EXIT.FINDING;
  });
}

async function rotateRows(db: Db, rewrapper: Rewrapper): Promise<boolean> {
  let toldAt = performance.now();
  const { failures, foreign, isSettled } = await rotateKeys(
    db,
    rewrapper,
    ({ table, round, seen, rewritten, done }) => {
      const isNews = round === 0 ? seen > 0 : rewritten > 0;
      const isDue = done === 1 || performance.now() - toldAt > TELL_EVERY_MS;
      if (!isNews || !isDue) return;
      toldAt = performance.now();
      const percent = done === 1 ? '' : ` (${Math.round(done * 100)} %)`;
      console.log(`${table}: ${seen} with encrypted values, ${rewritten} encrypted again${percent}`);
    },
  );
  for (const { place, message } of failures) console.log(lineOf(place, message));
  if (foreign.rows > 0) {
    console.log(
      `${foreign.rows} with what looks encrypted, and was by no key of this ring: left as it is, such as`,
    );
    for (const { place, message } of foreign.first) console.log(lineOf(place, message));
  }
  if (!isSettled) {
    console.log(
      'Something goes on encrypting with an older key: start every node again, then rotate once more.',
    );
  }
  return failures.length === 0 && isSettled;
}

async function rotateProject(options: Parameters<typeof rotateFiles>[0]): Promise<boolean> {
  const rotations = await rotateFiles(options);
  for (const { file, sealed, outdated, failures, foreign } of rotations) {
    if (foreign !== undefined) console.log(lineOf(file, `left as it is: ${foreign}`));
    if (sealed === 0) continue;
    const what = options.write ? `${outdated} encrypted again` : `${outdated} of them under older keys`;
    console.log(`${file}: ${sealed} encrypted values, ${what}`);
    for (const message of failures) console.log(lineOf(file, message));
  }
  const waiting = options.write ? 0 : rotations.filter(({ outdated }) => outdated > 0).length;
  if (waiting > 0)
    console.log(`${waiting} ${waiting === 1 ? 'file waits' : 'files wait'} for svc keys rotate --files`);
  return waiting === 0 && rotations.every(({ failures }) => failures.length === 0);
}

/** Names and values of users may stand in it. */
function lineOf(place: string, message: string): string {
  return `  ${place}: ${message}`.replace(/\p{C}/gu, '?').slice(0, 400);
}
