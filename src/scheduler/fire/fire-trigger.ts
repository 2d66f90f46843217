import { type Database, type Db, runUnitOfWork, troubleOf } from '#database/index.ts';
import { toResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type Context, type SecurityContext, systemContext } from '#resource/index.ts';
import { completeIn, FencedOutError, untilKnown } from '#work/index.ts';
import { endedEntries, lostEntry, missedEntries } from '../run/ledger-entry.ts';
import { formatRunKey, type LedgerEntry, transactionOf } from '../run/run.ts';
import { isRepeatable } from '../schedule/schedule.ts';
import type { ContextSeals } from '../schedule/sealed-context.ts';
import type { Scheduled, ScheduledService, ScheduledServices } from '../service/scheduled-service.ts';
import { runCompletions } from '../store/completion-repository.ts';
import { findFate, holdsRun, probe } from '../store/run-repository.ts';
import type { Firing } from './firing.ts';

const MAX_LOG_LINES = 200;

export interface FiringPlatform {
  readonly database: Database;
  readonly services: ScheduledServices;
  /** Default: nothing is encrypted where it is stored. */
  readonly seals?: ContextSeals;
}

/** How a firing ended, as its node wants to know it. */
export type FiringEnd = 'completed' | 'failed' | 'skipped' | 'fencedOut';

export interface FiringResult {
  readonly end: FiringEnd;
  readonly ms: number;
  readonly error: string | null;
  /**
   * What is left to do: the completion with these entries. Null when it was committed together with the effects,
   * or belongs to somebody else. A run without effects leaves it to its node, which completes many at once.
   */
  readonly entries: readonly LedgerEntry[] | null;
  /** How long its service took, of a run that needed no transaction of its own: such runs may go together. */
  readonly scriptMs?: number;
}

export interface FiringCompany {
  /** Aborted when the run belongs to somebody else: it ends at its next call. */
  readonly signal?: AbortSignal | undefined;
  /** Told before it has a transaction of its own. @returns when that may begin. Never rejects */
  readonly opens?: () => Promise<void>;
  /** Told when all that is left is to commit it. @returns when that may begin */
  readonly executed?: () => Promise<void>;
}

/**
 * Fires one trigger: invokes its service and completes the run, both in one unit of work, so that the effects are
 * there exactly if the ledger says so. A failing service leaves no effects and a ledger entry with its error.
 *
 * @throws ResourceError `DB_UNREACHABLE` when the run was rolled back because the database went away; fire it again
 */
export async function fireTrigger(
  platform: FiringPlatform,
  firing: Firing,
  company: FiringCompany = {},
): Promise<FiringResult> {
  const { run, decision } = firing;
  const { signal } = company;
  const startedAt = performance.now();
  const service: ServiceNotes = { ms: 0 };
  const result = (end: FiringEnd, entries: FiringResult['entries'], error: string | null = null) => ({
    end,
    ms: performance.now() - startedAt,
    error,
    entries,
    ...(service.isLight === true ? { scriptMs: service.ms } : {}),
  });
  if (decision.kind === 'skip') return result('skipped', missedEntries(firing));
  if (decision.kind === 'lost') return result('skipped', [lostEntry(firing)]);
  const log: JsonObject[] = [];
  const context = { ...firingContext(firing), ...(signal === undefined ? {} : { signal }) };
  try {
    const invoke =
      run.definition.transactional === false
        ? invokeOutside(platform, firing, context, log)
        : invokeInside(platform, firing, context, log, { ...company, service });
    return result('completed', await invoke);
  } catch (thrown) {
    const error = toResourceError(thrown);
    if (error instanceof FencedOutError) return result('fencedOut', null);
    if (troubleOf(error) === 'unknownOutcome' && run.definition.transactional !== false) {
      const fate = await fateOf(platform.database, firing);
      if (fate === 'open') return fireTrigger(platform, firing, company);
      return result(fate === 'completed' ? 'completed' : 'fencedOut', null);
    }
    if (signal?.aborted === true) return result('fencedOut', null);
    if (isUnreachable(error) && isRepeatable(run.definition)) throw error;
    const inner = error.cause instanceof Error ? error.cause.message : error.message;
    const at = scriptPlace(error);
    const body: JsonObject = {
      ...error.toJSON(),
      ...(at === undefined ? {} : { at }),
      ...(inner === error.message ? {} : { cause: inner }),
    };
    const text = inner === error.message ? inner : `${error.message}: ${inner}`;
    const said = at === undefined ? text : `${text} (at ${at})`;
    return result('failed', endedEntries(firing, log, body), said);
  }
}

