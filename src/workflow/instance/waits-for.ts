import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { ProcessDefinition } from '../engine/index.ts';
import { executionId } from './instance-id.ts';
import { findWaits } from './waits-repository.ts';

/**
 * Why an instance does not go on: its open tasks with who may do them, timers with their time, messages and signals,
 * jobs with their last error, called instances, and joins that wait for other tokens.
 */
export async function waitsFor(
  db: Db,
  id: string,
  process: ProcessDefinition | undefined,
): Promise<JsonObject[]> {
  const waits = await findWaits(db, id);
  const describe = (
    type: string,
    element: string,
    execution: number | null,
    facts: JsonObject,
  ): JsonObject => ({
    type,
    element,
    name: process?.nodes.get(element)?.name ?? null,
    executionId: execution === null ? null : executionId(id, execution),
    ...facts,
  });
  return [
    ...waits.tasks.map(({ element, execution, ...task }) => describe('task', element, execution, task)),
    ...waits.jobs.map(({ kind, element, execution, dueAt, ...job }) =>
      describe(kind === 'timer' ? 'timer' : 'job', element, execution, { dueAt: isoOf(dueAt), ...job }),
    ),
    ...waits.subscriptions.map(({ event, element, execution, event_name }) =>
      describe(event, element, execution, { [`${event}Name`]: event_name }),
    ),
    ...waits.children.map(({ execution, processInstanceId }) =>
      describe('process', elementOf(waits.executions, execution), execution, { processInstanceId }),
    ),
    ...waits.executions
      .filter(({ is }) => is === 'join' || is === 'trigger')
      .map(({ at, id: execution, is }) =>
        describe(is === 'join' ? 'otherTokens' : 'trigger', at ?? '', execution, {}),
      ),
  ];
}

function elementOf(executions: readonly { readonly id: number; readonly at?: string }[], id: number): string {
  return executions.find((one) => one.id === id)?.at ?? '';
}

function isoOf(text: string): string {
  return new Date(text).toISOString();
}
