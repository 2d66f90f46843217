import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { HealthPart } from '#lifecycle/index.ts';

/** What a node says of itself. */
export interface NodeReport {
  readonly version: string;
  /** The last migration that it knows. */
  readonly migration: string;
  /** The parts of its readiness; `since` is when a part was first seen to be down. */
  readonly parts: readonly (HealthPart & { readonly since?: string })[];
  /** Its figures, by the names that they have in the metrics; null where nobody knows. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** How far its wall clock is from the database's, ms. */
  readonly clockSkewMs: number;
  /** A hash of the configuration that it has in force. */
  readonly configuration: string;
  /** Files whose text is refused, and what is wrong with it. */
  readonly refused: readonly {
    readonly id: string;
    readonly since: string;
    readonly findings: readonly string[];
  }[];
  /** Whether it has taken notice of being drained. */
  readonly drained: boolean;
}

export interface ReportedNode {
  readonly name: string;
  /** Whether it runs, by the one predicate of liveness. */
  readonly state: 'running' | 'lost' | 'down';
  readonly roles: readonly string[];
  readonly epoch: number;
  readonly seen_at: Date;
  readonly drained_at: Date | null;
  readonly drained_by: string | null;
  readonly keys: Readonly<Record<string, readonly string[]>> | null;
  readonly reported_at: Date | null;
  readonly report: NodeReport | null;
}

export async function writeReport(db: Db, nodeId: number, report: NodeReport): Promise<void> {
  const json = JSON.stringify(report);
  await sql`
    insert into cluster_report (node_id, report) values (${nodeId}, ${json}::jsonb)
    on conflict (node_id) do update set report = excluded.report, reported_at = clock_timestamp()`.execute(
    db,
  );
}

/** All nodes, or one, with what they said last. */
export async function listReports(db: Db, name?: string): Promise<readonly ReportedNode[]> {
  const { rows } = await sql<ReportedNode>`
    select node as name, state, roles, epoch, seen_at, drained_at, drained_by, keys, reported_at, report
    from svc_node where ${name ?? null}::text is null or node = ${name ?? null} order by node`.execute(db);
  return rows;
}

/** Has a node claim nothing from now on. @returns whether it did until now */
export async function drainNode(db: Db, name: string, by: string): Promise<boolean> {
  const { rows } = await sql`
    with drained as (
      update cluster_node set drained_at = clock_timestamp(), drained_by = ${by}
      where name = ${name} and drained_at is null returning name, epoch)
    select cluster_note_event(name, 'drained', epoch, ${by}, null) from drained`.execute(db);
  return rows.length === 1;
}

/** Has a node work again. @returns whether it was drained */
export async function resumeNode(db: Db, name: string, by: string): Promise<boolean> {
  const { rows } = await sql`
    with resumed as (
      update cluster_node set drained_at = null, drained_by = null
      where name = ${name} and drained_at is not null returning name, epoch)
    select cluster_note_event(name, 'resumed', epoch, ${by}, null) from resumed`.execute(db);
  return rows.length === 1;
}
