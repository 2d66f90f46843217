import type pg from 'pg';

/** A promise, and the statement that finds what breaks it: each row is an offence. */
export interface Check {
  readonly name: string;
  /** What holds when there is no row. */
  readonly promise: string;
  readonly sql: string;
}

export interface Finding {
  readonly check: string;
  readonly promise: string;
  readonly rows: readonly Record<string, unknown>[];
}

/** More rows than these say nothing more. */
const MOST_ROWS = 20;

/** @param values for what a statement calls `$1` and so on */
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
