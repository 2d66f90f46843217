import type { JsonObject } from '#json/index.ts';
import type { ProcessDefinition } from '../engine/index.ts';
import type { DefinitionRow } from './definition-repository.ts';

export function viewDefinition(row: DefinitionRow): JsonObject {
  return {
    category: row.category,
    deleted: false,
    deploymentId: String(row.deployment_id),
    description: row.description,
    key: row.key,
    name: row.name,
    processDiagramResourceName: row.diagram_resource_name,
    resourceName: row.resource_name,
    suspended: row.suspended || row.stopped_at !== null,
    ...(row.stopped_at === null
      ? {}
      : { suspendedAt: row.stopped_at.toISOString(), suspendedBy: row.stopped_by }),
    updated: false,
    version: row.version,
    tenantId: row.tenant_id,
  };
}

/** The starters that the file names, by which access rules decide; nothing where it leaves them open. */
export function viewStarters({
  candidateStarterUsers,
  candidateStarterGroups,
}: ProcessDefinition): JsonObject {
  const isOpen = candidateStarterUsers.length + candidateStarterGroups.length === 0;
  return isOpen
    ? {}
    : {
        candidateStarterUsers: [...candidateStarterUsers],
        candidateStarterGroups: [...candidateStarterGroups],
      };
}
