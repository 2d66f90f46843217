import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Firing } from '../fire/firing.ts';
import { timingOf } from '../schedule/schedule.ts';
import { missedTimes } from './misfire.ts';
import type { Cause, LedgerEntry, Outcome } from './run.ts';

/** A firing later than this, but not misfired, is called late in the ledger. */
const LATE_MS = 1_000;

/** The entries of a run that was done, well or with an error; those of what it came too late for stand before it. */
export function endedEntries(
  firing: Firing,
  log: readonly JsonObject[],
  error: JsonObject | null,
): LedgerEntry[] {
  const { run, decision, startedAt } = firing;
  const lateMs = startedAt - decision.scheduledAt;
  const entry: LedgerEntry = {
    ...base(firing),
    outcome: outcomeOf(firing, lateMs),
    plannedAt: decision.scheduledAt,
    startedAt,
    lateMs,
    error: storable(error) as JsonObject | null,
    log: log.length === 0 ? null : storable([...log]),
    why: decision.kind === 'now' ? null : causeText(run.cause, run.attempt),
  };
  return decision.kind === 'now' ? [...missedEntries(firing), entry] : [entry];
}

/**
 * An entry for each planned time that the completion of a misfire lets pass, its own one first: skipped while its own
 * schedule was in the way. What comes after a run whose next time waits already is not its business any more.
 */
export function missedEntries(firing: Firing): LedgerEntry[] {
  const { run, decision } = firing;
  const then =
    decision.kind === 'now'
      ? `fired once at ${new Date(decision.scheduledAt).toISOString()} instead`
      : 'not fired';
  const { times, more } = run.nextPlanned ? { times: [run.fireAt], more: false } : missed(firing);
  return missedBy(firing, times, then, more);
}

/**
 * The entries of all that is let pass when the next time is planned while the run goes on, to be written together with
 * it. The run's own time is not among them: until it ends, its row stands for that, and whoever takes it over does it.
 */
export function passedEntries(firing: Firing): LedgerEntry[] {
  if (firing.decision.kind !== 'now') return [];
  const { times, more } = missed(firing);
  const instead = `the run planned for ${new Date(firing.run.fireAt).toISOString()} stands for it`;
  return missedBy(firing, times.slice(1), instead, more);
}

/** Up to where the schedule goes on: the time that is fired for now has an entry of its own. */
function missed({ run, decision, startedAt, dst }: Firing) {
  const until = decision.kind === 'now' ? decision.scheduledAt : Math.floor(startedAt) + 1;
  return missedTimes(timingOf(run.definition, dst), run.fireAt, until);
}

function missedBy(firing: Firing, times: readonly number[], then: string, more: boolean): LedgerEntry[] {
  const { run, startedAt } = firing;
  return times.map((plannedAt, index) => {
    const blocked = wasBlocked(run.cause, plannedAt);
    const policy = `misfire policy ${run.definition.misfirePolicy}: ${then}`;
    const rest = more && index === times.length - 1 ? '; further missed times are not listed' : '';
    return {
      ...base(firing),
      outcome: blocked ? 'skipped' : 'misfired',
      plannedAt,
      startedAt: null,
      lateMs: startedAt - plannedAt,
      error: null,
      log: null,
      why: (blocked ? `${causeText(run.cause, run.attempt)}; ${policy}` : policy) + rest,
    };
  });
}

/** The entry of a run that was interrupted and must not be done again. */
export function lostEntry(firing: Firing): LedgerEntry {
  const { run } = firing;
  const node = run.cause?.kind === 'released' ? `node ${run.cause.node}` : 'its node';
  return {
    ...base(firing),
    outcome: 'lost',
    plannedAt: run.fireAt,
    startedAt: null,
    lateMs: firing.startedAt - run.fireAt,
    error: null,
    log: null,
    why: `${node} was lost while it ran; it runs outside a unit of work and is not recoverable, so it was not done again`,
  };
}

function base({ run, nodeName }: Firing) {
  return { jobId: run.jobId, node: nodeName };
}

function outcomeOf({ run }: Firing, lateMs: number): Outcome {
  if (run.kind === 'manual') return 'manual';
  if (run.attempt > 1 || run.lateFrom !== null) return 'recovered';
  return lateMs > LATE_MS ? 'late' : 'fired';
}

function wasBlocked(cause: Cause | null, plannedAt: number): boolean {
  if (cause?.kind !== 'blocked') return false;
  return cause.until === null || plannedAt <= Date.parse(cause.until);
}

function causeText(cause: Cause | null, attempt: number): string | null {
  if (cause === null) return null;
  if (cause.kind === 'blocked') {
    const until = cause.until === null ? '' : ` until ${iso(cause.until)}`;
    const of =
      cause.schedule === undefined ? '' : ` of '${cause.schedule}', which has the same concurrency key,`;
    return `blocked${until} by the run${of} planned for ${iso(cause.by)} on node ${cause.node}`;
  }
  if (cause.kind === 'requested') return `asked for by ${cause.by}`;
  return attempt > 1
    ? `node ${cause.node} was lost while it ran; attempt ${attempt}`
    : `node ${cause.node} was lost before it started`;
}

function iso(time: string): string {
  return new Date(time).toISOString();
}

/** Postgres stores no NUL in text, not even in JSON; what a script says must not keep its run from ending. */
function storable(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  return text.includes('\\u0000') ? JSON.parse(text.replaceAll('\\u0000', '\\ufffd')) : value;
}
