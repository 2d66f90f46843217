import { EventEmitter } from 'node:events';
import { Engine } from 'bpmn-engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apply, compile, type EngineHandlers, type ProcessState } from '../../src/workflow/engine/index.ts';
import { runs } from '../support/long.ts';
import { loopDecisions, type RandomProcess, randomProcess } from '../unit/workflow/engine/random-process.ts';

/**
 * The same processes in bpmn-engine, on the subset where it is right: sequences with either decisions and
 * loops, or parallel work and sub-processes. With both together its joins open early or never.
 */
const SEED = Number(process.env['WORKFLOW_FUZZ_SEED'] ?? 20_260_101);
const RUNS = Number(process.env['WORKFLOW_DIFFERENTIAL_RUNS'] ?? runs(60));

const picks = fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 });

test('opens the same tasks after every step as bpmn-engine', async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(randomProcess({ isPlain: true }), picks, async (process, choices) => {
      const ours = await OurInstance.start(process);
      const theirs = await TheirInstance.start(process);
      for (let step = 0; ; step++) {
        steps++;
        const open = ours.tasks();
        expect(theirs.tasks()).toEqual(open);
        expect(theirs.hasEnded).toBe(ours.hasEnded);
        if (ours.hasEnded) return;
        const task = open[(choices[step % choices.length] ?? 0) % open.length]!;
        await ours.complete(task);
        theirs.complete(task);
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect(steps).toBeGreaterThan(RUNS);
});

class OurInstance {
  #state: ProcessState | null = null;
  readonly #definition: Awaited<ReturnType<typeof compile>>[0];
  readonly #handlers: EngineHandlers;

  private constructor(definition: Awaited<ReturnType<typeof compile>>[0], process: RandomProcess) {
    this.#definition = definition;
    const decide = loopDecisions(process.loops);
    this.#handlers = {
      now: 0,
      instance: { id: 'i', definitionId: 'p:1' },
      runScript: () => ({}),
      callDelegate: () => null,
      findBinding: (name) => decide(name),
    };
  }

  static async start(process: RandomProcess): Promise<OurInstance> {
    const [definition] = await compile(process.xml);
    const instance = new OurInstance(definition, process);
    instance.#state = (await apply(definition, null, { kind: 'start' }, instance.#handlers)).state;
    return instance;
  }

  get hasEnded(): boolean {
    return this.#state === null;
  }

  tasks(): string[] {
    return (this.#state?.executions ?? []).flatMap(({ is, at }) => (is === 'task' ? [at ?? ''] : [])).sort();
  }

  async complete(element: string): Promise<void> {
    const execution = this.#state!.executions.find(({ is, at }) => is === 'task' && at === element)!.id;
    this.#state = (
      await apply(this.#definition, this.#state, { kind: 'complete', execution }, this.#handlers)
    ).state;
  }
}

interface Waiting {
  readonly id: string;
  readonly type: string;
  signal(): void;
}

class TheirInstance {
  hasEnded = false;
  readonly #open = new Map<string, Waiting>();

  static async start(process: RandomProcess): Promise<TheirInstance> {
    const instance = new TheirInstance();
    const decide = loopDecisions(process.loops);
    const listener = new EventEmitter();
    listener.on('activity.wait', (activity: Waiting) => instance.#open.set(activity.id, activity));
    listener.on('activity.leave', (activity: Waiting) => instance.#open.delete(activity.id));
    const engine = new Engine({
      name: 'differential',
      source: process.xml.replace('<process ', '<process isExecutable="true" '),
      expressions: {
        resolveExpression: (text: string) => {
          const name = text.slice(2, -1);
          return decide(name) ?? name === 'true';
        },
      },
    });
    engine.once('end', () => {
      instance.hasEnded = true;
    });
    await engine.execute({ listener });
    return instance;
  }

  tasks(): string[] {
    return [...this.#open.values()]
      .filter(({ type }) => type === 'bpmn:UserTask')
      .map(({ id }) => id)
      .sort();
  }

  complete(element: string): void {
    const task = this.#open.get(element)!;
    this.#open.delete(element);
    task.signal();
  }
}