/** File or label, line and column at which a script failed. */
function scriptPlace({ cause }: Error): string | undefined {
  return cause instanceof Error
    ? /\n[ \t]+at [^\n]*\(([^()\n]+:\d+:\d+)\)/.exec(cause.stack ?? '')?.[1]
    : undefined;
}

/** What is learned about a run on the way. */
interface ServiceNotes {
  ms: number;
  isLight?: boolean;
}

async function invokeInside(
  platform: FiringPlatform,
  firing: Firing,
  context: Context,
  log: JsonObject[],
  { opens, executed, service }: FiringCompany & { readonly service: ServiceNotes },
): Promise<FiringResult['entries']> {
  return runUnitOfWork(platform.database, { beforeOpen: opens }, async (unitOfWork) => {
    // A repetition after a conflict starts anew.
    log.length = 0;
    const startedAt = performance.now();
    const inside = { ...context, unitOfWork };
    const { runsScripts } = await invokeService(platform, inside, firing, log).catch(
      async (error: unknown) => {
        // What a script makes of a broken connection no longer says so: ask the connection itself.
        if (unitOfWork.isOpen) await probe(unitOfWork.isLight ? platform.database.db : await unitOfWork.db());
        throw error;
      },
    );
    service.ms = performance.now() - startedAt;
    service.isLight = runsScripts && unitOfWork.isLight;
    const { holder, run, decision } = firing;
    const entries = endedEntries(firing, log, null);
    if (!unitOfWork.isOpen) return entries;
    const ended = { holder, run, next: decision.next, entries };
    await completeIn(unitOfWork, runCompletions, ended, () => new FencedOutError('run', 'SCHED_FENCED_OUT'));
    if (unitOfWork.isLight) await executed?.();
    return null;
  });
}

/**
 * Each request of the run is a unit of work of its own; what it did stays, however the run ends. Once another node
 * has the run, none of them is committed any more.
 */
async function invokeOutside(
  platform: FiringPlatform,
  firing: Firing,
  context: Context,
  log: JsonObject[],
): Promise<FiringResult['entries']> {
  const { holder, run } = firing;
  const fence = async (db: Db) => {
    if (!(await holdsRun(db, holder, run))) throw new FencedOutError('run', 'SCHED_FENCED_OUT');
  };
  await invokeService(platform, { ...context, fence }, firing, log);
  return endedEntries(firing, log, null);
}

async function invokeService(
  platform: FiringPlatform,
  context: Context,
  firing: Firing,
  log: JsonObject[],
): Promise<ScheduledService> {
  const { run, decision, startedAt } = firing;
  const definition = (await platform.seals?.open(run.definition)) ?? run.definition;
  const scheduled: Scheduled = {
    jobId: run.jobId,
    invokerName: context.security.authenticationId,
    invokeService: run.definition.invokeService,
    invokeContext: definition.invokeContext,
    invokeLogLevel: run.definition.invokeLogLevel,
    scheduledFireTime: decision.scheduledAt,
    actualFireTime: startedAt,
    nextFireTime: decision.next,
    runId: formatRunKey(run),
    definition,
    log: (level, message) => {
      if (log.length < MAX_LOG_LINES) log.push({ level, message });
    },
  };
  const { invokeService } = run.definition;
  const service = platform.services.find(invokeService) ?? (await platform.services.get(invokeService));
  await service.execute(context, scheduled);
  return service;
}

/** The database went away in mid-run; everything was rolled back. */
export function isUnreachable(error: unknown): boolean {
  return troubleOf(error) === 'unreachable';
}

function fateOf(database: Database, firing: Firing): Promise<'open' | 'completed' | 'lost'> {
  const completion = {
    run: firing.run,
    next: firing.decision.next,
    entries: [{ plannedAt: firing.decision.scheduledAt } as LedgerEntry],
  };
  return untilKnown(() => findFate(database.db, firing.holder, completion));
}

/**
 * The identity of scheduled work: role `system`, named after the job and its planned time; its transaction is the run,
 * or that of the request that asked for it.
 */
function firingContext({ run, invoker }: Firing): Context {
  const security: SecurityContext = {
    authenticationId: invoker,
    authorization: { id: invoker, component: 'scheduler', roles: ['system'] },
  };
  const context = systemContext(security, formatRunKey(run));
  return { ...context, transactionId: transactionOf(run) };
}
