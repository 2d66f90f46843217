import type { JsonObject } from '#json/index.ts';
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
    suspended: row.suspended,
    updated: false,
    version: row.version,
    tenantId: row.tenant_id,
  };
}
