import type { Crypto } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import { wordsOf } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { importSchedule, requireSchedule } from '#scheduler/index.ts';
import { parseObject, printOf } from './foreign-object.ts';
import type { ImportSource } from './import-source.ts';
import type { ForeignRow } from './item.ts';
import { scheduleId, scheduleIn } from './schedule-text.ts';
import { findNoted, hasSchedule, noteItems } from './store-repository.ts';
import type { Tally } from './tally.ts';

const ABOUT = 'scheduler/job';
const PAGE = 200;

export interface ScheduleOptions {
  readonly source: Pick<ImportSource, 'place' | 'schedules'>;
  readonly database: Database;
  readonly crypto: Crypto;
  readonly isApplied: boolean;
  readonly tally: Tally;
}

interface Found {
  readonly id: string;
  readonly content: JsonObject;
  readonly isPaused: boolean;
}

/** Schedules that were made over REST; those of files come with the project. Here they wait, paused, for `svc import finish`. */
export async function takeSchedules(options: ScheduleOptions): Promise<void> {
  const { source, tally } = options;
  if (source.schedules === undefined) return;
  tally.of(ABOUT);
  for await (const { rows } of source.schedules(PAGE)) {
    tally.of(ABOUT).read += rows.length;
    for (const row of rows) await takeSchedule(options, row);
  }
}

async function takeSchedule(options: ScheduleOptions, row: ForeignRow): Promise<void> {
  const { source, database, isApplied, tally } = options;
  const id = scheduleId(row.id);
  const leave = (reason: string) => tally.remark({ about: ABOUT, id, reason, isLeft: true });
  const found = readJob(id, row);
  if ('reason' in found) {
    leave(found.reason);
    return;
  }
  const print = printOf(found.content);
  const noted = await findNoted(database.db, source.place, 'schedule', id);
  if (noted !== undefined) {
    if (noted === print) tally.of(ABOUT).unchanged++;
    else leave('It has changed at the other server since it came: change it here, too');
    return;
  }
  try {
    requireSchedule(found.content);
    const item = { type: '', id, rev: found.isPaused ? 1 : 0, foreignRev: row.rev, print };
    const isNew = isApplied
      ? await importSchedule(options, found, (db) => noteItems(db, source.place, 'schedule', [item]))
      : !(await hasSchedule(database.db, id));
    if (isNew) tally.of(ABOUT).created++;
    else leave('There is a schedule of that id here, which stays as it is');
  } catch (error) {
    leave(wordsOf(error));
  }
}

function readJob(id: string, row: ForeignRow): Found | { readonly reason: string } {
  const read = parseObject(row.text);
  if ('reason' in read) return read;
  const { serialized, paused, schedule } = read.object;
  if (isObject(schedule)) return { id, content: schedule, isPaused: paused === true };
  const content = typeof serialized === 'string' ? scheduleIn(serialized) : undefined;
  if (content === undefined) return { reason: 'There is no schedule in its job' };
  return { id, content, isPaused: paused === true };
}
