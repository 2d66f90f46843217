import type { LedgerEntry } from '../../src/scheduler/run/run.ts';
import { claimDue } from '../../src/scheduler/store/claim-repository.ts';
import { completeRuns } from '../../src/scheduler/store/completion-repository.ts';
import { captureText } from './capture-text.ts';
import { FORGETS, LOOK_AHEAD_MS, withClaimed } from './scheduler-load.ts';

const HOLDER = { nodeId: 901, epoch: 902 };

const CLAIM: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [HOLDER.nodeId, ':node'],
  [HOLDER.epoch, '1'],
  [903, ':batch'],
  [904, String(LOOK_AHEAD_MS)],
  [905, ':watermark'],
]);

/** What stands for a column of the completion, and what fills it from the rows of the claim. */
const COLUMNS: readonly (readonly [standIn: string, variable: string, expression: string])[] = [
  ['{911}', 'trigger_ids', 'trigger_id'],
  ['{912}', 'generations', 'generation'],
  ['{913}', 'fires', 'fire_at'],
  ['{914}', 'attempts', 'attempt'],
  ['{917}', 'slots', 'slot'],
  ['{915}', 'nexts', 'fire_at + 3600000'],
  ['{916}', 'priorities', 'priority'],
  ['{true}', 'concurrents', 'false'],
  ['{901}', 'holders', ':node'],
  ['{902}', 'epochs', '1'],
  ['{1}', 'numbers', 'row_number() over ()'],
  ['{921}', 'planned', 'fire_at'],
  ['{"j"}', 'jobs', 'job_id'],
  ['{"fired"}', 'outcomes', `'fired'`],
  ['{"n"}', 'nodes', `'bench'`],
  ['{922}', 'starts', 'fire_at'],
  ['{923}', 'lates', '0'],
  ['{null}', 'nulls', 'null::text'],
];

const COMPLETION: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [HOLDER.nodeId, ':node'],
  [HOLDER.epoch, '1'],
  ...COLUMNS.map(([standIn, variable]) => [standIn, `:${variable}`] as const),
]);

/**
 * The two statements of the product, word for word, as a script for pgbench: the claim, and the completion of all
 * that it gave, with the same arrays that the product sends. Only the making of these arrays is added to the claim.
 */
export async function sameScript(): Promise<string> {
  const claim = await captureText(CLAIM, (db) =>
    claimDue(db, { holder: HOLDER, limit: 903, lookAheadMs: 904, watermark: 905, startLimit: 903 }),
  );
  const completion = await captureText(COMPLETION, (db) => completeRuns(db, HOLDER, [sampleCompletion()]));
  const columns = COLUMNS.map(([, variable, expression]) => `(${expression}) as ${variable}`);
  const arrays = COLUMNS.map(([, variable]) => `coalesce(array_agg(${variable})::text, '{}') as ${variable}`);
  return `\\set node :client_id + 1
${withClaimed(claim)}, columns as (select ${columns.join(', ')} from claimed where trigger_id is not null)
select ${arrays.join(', ')}, ${FORGETS} from columns \\gset
${completion};
`;
}

export function sampleCompletion() {
  const entry: LedgerEntry = {
    jobId: 'j',
    node: 'n',
    outcome: 'fired',
    plannedAt: 921,
    startedAt: 922,
    lateMs: 923,
    error: null,
    log: null,
    why: null,
  };
  const run = {
    triggerId: 911,
    generation: 912,
    fireAt: 913,
    slot: 917,
    attempt: 914,
    lateFrom: null,
    nextPlanned: false,
    kind: 'planned',
    cause: null,
    definition: { priority: 916, concurrentExecution: true },
  } as unknown as Parameters<typeof completeRuns>[2][number]['run'];
  return { run, next: 915, entries: [entry] };
}
