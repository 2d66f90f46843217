import type { Db } from '#database/index.ts';
import { findResource } from './definition-repository.ts';
import type { CompiledDefinition } from './definitions.ts';

/** The diagram of a definition in base64; undefined when its file has no graphical notation. */
export async function definitionDiagram(db: Db, { row }: CompiledDefinition): Promise<string | undefined> {
  if (row.diagram_resource_name === null) return undefined;
  const given = await findResource(db, row.deployment_id, row.diagram_resource_name);
  return given?.toString('base64');
}
