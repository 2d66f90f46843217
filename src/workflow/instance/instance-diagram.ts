import type { Db } from '#database/index.ts';
import { sourceOf } from '../definition/definition-diagram.ts';
import { listFailedElements } from '../job/dead-letter-repository.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { InstanceRow } from './instance-listing-repository.ts';
import { findState } from './instance-repository.ts';

/**
 * The diagram of an instance's own version in base64, with where it stands in red, and where it cannot go on in dark red; undefined without graphical
 * notation, or when the definition is gone.
 */
export async function instanceDiagram(
  { definitions, painter }: WorkflowPlatform,
  db: Db,
  row: InstanceRow,
  format: 'png' | 'svg',
): Promise<string | undefined> {
  const definition = await definitions.get(db, row.definition_id).catch(() => undefined);
  if (definition === undefined) return undefined;
  const [state, failed] = await Promise.all([findState(db, row.id), listFailedElements(db, row.id)]);
  const active =
    state?.executions.flatMap(({ at, is }) => (at === undefined || is === 'scope' ? [] : [at])) ?? [];
  const picture = await painter[format](sourceOf(definition), { active: [...new Set(active)], failed });
  return picture && Buffer.from(picture).toString('base64');
}
