import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';

/** A process that somebody has started, as its starter may see it. */
export interface StartedRow {
  readonly id: string;
  readonly definition_id: string;
  readonly definition_key: string;
  readonly definition_name: string | null;
  readonly business_key: string | null;
  readonly business_status: string | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly delete_reason: string | null;
  readonly has_failed: boolean;
  /** Its open tasks; `since` and `due` are epoch ms. */
  readonly tasks: readonly {
    readonly name: string | null;
    readonly since: number;
    readonly due: number | null;
  }[];
  /** What callers have written into it by its forms. */
  readonly submitted: Readonly<Record<string, JsonValue>>;
}

export interface StartedQuestion {
  readonly name: string;
  /** The last one of the page before: when it began, an ISO instant, and its id. */
  readonly after: { readonly startedAt: string; readonly id: string } | undefined;
  readonly limit: number;
}

const MOST_TASKS_SHOWN = 10;

/** A page of what somebody has started, the latest first, with where each stands: one statement. */
export async function listStarted(
  db: Db,
  { name, after, limit }: StartedQuestion,
): Promise<readonly StartedRow[]> {
  const behind =
    after === undefined
      ? sql`true`
      : sql`(i.started_at, i.id) < (${after.startedAt}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<StartedRow>`
    select i.id, i.definition_id, i.definition_key, i.definition_name, i.business_key, i.business_status, i.started_at,
      i.ended_at, i.delete_reason,
      exists (select from workflow_job j
              where j.instance_id = i.id and j.kind in ('async', 'timer') and j.is_dead) as has_failed,
      (select coalesce(jsonb_agg(jsonb_build_object('name', t.name, 'since', extract(epoch from t.created_at) * 1000,
                                                    'due', extract(epoch from t.due_at) * 1000)), '[]')
       from (select * from workflow_task o where o.instance_id = i.id and o.ended_at is null
             order by o.execution limit ${MOST_TASKS_SHOWN}) t) as tasks,
      (select coalesce(jsonb_object_agg(v.name, v.value), '{}') from workflow_variable v
       where v.instance_id = i.id and v.scope = 0 and v.owner = 'form' and v.type not in ('json', 'null')) as submitted
    from workflow_instance i
    where i.start_user_id = ${name} and not i.is_starter_gone and i.super_instance_id is null and ${behind}
    order by i.started_at desc, i.id desc limit ${limit}`.execute(db);
  return rows;
}
