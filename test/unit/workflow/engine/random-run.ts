import assert from 'node:assert/strict';
import {
  apply,
  compile,
  type Effect,
  type EngineHandlers,
  type ProcessState,
  type Stimulus,
} from '../../../../src/workflow/engine/index.ts';
import { loopDecisions, type RandomProcess } from './random-process.ts';

/**
 * Plays a process to its end with a list of picks, twice at once (in one piece, and revived before every
 * step), and checks after each step that the open tasks and timers are those the shape demands.
 */
export async function playRandomProcess(process: RandomProcess, picks: readonly number[]): Promise<void> {
  const [[definition], [revivedDefinition]] = await Promise.all([compile(process.xml), compile(process.xml)]);
  const model = process.begin();
  const handlers = [handlersFor(process), handlersFor(process)] as const;
  const effects: Effect[] = [];
  let state: ProcessState | null = null;
  let stimulus: Stimulus = { kind: 'start' };
  for (let step = 0; ; step++) {
    const text: string = JSON.stringify(state);
    const outcome = await apply(definition, state, stimulus, handlers[0]);
    const revived = await apply(
      revivedDefinition,
      JSON.parse(text) as ProcessState | null,
      stimulus,
      handlers[1],
    );
    assert.deepEqual(revived, outcome);
    assert.equal(JSON.stringify(state), text);
    state = outcome.state;
    effects.push(...outcome.effects);
    assert.equal(state === null, model.isDone);
    if (state === null) break;
    assert.deepEqual(
      openTasks(effects)
        .map(({ element }) => element)
        .sort(),
      model.tasks().sort(),
    );
    assert.deepEqual(state.waits.map(({ at }) => at).sort(), model.timers().sort());
    stimulus = pick(state, picks[step % picks.length] ?? 0, effects, model);
  }
  assert.deepEqual(
    effects.filter(({ kind }) => kind === 'incident'),
    [],
  );
  checkHistory(effects);
}

function pick(
  state: ProcessState,
  choice: number,
  effects: readonly Effect[],
  model: ReturnType<RandomProcess['begin']>,
): Stimulus {
  const tasks = openTasks(effects);
  const index = choice % (tasks.length + state.waits.length);
  const task = tasks[index];
  if (task !== undefined) {
    assert.equal(model.complete(task.element), true);
    return { kind: 'complete', execution: task.execution };
  }
  const { of: execution, at: element } = state.waits[index - tasks.length]!;
  assert.equal(model.fire(element), true);
  return { kind: 'timer', execution, element };
}

function openTasks(effects: readonly Effect[]): { execution: number; element: string }[] {
  const open = new Map<number, string>();
  for (const effect of effects) {
    if (effect.kind === 'task.created') open.set(effect.execution, effect.element);
    if (effect.kind === 'task.removed') open.delete(effect.execution);
  }
  return [...open].map(([execution, element]) => ({ execution, element }));
}

/** What has started has ended, once; what was armed has been cleared. */
function checkHistory(effects: readonly Effect[]): void {
  const idsOf = (kind: Effect['kind']) =>
    effects
      .flatMap((effect) => (effect.kind === kind && 'execution' in effect ? [effect.execution] : []))
      .sort((a, b) => a - b);
  const started = idsOf('activity.started');
  assert.equal(new Set(started).size, started.length);
  assert.deepEqual(idsOf('activity.ended'), started);
  assert.deepEqual(idsOf('task.removed'), idsOf('task.created'));
  assert.deepEqual(idsOf('timer.cleared'), idsOf('timer.armed'));
}

function handlersFor(process: RandomProcess): EngineHandlers {
  const decide = loopDecisions(process.loops);
  return {
    now: 0,
    instance: { id: 'i', definitionId: 'p:1' },
    runScript: () => ({}),
    callDelegate: () => null,
    findBinding: (name) => decide(name),
  };
}
