import type { JsonObject } from '#json/index.ts';
import { shownVariables } from '../variable/variable.ts';
import type { InstanceRow } from './instance-listing-repository.ts';

export function viewInstance(row: InstanceRow): JsonObject {
  const { started_at, ended_at } = row;
  const { suspended = null } = row.standing ?? {};
  return {
    businessKey: row.business_key,
    businessStatus: row.business_status,
    deleteReason: row.delete_reason,
    deleted: false,
    deploymentId: row.deployment_id === null ? null : String(row.deployment_id),
    description: row.description,
    durationInMillis: ended_at === null ? null : ended_at.getTime() - started_at.getTime(),
    endTime: ended_at?.toISOString() ?? null,
    name: row.name,
    processDefinitionId: row.definition_id,
    processDefinitionKey: row.definition_key,
    processDefinitionName: row.definition_name,
    // The name once more: clients of the field show it as the title.
    processDefinitionResourceName: row.definition_name,
    processVariables: shownVariables(row.variables),
    startTime: started_at.toISOString(),
    startUserId: row.start_user_id,
    superProcessInstanceId: row.super_instance_id,
    tenantId: row.tenant_id,
    ...(suspended === null ? {} : { suspended: true }),
  };
}

/** The revision of its tree; null when it has ended. */
export function revisionOf({ standing }: InstanceRow): string | null {
  return standing === null ? null : String(standing.revision);
}
