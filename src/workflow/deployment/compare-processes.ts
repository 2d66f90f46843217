import { isDeepStrictEqual } from 'node:util';
import type { ProcessDefinition } from '../engine/index.ts';

export interface Compared {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
}

/**
 * What a version has that the one before had not, has not any more, or has otherwise, by the ids of elements and flows; the process
 * itself is one of the elements.
 */
export function compareProcesses(before: ProcessDefinition, after: ProcessDefinition): Compared {
  const [old, now] = [elementsOf(before), elementsOf(after)];
  return {
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
    changed: [...now].flatMap(([id, element]) =>
      !old.has(id) || isDeepStrictEqual(old.get(id), element) ? [] : [id],
    ),
  };
}

/** A process and nodes without what is nested in them and without their flows, which are entries of their own. */
function elementsOf({ nodes, flows, ...process }: ProcessDefinition): Map<string, unknown> {
  // Follows from the others.
  const { joinReach: _, warnings: __, body, ...own } = process;
  const all = new Map<string, unknown>([[process.key, { ...own, dataObjects: body.dataObjects }], ...flows]);
  for (const [id, node] of nodes) {
    const { incoming: _, outgoing: __, ...own } = node;
    const { body: ___, ...rest } = { body: undefined, ...own };
    all.set(id, rest);
  }
  return all;
}
