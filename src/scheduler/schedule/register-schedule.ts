import { createHash } from 'node:crypto';
import type { DaylightSaving } from '#cron/index.ts';
import type { Db, UnitOfWork } from '#database/index.ts';
import { BadRequestError, ServiceUnavailableError } from '#errors/index.ts';
import { equalJson, type JsonValue } from '#json/index.ts';
import type { Holder } from '#work/index.ts';
import { parkedFiring, withdrawnEntries } from '../run/withdrawn-firing.ts';
import { recordFirings } from '../store/firing-repository.ts';
import {
  deleteJob,
  findJob,
  findLife,
  insertDue,
  insertJob,
  type JobRow,
  refreshDue,
  setJobPaused,
  updateJob,
  withdraw,
} from '../store/job-repository.ts';
import { notingTransition } from '../store/transition-repository.ts';
import { anchored, firstFiring, withoutAnchor } from './next-firing.ts';
import { type ScheduleDefinition, timingOf } from './schedule.ts';
import { scheduleWords } from './schedule-words.ts';
import { type ContextSeals, isOpen } from './sealed-context.ts';
import { type SecretReferences, shownDefinition } from './secret-context.ts';
import { isRetimed } from './timing-change.ts';

export interface Registration {
  readonly id: string;
  readonly definition: ScheduleDefinition;
  readonly source: JobRow['source'];
}

/** What registering needs to know: the work it belongs to, and the time by the database's clock (epoch ms). */
export interface RegistrationScope {
  readonly unitOfWork: UnitOfWork;
  readonly now: number;
  /** Default: quartz. */
  readonly dst?: DaylightSaving;
  /** Where this is done: it has what is not persisted, and the ledger says so of times that will not fire because of it. */
  readonly nodeName: string;
  /** What is not told of the schedules of files. Default: nothing. */
  readonly secrets?: SecretReferences;
  /** Default: secrets are stored as they are. */
  readonly seals?: ContextSeals;
}

/**
 * One that is not persisted is in the memory of the node where this is done.
 *
 * @returns undefined when the id is taken there
 * @throws ServiceUnavailableError `SCHED_NODE_AWAY`
 */
export async function createSchedule(
  scope: RegistrationScope,
  registration: Registration,
): Promise<JobRow | undefined> {
  const { unitOfWork, now, dst } = scope;
  const definition = await sealedBy(scope, anchored(registration.definition, now));
  const first = firstOf(definition, now, dst);
  const db = await unitOfWork.db();
  const owner = definition.persisted ? undefined : await lifeOf(db, scope.nodeName);
  const job = await insertJob(db, { ...registration, ...storedOf(definition) }, owner);
  if (job === undefined) return undefined;
  if (first !== null) await insertDue(db, job, first);
  await record(scope, 'create', null, job);
  return job;
}

async function lifeOf(db: Db, nodeName: string): Promise<Holder> {
  const life = await findLife(db, nodeName);
  if (life !== undefined) return life;
  throw new ServiceUnavailableError(
    `Node '${nodeName}' is not in the cluster just now, and keeps nothing in memory`,
    {
      id: 'SCHED_NODE_AWAY',
      hint: 'It comes back in a moment; the request can be sent again',
    },
  );
}

/**
 * Changes a schedule in place. Runs under way go on. Unless the times change, what waits to fire keeps waiting.
 */
export async function updateSchedule(
  scope: RegistrationScope,
  old: JobRow,
  registration: Registration,
): Promise<JobRow> {
  const { unitOfWork, now, dst } = scope;
  const { source } = registration;
  // What was parked has nothing waiting: the edit that mends it starts it anew.
  const retimed = isRetimed(old.definition, registration.definition) || old.parked;
  const anchor = retimed ? undefined : old.definition;
  const definition = await sealedBy(scope, anchored(registration.definition, now, anchor));
  const first = retimed ? firstOf(definition, now, dst) : null;
  const db = await unitOfWork.db();
  const change = { ...storedOf(definition), source, newGeneration: retimed };
  return notingTransition(db, old.triggerId, async () => {
    const job = await updateJob(db, old.triggerId, change);
    if (retimed) {
      await withdrawFirings(scope, old, 'edited');
      if (first !== null) await insertDue(db, job, first);
    } else {
      await refreshDue(db, job);
    }
    await record(scope, 'update', old, job);
    return job;
  });
}

/** Resuming also starts one anew that was parked. */
export async function pauseSchedule(scope: RegistrationScope, job: JobRow, paused: boolean): Promise<void> {
  const db = await scope.unitOfWork.db();
  await notingTransition(db, job.triggerId, async () => {
    await setJobPaused(db, job.triggerId, paused);
    // Nothing of what was parked waits; an update that changes nothing starts it anew.
    if (job.parked && !paused) await updateSchedule(scope, job, { ...job });
  });
}

