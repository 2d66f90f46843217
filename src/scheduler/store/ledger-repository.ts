import { type RawBuilder, sql } from 'kysely';
import { numbers, texts } from '#database/index.ts';
import type { LedgerEntry } from '../run/run.ts';

export const LEDGER = sql.raw(
  `planned_at, trigger_id, generation, job_id, outcome, node, attempt, claimed_at, started_at, late_ms, error, log, why`,
);

/** The values of an entry `e` that belongs to a run for these columns. */
export const LEDGER_ENTRY = (run: string) =>
  sql.raw(`to_timestamp(e.planned_ms / 1000), ${run}.trigger_id, ${run}.generation, e.job_id, e.outcome, e.node, ${run}.attempt,
             ${run}.claimed_at, to_timestamp(e.started_ms / 1000), e.late_ms, e.error, e.log, e.why`);

/** Entries as rows `e`; `n` says of which run. */
export function ledgerEntries(entries: readonly (LedgerEntry & { n: number })[]): RawBuilder<unknown> {
  return sql`unnest(
        ${numbers(entries, 'int', ({ n }) => n)},
        ${numbers(entries, 'float8', ({ plannedAt }) => Math.floor(plannedAt))},
        ${texts(entries, 'text', ({ jobId }) => jobId)},
        ${texts(entries, 'text', ({ outcome }) => outcome)},
        ${texts(entries, 'text', ({ node }) => node)},
        ${numbers(entries, 'float8', ({ startedAt }) => startedAt)},
        ${numbers(entries, 'float8', ({ lateMs }) => lateMs)},
        ${texts(entries, 'jsonb', ({ error }) => json(error))},
        ${texts(entries, 'jsonb', ({ log }) => json(log))},
        ${texts(entries, 'text', ({ why }) => why)}
      ) as e(n, planned_ms, job_id, outcome, node, started_ms, late_ms, error, log, why)`;
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
