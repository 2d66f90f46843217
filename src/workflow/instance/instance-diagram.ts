import type { Db } from '#database/index.ts';
import { definitionDiagram } from '../definition/definition-diagram.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { InstanceRow } from './instance-listing-repository.ts';

/** The diagram of an instance in base64, with what is active in red; undefined without graphical notation. */
export async function instanceDiagram(
  platform: WorkflowPlatform,
  db: Db,
  row: InstanceRow,
): Promise<string | undefined> {
  const definition = await platform.definitions.get(db, row.definition_id).catch(() => undefined);
  return definition === undefined ? undefined : definitionDiagram(db, definition);
}