export async function removeSchedule(scope: RegistrationScope, job: JobRow): Promise<void> {
  await withdrawFirings(scope, job, 'deleted');
  await deleteJob(await scope.unitOfWork.db(), job.triggerId);
  await record(scope, 'delete', job, null);
}

/** Takes back what has not begun, and records the times that had come already. */
async function withdrawFirings(
  { unitOfWork, now, dst, nodeName }: RegistrationScope,
  job: JobRow,
  because: 'edited' | 'deleted',
): Promise<void> {
  const db = await unitOfWork.db();
  const { id: jobId, definition, parkedFor } = job;
  const firings = await withdraw(db, job);
  if (parkedFor !== null) firings.push(parkedFiring(parkedFor));
  const withdrawal = { jobId, definition, nodeName, now, because, ...(dst === undefined ? {} : { dst }) };
  const entries = withdrawnEntries(withdrawal, firings);
  if (entries.length > 0) await recordFirings(db, [{ run: { ...job, attempt: 1 }, entries }]);
}

/**
 * Brings a schedule of a file in force: unchanged content keeps its state, over restarts where it is persisted. What an
 * earlier version of the file has left in the other place goes.
 */
export async function ensureSchedule(
  scope: RegistrationScope,
  registration: Registration,
): Promise<'created' | 'updated' | 'unchanged'> {
  const db = await scope.unitOfWork.db();
  const { nodeName } = scope;
  const { persisted } = registration.definition;
  const moved = await findJob(db, registration.id, { lock: true, nodeName, persisted: !persisted });
  if (moved?.source === 'file') await removeSchedule(scope, moved);
  const old = await findJob(db, registration.id, { lock: true, nodeName, persisted });
  if (old === undefined) {
    return (await createSchedule(scope, registration)) === undefined ? 'unchanged' : 'created';
  }
  if (old.source === registration.source && !isOpen(old.definition)) {
    const before = await shownBy(scope, old.definition);
    if (equalJson(plain(before), plain(registration.definition))) return 'unchanged';
  }
  await updateSchedule(scope, old, registration);
  return 'updated';
}

/** When it fires first, epoch ms; null when it is disabled. @throws BadRequestError when it can never fire */
function firstOf(definition: ScheduleDefinition, now: number, dst: DaylightSaving = 'quartz'): number | null {
  const first = firstFiring(timingOf(definition, dst), now);
  if (first === null && definition.enabled) {
    throw new BadRequestError(`The schedule '${definition.schedule ?? definition.type}' will never fire`, {
      id: 'SCHED_NEVER_FIRES',
      field: '/schedule',
      hint: 'Its times lie in the past, after endTime, or do not exist; disable it to keep it all the same',
    });
  }
  return definition.enabled ? first : null;
}

function storedOf(definition: ScheduleDefinition) {
  return { definition, contentHash: hashOf(definition), words: scheduleWords(withoutAnchor(definition)) };
}

function hashOf(registered: ScheduleDefinition): string {
  const definition = withoutAnchor(registered);
  return createHash('sha256')
    .update(JSON.stringify(definition, Object.keys(definition).sort()))
    .update(JSON.stringify(definition.invokeContext))
    .digest('hex');
}

type Named = Pick<JobRow, 'id' | 'definition'>;

async function sealedBy(
  { seals }: RegistrationScope,
  definition: ScheduleDefinition,
): Promise<ScheduleDefinition> {
  return seals === undefined ? definition : seals.seal(definition);
}

async function shownBy(
  { seals }: RegistrationScope,
  definition: ScheduleDefinition,
): Promise<ScheduleDefinition> {
  return seals === undefined ? definition : seals.openToShow(definition);
}

/** Tells the unit of work of a change to a schedule. */
async function record(
  scope: RegistrationScope,
  operation: 'create' | 'update' | 'delete',
  old: Named | null,
  now: Named | null,
): Promise<void> {
  const { unitOfWork, secrets = () => [] } = scope;
  const opened = async (job: Named | null) =>
    job && { id: job.id, definition: await shownBy(scope, job.definition) };
  const [before, after] = [await opened(old), await opened(now)];
  // A new secret does not show, and is a change all the same.
  const stored = (job: Named | null): JsonValue => job && { _id: job.id, ...plain(job.definition) };
  const view = (job: Named | null): JsonValue =>
    job === null ? null : { _id: job.id, ...plain(shownDefinition(job.id, job.definition, secrets)) };
  if (equalJson(stored(before), stored(after))) return;
  unitOfWork.record({
    resource: `scheduler/job/${(after ?? before)!.id}`,
    operation,
    before: view(before),
    after: view(after),
  });
}

/** As JSON has it: members that are undefined are absent. */
function plain(definition: ScheduleDefinition): { [key: string]: JsonValue } {
  return JSON.parse(JSON.stringify(withoutAnchor(definition)));
}
