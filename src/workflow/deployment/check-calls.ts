import type { Db } from '#database/index.ts';
import { findDefinition, findLatest } from '../definition/definition-repository.ts';
import type { CallActivity, Finding, ProcessDefinition } from '../engine/index.ts';
import { isLiteral } from '../expression/index.ts';

/**
 * The calls of processes that nobody knows yet. Their file may still come, so they are told and not refused.
 *
 * @param together keys that are deployed with the process
 */
export async function checkCalls(
  db: Db,
  { nodes }: ProcessDefinition,
  together: ReadonlySet<string>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const node of nodes.values()) {
    if (node.kind !== 'callActivity' || !isLiteral(node.calledElement)) continue;
    if (await isKnown(db, node, together)) continue;
    findings.push({
      id: 'WORKFLOW_UNKNOWN_PROCESS',
      element: node.id,
      message: `calls the process '${node.calledElement.text}', which is not deployed yet`,
    });
  }
  return findings;
}

async function isKnown(
  db: Db,
  { calledElement: { text }, calledElementType }: CallActivity,
  together: ReadonlySet<string>,
): Promise<boolean> {
  if (calledElementType === 'id') return (await findDefinition(db, text)) !== undefined;
  return together.has(text) || (await findLatest(db, text)) !== undefined;
}
