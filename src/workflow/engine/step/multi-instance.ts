import { BadRequestError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { CoercionError, isLiteral, toJson, toNumber, toText, type Value } from '../../expression/index.ts';
import { type FlowNode, MAX_ROUNDS, type MultiInstance } from '../definition.ts';
import { conditionHolds, resolveValue, runExecutionListeners } from '../implementation.ts';
import type { LiveExecution, Run } from '../run.ts';
import { findVariable, setLocalVariable } from '../variables.ts';
import { destroyChildren } from './destroy.ts';
import { armBoundaries } from './wait.ts';

/** Characters of a value that an error repeats. */
const MOST_SHOWN = 100;

/** Turns an execution into the body of a multi-instance activity, with its rounds inside. */
export async function startLoop(
  run: Run,
  execution: LiveExecution,
  node: FlowNode,
  loop: MultiInstance,
): Promise<void> {
  const items = await readItems(run, execution, node, loop);
  const total = items?.length ?? (await readCardinality(run, execution, node, loop));
  if (total > MAX_ROUNDS) throw badLoop(node, `has ${total} rounds`, `Use at most ${MAX_ROUNDS}`);
  execution.is = 'loop';
  const first = loop.isSequential ? Math.min(1, total) : total;
  execution.loop = { total, active: first, completed: 0 };
  await runExecutionListeners(run, execution, node.listeners, 'start', node.id);
  if (total === 0) {
    run.plan('leave', execution);
    return;
  }
  await armBoundaries(run, execution, node);
  for (let index = 0; index < first; index++) startRound(run, execution, loop, index, items?.[index]);
}

/** One round is done: the next one starts, or the activity is done. */
export async function leaveRound(run: Run, round: LiveExecution, node: FlowNode): Promise<void> {
  const { loop } = node;
  const body = run.parent(round);
  if (loop === undefined || body?.loop === undefined) return;
  const { total, active, completed } = body.loop;
  body.loop = { total, active: active - 1, completed: completed + 1 };
  const condition = loop.completionCondition;
  const isEnough =
    condition !== undefined &&
    (await conditionHolds(run, round, { kind: 'expression', expression: condition }, node.id));
  run.remove(round);
  if (!run.isAlive(body)) return;
  if (isEnough) await destroyChildren(run, body, 'multi-instance completed');
  if (isEnough || completed + 1 === total) {
    run.plan('leave', body);
  } else if (loop.isSequential) {
    const index = completed + 1;
    body.loop = { ...body.loop, active: 1 };
    // Read again for each round, like in the engines that process files are written for: the list need not
    // be kept in the state.
    const items = await readItems(run, body, node, loop);
    startRound(run, body, loop, index, items?.[index] ?? null);
  }
}

function startRound(
  run: Run,
  body: LiveExecution,
  loop: MultiInstance,
  index: number,
  item: JsonValue | undefined,
): void {
  const round = run.create({ in: body.id, at: body.at ?? '', index });
  if (loop.elementVariable !== undefined && item !== undefined) {
    setLocalVariable(run, round.id, loop.elementVariable, item);
  }
  run.plan('enter', round);
}

async function readItems(
  run: Run,
  execution: LiveExecution,
  node: FlowNode,
  loop: MultiInstance,
): Promise<readonly JsonValue[] | undefined> {
  if (loop.collection === undefined) return undefined;
  const { text } = loop.collection;
  let value: Value | undefined;
  if (!isLiteral(loop.collection)) value = await resolveValue(run, execution, loop.collection);
  else if (text.trim().startsWith('[')) value = parseList(text);
  else value = findVariable(run, execution, text.trim());
  if (typeof value === 'string' && !isLiteral(loop.collection))
    value = findVariable(run, execution, value) ?? value;
  if (typeof value === 'string' && value.trim().startsWith('[')) value = parseList(value);
  if (Array.isArray(value)) return value.map(toJson);
  throw badLoop(
    node,
    `has the collection '${text}', which is not a list`,
    'Set the variable to a list before',
  );
}

async function readCardinality(
  run: Run,
  execution: LiveExecution,
  node: FlowNode,
  loop: MultiInstance,
): Promise<number> {
  const value = loop.cardinality === undefined ? null : await resolveValue(run, execution, loop.cardinality);
  const number = typeof value === 'string' || typeof value === 'number' ? numberOf(value) : Number.NaN;
  if (Number.isInteger(number) && number >= 0) return number;
  const shown = value === null ? 'null' : toText(value).slice(0, MOST_SHOWN);
  throw badLoop(node, `has the cardinality '${shown}'`, 'Use a whole number');
}

/** A text that is no number, as callers may hand over, becomes NaN. */
function numberOf(value: string | number): number {
  try {
    return toNumber(value);
  } catch (error) {
    if (error instanceof CoercionError) return Number.NaN;
    throw error;
  }
}

function parseList(text: string): Value | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function badLoop(node: FlowNode, problem: string, hint: string): BadRequestError {
  return new BadRequestError(`The multi-instance activity '${node.id}' ${problem}`, {
    id: 'WORKFLOW_BAD_LOOP',
    hint,
  });
}
