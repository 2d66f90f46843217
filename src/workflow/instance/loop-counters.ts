import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { countersOf } from '../engine/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { InstanceRow } from './instance-listing-repository.ts';

/** The row with the counters of its running multi-instance activities among the variables, as clients of the field expect. */
export async function withCounters(
  { definitions }: WorkflowPlatform,
  db: Db,
  row: InstanceRow,
): Promise<InstanceRow> {
  const { rounds, variables } = row;
  if (rounds === null || rounds.length === 0) return row;
  const { process } = await definitions.get(db, row.definition_id);
  const counters: JsonObject = {};
  for (const execution of rounds) {
    const { loop } = process.nodes.get(execution.at ?? '') ?? {};
    Object.assign(counters, countersOf(execution, loop?.indexVariable));
  }
  // They belong to scopes within that of the instance, so they come before variables of their names.
  return { ...row, variables: { ...variables, ...counters } };
}
