import type { Db } from '#database/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { findResource } from './definition-repository.ts';
import type { CompiledDefinition } from './definitions.ts';

/**
 * The diagram of a definition in base64: the image that came with it, else one drawn from its graphical notation;
 * undefined when there is neither.
 */
export async function definitionDiagram(
  { painter }: WorkflowPlatform,
  db: Db,
  definition: CompiledDefinition,
): Promise<string | undefined> {
  const { diagram_resource_name: name, deployment_id } = definition.row;
  if (name === null) return undefined;
  const picture = (await findResource(db, deployment_id, name)) ?? (await painter.png(sourceOf(definition)));
  return picture?.toString('base64');
}

/** The same as SVG, always drawn; in base64 too, so that `_mimeType` gives it plain. */
export async function definitionSvg(
  { painter }: WorkflowPlatform,
  definition: CompiledDefinition,
): Promise<string | undefined> {
  const svg = await painter.svg(sourceOf(definition));
  return svg && Buffer.from(svg).toString('base64');
}

export function sourceOf({ row, xml }: CompiledDefinition) {
  return { id: row.id, key: row.key, xml };
}
