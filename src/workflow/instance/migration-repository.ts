import { sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';
import { filterSql, instantColumn, type QueryColumn } from '#repo/index.ts';
import type { QueryFilter } from '#resource/index.ts';
import type { Standing } from '../engine/index.ts';

/** A migration is planned for so many running instances at most, the last ones. */
export const MOST_PLANNED = 20_000;

const started = sql`i.started_at`;
const COLUMNS = {
  columns: new Map<string, QueryColumn>([
    ['_id', { expression: sql`i.id::text`, type: 'text', notNull: true }],
    ['businessKey', { expression: sql`i.business_key`, type: 'text' }],
    ['startUserId', { expression: sql`i.start_user_id`, type: 'text' }],
    ['superProcessInstanceId', { expression: sql`i.super_instance_id::text`, type: 'text' }],
    ['startTime', instantColumn(started, true)],
  ]),
};
/** What a filter may name. */
export const FILTERED: string[] = [...COLUMNS.columns.keys()];

function chosen(definitionId: string, filter: QueryFilter) {
  return sql`
    select s.instance_id, s.state from workflow_state s join workflow_instance i on i.id = s.instance_id
    where s.definition_id = ${definitionId} and ${filterSql(filter, COLUMNS)}
    order by s.instance_id desc limit ${MOST_PLANNED}`;
}

const STANDING = sql`e->>'at' as at, e->>'is' as "is", e ? 'loop' as "isLoop", e ? 'index' as "isRound"`;

/** Where the instances stand, and how many of them do. */
export async function listStandings(
  db: Db,
  definitionId: string,
  filter: QueryFilter,
): Promise<readonly (Standing & { readonly instances: number })[]> {
  const { rows } = await sql<Standing & { instances: number }>`
    select ${STANDING}, count(distinct c.instance_id)::int as instances
    from (${chosen(definitionId, filter)}) c cross join lateral jsonb_array_elements(c.state->'executions') e
    where e->>'at' is not null group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(db);
  return rows;
}

/** How many instances there are, and how many of them stand somewhere that is refused. */
export async function countRefused(
  db: Db,
  definitionId: string,
  filter: QueryFilter,
  refused: readonly Standing[],
): Promise<{ readonly instances: number; readonly refused: number; readonly isCut: boolean }> {
  const { rows } = await sql<{ instances: number; refused: number; all: number }>`
    select count(*)::int as instances, count(*) filter (where exists (
        select from jsonb_array_elements(c.state->'executions') e
        join jsonb_to_recordset(${JSON.stringify(refused)}::jsonb) as r(at text, "is" text, "isLoop" boolean, "isRound" boolean)
          on r.at = e->>'at' and r."is" is not distinct from e->>'is' and r."isLoop" = (e ? 'loop') and r."isRound" = (e ? 'index')
      ))::int as refused
    from (${chosen(definitionId, filter)}) c`.execute(db);
  const { instances, refused: count } = oneRow(rows);
  return { instances, refused: count, isCut: instances >= MOST_PLANNED };
}
