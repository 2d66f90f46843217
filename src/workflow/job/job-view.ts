import type { JsonObject } from '#json/index.ts';
import type { DeadLetterRow } from './dead-letter-repository.ts';

export function viewJob(row: DeadLetterRow): JsonObject {
  return {
    createTime: row.created_at.toISOString(),
    dueDate: row.due_at.toISOString(),
    elementId: row.element,
    exceptionMessage: row.exception,
    executionId: row.execution_id,
    jobType: row.kind,
    processDefinitionId: row.definition_id,
    processInstanceId: row.instance_id,
    retries: row.retries,
  };
}
