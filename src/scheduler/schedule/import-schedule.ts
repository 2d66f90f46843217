import type { Crypto } from '#crypto/index.ts';
import { type Database, type Db, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { findJob, type JobRow } from '../store/job-repository.ts';
import { createSchedule, pauseSchedule, removeSchedule } from './register-schedule.ts';
import { parseSchedule } from './schedule.ts';
import { contextSeals } from './sealed-context.ts';

/** What brings schedules of another server, beside no node. */
export interface ScheduleImport {
  readonly database: Database;
  readonly crypto: Pick<Crypto, 'encrypt' | 'decrypt'>;
}

const NOBODY = 'svc import';

/**
 * Stores a schedule of another server, paused: as long as that one fires it, nobody else must.
 *
 * @param note stores in the same transaction that it has come
 * @returns false where there is one of that id
 * @throws BadRequestError for what is no schedule here
 */
export function importSchedule(
  options: ScheduleImport,
  { id, content }: { readonly id: string; readonly content: JsonObject },
  note: (db: Db) => Promise<void>,
): Promise<boolean> {
  const definition = requireSchedule(content);
  return runUnitOfWork(options.database, {}, async (unitOfWork) => {
    const db = await unitOfWork.db();
    const scope = scopeOf(options, unitOfWork);
    if ((await findJob(db, id, { lock: true })) !== undefined) return false;
    const job = await createSchedule(scope, { id, definition, source: 'rest' });
    if (job === undefined) return false;
    await pauseSchedule(scope, job, true);
    await note(db);
    return true;
  });
}

/** What it will be here. @throws BadRequestError for what is no schedule here */
export function requireSchedule(content: JsonObject) {
  return { ...parseSchedule(content, { persisted: true }), persisted: true };
}

/** Lets a schedule that has come fire from now on. @returns false where there is none, or it fires already */
export function releaseSchedule(options: ScheduleImport, id: string): Promise<boolean> {
  return change(options, id, async (scope, job) => {
    if (!job.paused) return false;
    await pauseSchedule(scope, job, false);
    return true;
  });
}

/** Takes a schedule back that has come and was not released. @returns whether it was there */
export function withdrawSchedule(options: ScheduleImport, id: string): Promise<boolean> {
  return change(options, id, async (scope, job) => {
    await removeSchedule(scope, job);
    return true;
  });
}

function change(
  options: ScheduleImport,
  id: string,
  work: (scope: ReturnType<typeof scopeOf>, job: JobRow) => Promise<boolean>,
): Promise<boolean> {
  return runUnitOfWork(options.database, {}, async (unitOfWork) => {
    const job = await findJob(await unitOfWork.db(), id, { lock: true, persisted: true });
    return job !== undefined && job.source === 'rest' && work(scopeOf(options, unitOfWork), job);
  });
}

function scopeOf({ crypto }: ScheduleImport, unitOfWork: UnitOfWork) {
  return { unitOfWork, now: Date.now(), nodeName: NOBODY, seals: contextSeals(crypto) };
}
