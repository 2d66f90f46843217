import type pg from 'pg';
import type { Deed } from '../journal.ts';

/** A promise, and the statement that finds what breaks it: each row is an offence. */
export interface Check {
  readonly name: string;
  /** Counts what was looked at. */
  readonly of: string;
  /** What holds when there is no row. */
  readonly promise: string;
  readonly sql: string;
}

/** Counts all answers to requests of these kinds. */
export function answers(...deeds: readonly Deed[]): string {
  return `select count(*) from soak.answer where deed in (${deeds.map((deed) => `'${deed}'`).join(', ')})`;
}

export interface Finding {
  readonly check: string;
  readonly promise: string;
  readonly rows: readonly Record<string, unknown>[];
}

/** More rows than these say nothing more. */
const MOST_ROWS = 20;

export async function findOffences(db: pg.ClientBase, checks: readonly Check[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, promise, sql } of checks) {
    const { rows } = await db.query(`select * from (${sql}) offence limit ${MOST_ROWS}`);
    if (rows.length > 0) findings.push({ check: name, promise, rows });
  }
  return findings;
}

export function formatFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ check, promise, rows }) => {
      const lines = rows.map((row) => `    ${JSON.stringify(row)}`);
      return [`BROKEN ${check}: ${promise}`, ...lines].join('\n');
    })
    .join('\n');
}

/** How much each check has looked at. */
export async function countLookedAt(
  db: pg.ClientBase,
  checks: readonly Check[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, of } of checks) {
    const { rows } = await db.query<{ count: string | null }>(`select (${of})::text as count`);
    counts.set(name, Number(rows[0]!.count ?? 0));
  }
  return counts;
}
