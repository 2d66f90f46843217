import { SITUATIONS } from '#config/index.ts';
import type { JsonObject } from '#json/index.ts';
import { withoutWords } from '#sync/index.ts';
import type { EntryCount, EntryState, ReconParameters, ReconRun } from './recon-run.ts';

/**
 * What has come of a run, with the names of the field; `mode`, `estimate`, `entrySummary` and `error` are beside them.
 *
 * @param seesWords whether the caller may see what is said about objects of both sides
 */
export function summaryOf(run: ReconRun, counts: readonly EntryCount[], seesWords: boolean): JsonObject {
  const { id, mapping, mode, parameters } = run;
  const error = seesWords ? run.error : withoutWords(run.error);
  const stage = stageOf(run);
  const links = counts.filter((count) => makesLink(count));
  const created = links.filter(({ action }) => action === 'CREATE');
  return {
    _id: id,
    mapping,
    mode,
    state: run.state,
    stage,
    stageDescription: descriptionOf({ ...run, error }),
    progress: {
      source: { existing: { processed: doneIn(counts, 'source'), total: totalOf(run.sources) } },
      target: {
        existing: {
          processed: doneIn(counts, 'target') + doneIn(counts.filter(hasTarget), 'source'),
          total: totalOf(run.targets),
        },
        created: sumOf(created),
      },
      links: {
        existing: { processed: sumOf(counts.filter(isLinked)), total: totalOf(run.links) },
        created: sumOf(links),
      },
    },
    situationSummary: Object.fromEntries(
      SITUATIONS.map((name) => [name, sumOf(counts.filter(({ situation }) => situation === name))]),
    ),
    statusSummary: {
      SUCCESS: sumOf(counts.filter(({ state }) => state !== 'listed' && state !== 'failed')),
      FAILURE: sumOf(counts.filter(({ state }) => state === 'failed')),
    },
    entrySummary: Object.fromEntries(
      STATES.map((name) => [name, sumOf(counts.filter(({ state }) => state === name))]),
    ),
    durationSummary: durationsOf(run),
    parameters: shownParameters(parameters),
    started: iso(run.started_at),
    ended: iso(run.ended_at),
    duration: durationMs(run.started_at, run.ended_at ?? new Date()),
    estimate: iso(estimateOf(run, counts)),
    error,
  };
}

const ALL: JsonObject = { _queryId: 'query-all-ids' };

/** What was asked for, as the field shows it. */
export function shownParameters({ sourceIds, sourceQuery, targetQuery }: ReconParameters): JsonObject {
  const source =
    sourceIds === undefined ? { sourceQuery: sourceQuery ?? ALL } : { sourceIds: [...sourceIds] };
  return { ...source, targetQuery: targetQuery ?? ALL };
}

/** How many of a phase are in which situation, as the field tells the script `result`. */
export function situationsOf(counts: readonly EntryCount[], phase: EntryCount['phase']): JsonObject {
  const some = counts.filter((count) => count.phase === phase);
  return Object.fromEntries(
    SITUATIONS.map((name) => [name, { count: sumOf(some.filter(({ situation }) => situation === name)) }]),
  );
}

const STATES: readonly EntryState[] = [
  'listed',
  'planned',
  'applied',
  'failed',
  'skipped',
  'changed',
  'counted',
];

function makesLink({ situation, action, state }: EntryCount): boolean {
  const makes = action === 'CREATE' || action === 'UPDATE' || action === 'LINK';
  return state === 'applied' && makes && (situation === 'ABSENT' || situation === 'FOUND');
}

function isLinked({ situation, state }: EntryCount): boolean {
  return state !== 'listed' && LINKED.has(situation ?? '');
}

const LINKED: ReadonlySet<string> = new Set(['CONFIRMED', 'MISSING', 'SOURCE_MISSING', 'LINK_ONLY']);

/** Targets that a source has led to. */
function hasTarget({ situation }: EntryCount): boolean {
  return LED_TO.has(situation ?? '');
}

const LED_TO: ReadonlySet<string> = new Set(['CONFIRMED', 'FOUND', 'FOUND_ALREADY_LINKED', 'UNQUALIFIED']);

function doneIn(counts: readonly EntryCount[], phase: EntryCount['phase']): number {
  return sumOf(counts.filter((count) => count.phase === phase && count.state !== 'listed'));
}

function sumOf(counts: readonly EntryCount[]): number {
  return counts.reduce((sum, { entries }) => sum + entries, 0);
}

/** Totals are texts there, and `?` where they are not known. */
function totalOf(count: number | null): string {
  return count === null ? '?' : String(count);
}

function stageOf({ state, step, started_at }: ReconRun): string {
  if (state === 'SUCCESS') return 'COMPLETED_SUCCESS';
  if (state === 'CANCELED') return 'COMPLETED_CANCELED';
  if (state === 'FAILED') return 'COMPLETED_FAILED';
  if (step === 'list') return started_at === null ? 'ACTIVE_INITIALIZED' : 'ACTIVE_QUERY_ENTRIES';
  const isOfSources = step === 'source' || step === 'link' || step === 'apply';
  return isOfSources ? 'ACTIVE_RECONCILING_SOURCE' : 'ACTIVE_RECONCILING_TARGET';
}

function descriptionOf({ state, step, mode, error }: ReconRun): string {
  if (error !== null) {
    const words = error['message'];
    return words === undefined ? 'reconciliation failed' : `reconciliation failed: ${String(words)}`;
  }
  if (state === 'SUCCESS') return mode === 'plan' ? 'plan completed' : 'reconciliation completed';
  if (state === 'CANCELED') return 'reconciliation canceled';
  return {
    list: 'listing both sides',
    source: 'reconciling source entries',
    link: 'linking targets that were found',
    target: 'reconciling target entries',
    apply: 'doing what was approved',
    remove: 'doing what takes something away',
    end: 'ending',
  }[step];
}

function durationsOf({ started_at, listed_at, targets_at, ended_at }: ReconRun): JsonObject {
  const spans: readonly (readonly [string, Date | null, Date | null])[] = [
    ['sourceQuery', started_at, listed_at],
    ['sourcePhase', listed_at, targets_at ?? ended_at],
    ['targetPhase', targets_at, ended_at],
  ];
  return Object.fromEntries(
    spans.flatMap(([name, from, to]) => {
      if (from === null || to === null) return [];
      const ms = durationMs(from, to);
      return [[name, { count: 1, sum: ms, min: ms, max: ms, mean: ms, stdDev: 0 }]];
    }),
  );
}

/** At the pace at which entries have been done since both sides were listed. */
function estimateOf({ state, listed_at }: ReconRun, counts: readonly EntryCount[]): Date | null {
  if (state !== 'ACTIVE' || listed_at === null) return null;
  const open = sumOf(counts.filter((count) => count.state === 'listed'));
  const done = sumOf(counts) - open;
  if (done === 0) return null;
  const now = Date.now();
  return new Date(now + ((now - listed_at.getTime()) * open) / done);
}

function durationMs(from: Date | null, to: Date): number {
  return from === null ? 0 : Math.max(0, to.getTime() - from.getTime());
}

function iso(at: Date | null): string {
  return at?.toISOString() ?? '';
}
