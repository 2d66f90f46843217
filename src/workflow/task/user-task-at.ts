import type { ProcessDefinition, UserTask } from '../engine/index.ts';

/** Undefined where something else stands in the process, or nothing. */
export function userTaskAt({ nodes }: ProcessDefinition, id: string): UserTask | undefined {
  const node = nodes.get(id);
  return node?.kind === 'userTask' ? node : undefined;
}
