import { setTimeout as delay } from 'node:timers/promises';
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
  /** It is about what is left in the end: what is on its way out may break it for a while, so it is looked at again. */
  readonly settles?: true;
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
const LOOK_AGAIN_MS = 250;

/** @param untilMs how long those that settle are waited for, epoch ms. Default: they are looked at once */
export async function findOffences(
  db: pg.ClientBase,
  checks: readonly Check[],
  untilMs = 0,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) {
    const { name, promise } = check;
    let rows = await listOffences(db, check);
    while (rows.length > 0 && check.settles === true && Date.now() < untilMs) {
      await delay(LOOK_AGAIN_MS);
      rows = await listOffences(db, check);
    }
    if (rows.length > 0) findings.push({ check: name, promise, rows });
  }
  return findings;
}

async function listOffences(db: pg.ClientBase, { sql }: Check): Promise<Finding['rows']> {
  const { rows } = await db.query(`select * from (${sql}) offence limit ${MOST_ROWS}`);
  return rows;
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
