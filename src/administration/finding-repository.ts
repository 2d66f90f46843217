import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';

/** What needs somebody. */
export interface OpenFinding {
  readonly id: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly since: string | null;
  /** The path of the resource that it is about. */
  readonly subject: string;
  readonly text: string;
  readonly hint: string;
  /** Where in a script or file. */
  readonly at: string | null;
  readonly actions: JsonValue;
}

export interface ServerStatus {
  readonly findings: readonly OpenFinding[];
  readonly counts: JsonObject;
}

/** What could be many is counted so far. */
const MOST_COUNTED = 10_000;

/** What needs somebody, the worst and newest first, and how much there is of everything. */
export async function readStatus(db: Db): Promise<ServerStatus> {
  const counted = (from: ReturnType<typeof sql>) =>
    sql`(select count(*)::int from (select from ${from} limit ${sql.lit(MOST_COUNTED)}) counted)`;
  const { rows } = await sql<ServerStatus>`
    select coalesce((
             select jsonb_agg(to_jsonb(f) || jsonb_build_object('since',
                      to_char(f.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                    order by array_position(array['error', 'warning', 'info'], f.severity), f.since desc nulls last, f.id)
             from svc_finding f), '[]') as findings,
           jsonb_build_object(
             'nodes', (select count(*) from svc_node where state = 'running'),
             'nodesReady', (select count(*) from svc_node where state = 'running'
                            and not jsonb_path_exists(report, '$.parts[*] ? (@.ok == false)')),
             'schedules', ${counted(sql`scheduler_job`)},
             'firingsRunning', ${counted(sql`scheduler_run`)},
             'jobsWaiting', ${counted(sql`work_job where due_at <= statement_timestamp() and node_id is null`)},
             'deadLetters', ${counted(sql`work_dead_letter`)},
             'workflowDeadLetters', ${counted(sql`workflow_job where is_dead`)},
             'scansActive', ${counted(sql`scan_run where ended_at is null and operation is null`)},
             'operationsActive', ${counted(sql`scan_run where state = 'ACTIVE' and operation is not null`)},
             'instancesOpen', ${counted(sql`workflow_instance where ended_at is null`)},
             'tasksOpen', ${counted(sql`workflow_task where ended_at is null`)}) as counts`.execute(db);
  return rows[0]!;
}
