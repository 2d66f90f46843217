import { randomUUID } from 'node:crypto';
import { type Database, runUnitOfWork } from '#database/index.ts';
import { ResourceError, toResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import { type Context, rootContext, type SecurityContext, systemContext } from '#resource/index.ts';
import type { FiringDecision } from './misfire.ts';
import {
  completeRun,
  formatRunKey,
  type Holder,
  type LedgerEntry,
  type Outcome,
  type StartedRun,
} from './run-repository.ts';
import type { Scheduled, ScheduledServices } from './scheduled-service.ts';

/** A firing later than this, but not misfired, is called late in the ledger. */
const LATE_MS = 1_000;
const MAX_LOG_LINES = 200;

/** One started run with all that firing it needs; plain data, so that it can be sent to a script thread. */
export interface Firing {
  readonly run: StartedRun;
  readonly holder: Holder;
  readonly nodeName: string;
  readonly decision: FiringDecision;
  /** When it started, epoch ms by the database's clock. */
  readonly startedAt: number;
}

export interface FiringPlatform {
  readonly database: Database;
  readonly services: ScheduledServices;
  readonly observe: Observe;
}

/** How a firing ended, as its node wants to know it. */
export type FiringEnd = 'completed' | 'failed' | 'skipped' | 'fencedOut';

class FencedOutError extends ResourceError {
  override readonly name = 'FencedOutError';
  constructor() {
    super(409, 'The run belongs to another node now; its effects were rolled back', {
      id: 'SCHED_FENCED_OUT',
    });
  }
}

/**
 * Fires one trigger: invokes its service and completes the run, both in one unit of work, so that the effects are
 * there exactly if the ledger says so. A failing service leaves no effects and a ledger entry with its error.
 */
export async function fireTrigger(platform: FiringPlatform, firing: Firing): Promise<FiringEnd> {
  const { run, decision } = firing;
  const startedAt = performance.now();
  const took = () => performance.now() - startedAt;
  const log: JsonObject[] = [];
  try {
    if (decision.kind === 'skip') {
      await complete(platform, firing, misfired(firing));
      return 'skipped';
    }
    await runUnitOfWork(platform.database, {}, async (unitOfWork) => {
      log.length = 0;
      const context = { ...firingContext(firing), unitOfWork };
      await invokeService(platform, context, firing, log);
      if (
        !(await completeRun(
          await unitOfWork.db(),
          firing.holder,
          run,
          decision.next,
          ended(firing, log, null),
        ))
      ) {
        throw new FencedOutError();
      }
    });
    platform.observe({
      kind: 'trigger.completed',
      schedule: run.jobId,
      run: formatRunKey(run),
      ms: took(),
      next: decision.next,
    });
    return 'completed';
  } catch (thrown) {
    const error = toResourceError(thrown);
    if (error instanceof FencedOutError) return fencedOut(platform, firing);
    return fail(platform, firing, error, log, took());
  }
}

async function invokeService(
  platform: FiringPlatform,
  context: Context,
  firing: Firing,
  log: JsonObject[],
): Promise<void> {
  const { run, decision, startedAt } = firing;
  const scheduled: Scheduled = {
    jobId: run.jobId,
    invokerName: context.security.authenticationId,
    invokeContext: run.definition.invokeContext,
    invokeLogLevel: run.definition.invokeLogLevel,
    scheduledFireTime: decision.scheduledAt,
    actualFireTime: startedAt,
    nextFireTime: decision.next,
    runId: formatRunKey(run),
    log: (level, message) => {
      if (log.length < MAX_LOG_LINES) log.push({ level, message });
    },
  };
  await platform.services.get(run.definition.invokeService).execute(context, scheduled);
}

/** Records a failed run in a transaction of its own; its effects are already rolled back. */
async function fail(
  platform: FiringPlatform,
  firing: Firing,
  error: ResourceError,
  log: JsonObject[],
  ms: number,
): Promise<FiringEnd> {
  const body = error.toJSON() as unknown as JsonObject;
  const inner = error.cause instanceof Error ? error.cause.message : error.message;
  const cause = inner === error.message ? {} : { cause: inner };
  if (!(await complete(platform, firing, ended(firing, log, { ...body, ...cause })))) {
    return fencedOut(platform, firing);
  }
  const { run } = firing;
  platform.observe({
    kind: 'trigger.failed',
    schedule: run.jobId,
    run: formatRunKey(run),
    ms,
    error: 'cause' in cause ? `${error.message}: ${cause.cause}` : error.message,
  });
  return 'failed';
}

function complete(
  platform: FiringPlatform,
  firing: Firing,
  entries: readonly LedgerEntry[],
): Promise<boolean> {
  const { holder, run, decision } = firing;
  return completeRun(platform.database.db, holder, run, decision.next, entries);
}

function fencedOut({ observe }: FiringPlatform, { run }: Firing): FiringEnd {
  observe({ kind: 'trigger.fencedOut', schedule: run.jobId, run: formatRunKey(run) });
  return 'fencedOut';
}

function ended(firing: Firing, log: JsonObject[], error: JsonObject | null): LedgerEntry[] {
  const { run, decision, startedAt } = firing;
  const lateMs = startedAt - decision.scheduledAt;
  const entry: LedgerEntry = {
    ...base(firing),
    outcome: outcomeOf(run.attempt, run.lateFrom, lateMs),
    plannedAt: decision.scheduledAt,
    startedAt,
    lateMs,
    error,
    log: log.length === 0 ? null : log,
    why: run.lateFrom === null ? null : `released by a dead node, attempt ${run.attempt}`,
  };
  return decision.kind === 'now' ? [...misfired(firing), entry] : [entry];
}

function misfired(firing: Firing): LedgerEntry[] {
  const { run, decision, startedAt } = firing;
  const then =
    decision.kind === 'now'
      ? `fired once at ${new Date(decision.scheduledAt).toISOString()} instead`
      : 'not fired';
  return [
    {
      ...base(firing),
      outcome: 'misfired',
      plannedAt: run.fireAt,
      startedAt: null,
      lateMs: startedAt - run.fireAt,
      error: null,
      log: null,
      why: `misfire policy ${run.definition.misfirePolicy}: ${then}`,
    },
  ];
}

function base({ run, nodeName }: Firing) {
  return { jobId: run.jobId, node: nodeName };
}

function outcomeOf(attempt: number, lateFrom: number | null, lateMs: number): Outcome {
  if (attempt > 1 || lateFrom !== null) return 'recovered';
  return lateMs > LATE_MS ? 'late' : 'fired';
}

/** The identity of scheduled work: role `system`, named after the job and its planned time. */
function firingContext({ run, decision }: Firing): Context {
  const name = `Scheduled ${run.jobId}-${new Date(decision.scheduledAt).toISOString()}`;
  const security: SecurityContext = {
    authenticationId: name,
    authorization: { id: name, component: 'scheduler', roles: ['system'] },
  };
  const id = randomUUID();
  return rootContext({ ...systemContext(security), id, transactionId: id });
}
