import type { JsonValue } from '#json/index.ts';
import { sample } from './metric.ts';
import { iso, type LogLevel, ms, said } from './row.ts';

/** Nodes, and what they do by themselves: schedules, jobs, scans, scripts. */
export const WORK = {
  'node.named': said<{ node: string }>({
    level: 'debug',
    text: ({ node }) => `this node is ${node}`,
  }),
  'node.joined': said<{ node: string; epoch: number }>({
    level: 'info',
    text: ({ node }) => `node ${node} joined the cluster`,
    facts: ({ epoch }) => ({ epoch }),
  }),
  'node.left': said<{ node: string }>({
    level: 'info',
    text: ({ node }) => `node ${node} left the cluster`,
  }),
  'node.lost': said<{ node: string; epoch: number; how: 'session' | 'heartbeat'; runs: number; ms: number }>({
    level: 'warn',
    text: ({ node }) => `node ${node} lost, its runs released`,
    facts: ({ epoch, how, runs, ms: span }) => ({ epoch, by: how, runs, took: ms(span) }),
    counts: () => sample('recovered', {}),
  }),
  'node.fenced': said<{ node: string; epoch: number }>({
    level: 'error',
    text: () => 'this node was declared lost by another one; it starts again with a new epoch',
    facts: ({ node, epoch }) => ({
      lostNode: node,
      epoch,
    }),
  }),
  'node.clockSkew': said<{ ms: number }>({
    level: 'warn',
    text: ({ ms: span }) => `clock differs from the database's by ${ms(span)}`,
  }),
  'schedule.registered': said<{ schedule: string; next: number | null }>({
    level: 'info',
    text: ({ schedule }) => `schedule ${schedule} registered`,
    facts: ({ next }) => ({ next: iso(next) }),
  }),
  'schedule.removed': said<{ schedule: string }>({
    level: 'info',
    text: ({ schedule }) => `schedule ${schedule} removed`,
  }),
  'trigger.fired': said<{ schedule: string; plannedAt: number; lateMs: number; run: string }>({
    level: 'debug',
    text: ({ schedule }) => `trigger fired       ${schedule}`,
    facts: ({ lateMs, run }) => ({ late: ms(lateMs), run }),
    counts: ({ lateMs }) => sample('lateness', {}, Math.max(0, lateMs) / 1000),
  }),
  'trigger.completed': said<{
    schedule: string;
    /** The name in which it ran. */
    invoker: string;
    run: string;
    /** What the audit calls all that it did. */
    transaction: string;
    ms: number;
    next: number | null;
    level: LogLevel;
  }>({
    level: ({ level }) => level,
    text: ({ schedule }) => `schedule ran        ${schedule}`,
    facts: ({ ms: span, run, next }) => ({ took: ms(span), run, next: iso(next) }),
    counts: ({ schedule }) => sample('fired', { schedule, outcome: 'fired' }),
  }),
  'trigger.failed': said<{
    schedule: string;
    invoker: string;
    run: string;
    transaction: string;
    ms: number;
    error: string;
  }>({
    level: 'warn',
    text: ({ schedule, error: thrown }) => `schedule failed     ${schedule}: ${thrown}`,
    facts: ({ ms: span, run }) => ({ took: ms(span), run }),
    counts: ({ schedule }) => sample('fired', { schedule, outcome: 'failed' }),
  }),
  'trigger.misfired': said<{ schedule: string; plannedAt: number; lateMs: number; policy: string }>({
    level: 'warn',
    text: ({ schedule }) => `trigger misfired    ${schedule}`,
    facts: ({ plannedAt, lateMs, policy }) => ({ planned: iso(plannedAt), late: ms(lateMs), policy }),
    counts: ({ schedule }) => sample('fired', { schedule, outcome: 'misfired' }),
  }),
  'trigger.fencedOut': said<{ schedule: string; run: string }>({
    level: 'warn',
    text: ({ schedule }) => `run of ${schedule} rolled back: it belongs to another node now`,
    facts: ({ run }) => ({ run }),
    counts: ({ schedule }) => sample('fired', { schedule, outcome: 'fencedOut' }),
  }),
  'trigger.parked': said<{ schedule: string; attempts: number }>({
    level: 'error',
    text: ({ schedule, attempts }) =>
      `schedule ${schedule} parked: its run was interrupted ${attempts} times`,
    counts: ({ schedule }) => sample('fired', { schedule, outcome: 'parked' }),
  }),
  'job.completed': said<{ queue: string; job: string; ms: number }>({
    level: 'debug',
    text: ({ queue }) => `job done            ${queue}`,
    facts: ({ ms: span, job }) => ({ took: ms(span), job }),
    counts: ({ queue, ms: span }) => sample('jobs', { queue, outcome: 'completed' }, span / 1000),
  }),
  'job.failed': said<{ queue: string; job: string; ms: number; error: string; dead: boolean }>({
    level: ({ dead }) => (dead ? 'error' : 'warn'),
    text: ({ queue, error: thrown }) => `job failed          ${queue}: ${thrown}`,
    facts: ({ dead, ms: span, job }) => ({
      took: ms(span),
      job,
      next: dead ? 'dead letter' : 'another attempt',
    }),
    counts: ({ queue, dead, ms: span }) =>
      sample('jobs', { queue, outcome: dead ? 'dead' : 'retrying' }, span / 1000),
  }),
  'job.fencedOut': said<{ queue: string; job: string }>({
    level: 'warn',
    text: ({ queue }) => `job of ${queue} rolled back: it belongs to another node now`,
    facts: ({ job }) => ({ job }),
  }),
  'scan.ended': said<{
    run: string;
    /** Its schedule, or the objects it was over. */
    scan: string;
    state: string;
    total: number;
    successes: number;
    failures: number;
    skipped: number;
    ms: number;
    error: string | null;
  }>({
    level: ({ error: thrown, failures }) => (thrown !== null || failures > 0 ? 'warn' : 'info'),
    text: ({ state, scan, error: thrown }) =>
      `scan ${state.toLowerCase().padEnd(15)}${scan}${thrown === null ? '' : `: ${thrown}`}`,
    facts: ({ ms: span, total, successes, failures, skipped, run }) => ({
      took: ms(span),
      total,
      successes,
      failures,
      skipped,
      run,
    }),
    counts: ({ scan, ...said }) =>
      (['successes', 'failures', 'skipped'] as const).flatMap((outcome) =>
        sample('scanned', { scan, outcome }, said[outcome]),
      ),
  }),
  'operation.ended': said<{
    operation: string;
    act: string;
    resource: string;
    state: string;
    total: number;
    successes: number;
    failures: number;
    skipped: number;
    ms: number;
    error: string | null;
  }>({
    level: ({ error: thrown, failures }) => (thrown !== null || failures > 0 ? 'warn' : 'info'),
    text: ({ state, act, resource, error: thrown }) =>
      `operation ${state.toLowerCase().padEnd(10)}${act} ${resource}${thrown === null ? '' : `: ${thrown}`}`,
    facts: ({ ms: span, total, successes, failures, skipped, operation }) => ({
      took: ms(span),
      total,
      successes,
      failures,
      skipped,
      operation,
    }),
    counts: ({ act, ...said }) =>
      (['successes', 'failures', 'skipped'] as const).flatMap((outcome) =>
        sample('operated', { act, outcome }, said[outcome]),
      ),
  }),
  'system.called': said<{ system: string; operation: string; outcome: string; ms: number }>({
    level: 'trace',
    text: ({ system, operation, outcome }) => `${operation} at system ${system}: ${outcome}`,
    facts: ({ ms: span }) => ({ took: ms(span) }),
    counts: ({ system, operation, outcome, ms: span }) =>
      sample('systemCalls', { system, operation, outcome }, span / 1000),
  }),
  'system.away': said<{ system: string; why: string }>({
    level: 'warn',
    text: ({ system, why }) => `system ${system} is away: ${why}`,
    counts: ({ system }) => sample('systemUp', { system }, 0),
    sameAs: ({ system }) => system,
  }),
  'system.back': said<{ system: string }>({
    level: 'info',
    text: ({ system }) => `system ${system} is back`,
    counts: ({ system }) => sample('systemUp', { system }, 1),
  }),
  'livesync.first': said<{ source: string }>({
    level: 'info',
    text: ({ source }) => `changes of ${source} are followed from now on; reconcile it for what was before`,
  }),
  'livesync.ended': said<{
    source: string;
    changes: number;
    failed: number;
    ms: number;
    error: string | null;
  }>({
    level: ({ error: thrown, failed, changes }) =>
      thrown !== null || failed > 0 ? 'warn' : changes > 0 ? 'info' : 'debug',
    text: ({ source, changes, error: thrown }) =>
      `livesync ${source}: ${changes} changes${thrown === null ? '' : `, then: ${thrown}`}`,
    facts: ({ ms: span, changes, failed }) => ({ took: ms(span), changes, failed }),
    counts: ({ source, changes, failed }) => [
      sample('followed', { source, outcome: 'delivered' }, changes - failed),
      sample('followed', { source, outcome: 'failed' }, failed),
    ],
  }),
  'livesync.gap': said<{ source: string }>({
    level: 'warn',
    text: ({ source }) =>
      `${source} does not know any more what has changed: its mappings are reconciled, unless onGap says otherwise`,
  }),
  'livesync.gapLeft': said<{ source: string; mapping: string }>({
    level: 'warn',
    text: ({ source, mapping }) =>
      `${mapping} was being reconciled when a gap in the changes of ${source} was found: reconcile it again`,
  }),
  'livesync.ignored': said<{ mapping: string; source: string; attempts: number; error: string }>({
    level: 'warn',
    text: ({ source, mapping, error: thrown }) =>
      `a change of ${source} is given up by ${mapping}: ${thrown}`,
    facts: ({ attempts }) => ({ attempts }),
  }),
  'sync.held': said<{ mapping: string; message: string }>({
    level: 'warn',
    text: ({ message }) => message,
  }),
  'sync.alike': said<{ mapping: string; alike: number; error: string }>({
    level: 'warn',
    text: ({ mapping, alike, error }) =>
      `${alike} deliveries of '${mapping}' have failed alike, so the others wait, and one tries each minute: ${error}`,
    sameAs: ({ mapping }) => mapping,
  }),
  'sync.undone': said<{ mapping: string; source: string }>({
    level: 'info',
    text: ({ mapping, source }) =>
      `a change was not stored whose targets ${mapping} had written: ${source} is delivered as it is stored`,
  }),
  'recon.ended': said<{
    run: string;
    mapping: string;
    mode: string;
    state: string;
    /** How many entries came to the same. */
    outcomes: readonly {
      readonly situation: string | null;
      readonly action: string | null;
      readonly state: string;
      readonly entries: number;
    }[];
    ms: number;
    error: string | null;
  }>({
    level: ({ error: thrown, outcomes }) =>
      thrown !== null || outcomes.some(({ state }) => state === 'failed') ? 'warn' : 'info',
    text: ({ state, mapping, mode, error: thrown }) =>
      `${mode === 'plan' ? 'plan' : 'recon'} ${state.toLowerCase().padEnd(15)}${mapping}${thrown === null ? '' : `: ${thrown}`}`,
    facts: ({ ms: span, run, outcomes }) => ({
      took: ms(span),
      ...Object.fromEntries(
        [...Map.groupBy(outcomes, ({ state }) => state)].map(([state, some]) => [
          state,
          some.reduce((sum, { entries }) => sum + entries, 0),
        ]),
      ),
      run,
    }),
    counts: ({ mapping, outcomes }) =>
      outcomes.flatMap(({ situation, action, state, entries }) =>
        sample(
          'reconciled',
          { mapping, situation: situation ?? '', action: action ?? '', outcome: state },
          entries,
        ),
      ),
  }),
  'sync.failed': said<{ resource: string; details: JsonValue }>({
    level: 'warn',
    text: ({ resource }) => `synchronization of ${resource} failed`,
    facts: ({ details }) => ({ details }),
  }),
  'script.logged': said<{ level: LogLevel; script: string; message: string; requestId?: string }>({
    level: ({ level }) => level,
    text: ({ message }) => message,
    facts: ({ script, requestId }) => ({ script, ...(requestId === undefined ? {} : { requestId }) }),
  }),
  'script.evaluated': said<{ script: string; ms: number; outcome: 'ok' | 'thrown' | 'limit' }>({
    level: 'trace',
    text: ({ script, outcome }) => `script ${script} ${outcome}`,
    facts: ({ ms: span }) => ({ took: ms(span) }),
    counts: ({ outcome, ms: span }) => sample('script', { outcome }, span / 1000),
  }),
  'http.threadStarted': said<{ thread: number }>({
    level: 'debug',
    text: ({ thread }) => `HTTP thread ${thread} started`,
  }),
  'http.threadDied': said<{ thread: number; reason: string }>({
    level: 'error',
    text: ({ thread, reason }) => `HTTP thread ${thread} ended, its connections with it: ${reason}`,
  }),
  'script.threadStarted': said<{ thread: number }>({
    level: 'debug',
    text: ({ thread }) => `script thread ${thread} started`,
  }),
  'script.threadSpared': said<{ thread: number }>({
    level: 'debug',
    text: ({ thread }) => `script thread ${thread} ended, for it has long had no work`,
  }),
  'script.threadKilled': said<{ thread: number; reason: string }>({
    level: 'warn',
    text: ({ thread, reason }) => `script thread ${thread} ended: ${reason}`,
  }),
};
