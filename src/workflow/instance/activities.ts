import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { ProcessDefinition } from '../engine/index.ts';
import { type ActivityRow, listActivities, MOST_ACTIVITIES } from '../history/activity-repository.ts';
import { executionId } from './instance-id.ts';

/** Where an instance has been, in its order; and whether there is more than is listed. */
export async function activitiesOf(
  db: Db,
  id: string,
  process: ProcessDefinition | undefined,
): Promise<{ readonly activities: JsonObject[]; readonly isCut: boolean }> {
  const rows = await listActivities(db, id);
  const activities = rows.slice(0, MOST_ACTIVITIES).map((row) => view(id, row, process));
  return { activities, isCut: rows.length > MOST_ACTIVITIES };
}

function view(id: string, row: ActivityRow, process: ProcessDefinition | undefined): JsonObject {
  const node = process?.nodes.get(row.element);
  return {
    element: row.element,
    name: node?.name ?? null,
    kind: node?.kind ?? null,
    entered: row.started_at?.toISOString() ?? null,
    left: row.ended_at?.toISOString() ?? null,
    reason: row.reason,
    executionId: executionId(id, row.execution),
    actor: row.actor,
    taskId: row.task_id,
    job: row.job_id === null ? null : { id: row.job_id, isDeadLetter: row.is_dead },
    calledInstanceId: row.called_id,
  };
}
