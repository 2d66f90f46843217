import type { JsonObject, JsonValue } from '#json/index.ts';
import {
  apply,
  BpmnError,
  type CompileOptions,
  compile,
  Delegate,
  type DelegateCall,
  type Effect,
  type EngineHandlers,
  type ProcessDefinition,
  type ProcessState,
  type ScriptCall,
  type ScriptOutcome,
  type Stimulus,
} from '../../../../src/workflow/engine/index.ts';
import { HostObject, toText } from '../../../../src/workflow/expression/index.ts';

export const NOW = Date.UTC(2026, 0, 1);

interface Instance {
  readonly key: string;
  state: ProcessState | null;
  readonly effects: Effect[];
  readonly caller?: { readonly instance: Instance; readonly execution: number };
}

interface HostOptions {
  /** Serialise and revive the state before every step. */
  readonly revives?: boolean;
  readonly script?: (call: ScriptCall) => ScriptOutcome | Promise<ScriptOutcome>;
  readonly delegate?: (call: DelegateCall) => JsonValue | Promise<JsonValue>;
  readonly compile?: CompileOptions;
}

/** What a server does around the engine, in memory: applies effects, runs called processes, serves tests. */
export class Host {
  readonly log: string[] = [];
  readonly instances: Instance[] = [];
  now = NOW;
  readonly #definitions = new Map<string, ProcessDefinition>();
  readonly #options: HostOptions;

  constructor(options: HostOptions = {}) {
    this.#options = options;
  }

  /** Deploys files and starts the process of the first one. */
  static async start(
    files: string | readonly string[],
    variables: JsonObject = {},
    options: HostOptions = {},
    stimulus: Partial<Extract<Stimulus, { kind: 'start' }>> = {},
  ): Promise<Host> {
    const host = new Host(options);
    let first: string | undefined;
    for (const xml of typeof files === 'string' ? [files] : files) {
      const [definition] = await compile(xml, options.compile);
      host.#definitions.set(definition.key, definition);
      first ??= definition.key;
    }
    await host.#begin({ key: first!, state: null, effects: [] }, { kind: 'start', variables, ...stimulus });
    return host;
  }

  get main(): Instance {
    return this.instances[0]!;
  }

  get hasEnded(): boolean {
    return this.main.state === null;
  }

  /** How the first instance ended, if it has. */
  get end(): Extract<Effect, { kind: 'ended' }> | undefined {
    return this.main.effects.find((effect) => effect.kind === 'ended');
  }

  get state(): ProcessState {
    if (this.main.state === null) throw new Error('The instance has ended');
    return this.main.state;
  }

  /** The variables of the instance itself, also after its end. */
  get variables(): JsonObject {
    return this.end?.variables ?? this.state.variables['0'] ?? {};
  }

  /** The elements with an open task, in order of creation, from the effects alone. */
  get tasks(): string[] {
    return this.openTasks().map(({ element }) => element);
  }

  openTasks(): { instance: Instance; element: string; execution: number }[] {
    return this.instances.flatMap((instance) => {
      const open = new Map<number, string>();
      for (const effect of instance.effects) {
        if (effect.kind === 'task.created') open.set(effect.execution, effect.element);
        if (effect.kind === 'task.removed') open.delete(effect.execution);
      }
      return [...open].map(([execution, element]) => ({ instance, element, execution }));
    });
  }

  effects<K extends Effect['kind']>(kind: K): Extract<Effect, { kind: K }>[] {
    return this.instances.flatMap(({ effects }) =>
      effects.filter((effect): effect is Extract<Effect, { kind: K }> => effect.kind === kind),
    );
  }

  /** Armed timers that have not been cleared. */
  timers(): { instance: Instance; execution: number; element: string; dueAt: number }[] {
    return this.#waits('timer').map(({ instance, wait }) => ({
      instance,
      execution: wait.of,
      element: wait.at,
      dueAt: wait.dueAt ?? 0,
    }));
  }

  async complete(element: string, variables: JsonObject = {}): Promise<this> {
    const task = this.openTasks().find((open) => open.element === element);
    if (task === undefined) throw new Error(`No open task '${element}' among ${this.tasks.join(', ')}`);
    await this.apply({ kind: 'complete', execution: task.execution, variables, user: 'kim' }, task.instance);
    return this;
  }

  /** Moves the clock to the timer of that element and fires it. */
  async fire(element: string): Promise<this> {
    const timer = this.timers().find((armed) => armed.element === element);
    if (timer === undefined) throw new Error(`No timer '${element}'`);
    this.now = Math.max(this.now, timer.dueAt);
    await this.apply({ kind: 'timer', execution: timer.execution, element }, timer.instance);
    return this;
  }

  async message(name = 'hello', variables: JsonObject = {}): Promise<this> {
    const wait = this.#waits('message').find((waiting) => waiting.wait.name === name);
    if (wait === undefined) throw new Error(`Nothing waits for '${name}'`);
    await this.apply({ kind: 'message', name, execution: wait.wait.of, variables }, wait.instance);
    return this;
  }

  async signal(name = 'alarm', variables: JsonObject = {}): Promise<this> {
    for (const instance of [...this.instances]) {
      if (instance.state !== null) await this.apply({ kind: 'signal', name, variables }, instance);
    }
    return this;
  }

  async job(element: string): Promise<this> {
    const { instance, execution } = this.#find(element, 'jobBefore', 'jobAfter');
    await this.apply({ kind: 'job', execution }, instance);
    return this;
  }

  async trigger(element: string, variables: JsonObject = {}): Promise<this> {
    const { instance, execution } = this.#find(element, 'trigger');
    await this.apply({ kind: 'trigger', execution, variables }, instance);
    return this;
  }

  async set(variables: JsonObject): Promise<this> {
    await this.apply({ kind: 'variables', variables });
    return this;
  }

  async cancel(reason?: string): Promise<this> {
    await this.apply({ kind: 'cancel', ...(reason === undefined ? {} : { reason }) });
    return this;
  }

  async apply(stimulus: Stimulus, instance: Instance = this.main): Promise<void> {
    const given = instance.state;
    const before = JSON.stringify(given);
    const state = this.#options.revives && given !== null ? (JSON.parse(before) as ProcessState) : given;
    const definition = this.#definitions.get(instance.key)!;
    const outcome = await apply(definition, state, stimulus, this.#handlers(instance));
    if (JSON.stringify(given) !== before) throw new Error('The state given in was changed');
    instance.state = outcome.state;
    instance.effects.push(...outcome.effects);
    for (const effect of outcome.effects) await this.#serve(instance, effect);
  }

  async #begin(instance: Instance, stimulus: Extract<Stimulus, { kind: 'start' }>): Promise<void> {
    this.instances.push(instance);
    await this.apply(stimulus, instance);
  }

  async #serve(instance: Instance, effect: Effect): Promise<void> {
    if (effect.kind === 'child.started') {
      const caller = { instance, execution: effect.execution };
      const { variables, businessKey } = effect;
      await this.#begin(
        { key: effect.calledElement, state: null, effects: [], caller },
        { kind: 'start', variables, isCalled: true, ...(businessKey === undefined ? {} : { businessKey }) },
      );
    } else if (effect.kind === 'child.cancelled') {
      const child = this.instances.find(
        ({ caller }) => caller?.instance === instance && caller.execution === effect.execution,
      );
      if (child?.state) await this.apply({ kind: 'cancel', reason: effect.reason }, child);
    } else if (effect.kind === 'signal.thrown') {
      for (const other of this.instances) {
        if (other !== instance && other.state !== null)
          await this.apply({ kind: 'signal', name: effect.name }, other);
      }
    } else if (instance.caller !== undefined && effect.kind === 'escalation.thrown') {
      const { instance: parent, execution } = instance.caller;
      const code = effect.code === undefined ? {} : { code: effect.code };
      await this.apply({ kind: 'childEscalated', execution, ...code }, parent);
    } else if (instance.caller !== undefined && effect.kind === 'ended' && effect.reason !== 'cancelled') {
      const { instance: parent, execution } = instance.caller;
      const { variables, error } = effect;
      const failed = error === undefined ? {} : { error };
      await this.apply({ kind: 'childEnded', execution, variables, ...failed }, parent);
    }
  }

  #handlers(instance: Instance): EngineHandlers {
    const { log } = this;
    const logObject = new HostObject('log', {
      methods: [
        ['add', (...texts) => log.push(texts.map(toText).join(' '))],
        ['later', async (text = null) => log.push(toText(text))],
        [
          'fail',
          (code = null) => {
            throw new BpmnError(toText(code), 'on purpose');
          },
        ],
        [
          'crash',
          () => {
            throw new Error('crashed');
          },
        ],
      ],
    });
    return {
      now: this.now,
      instance: {
        id: `i${this.instances.indexOf(instance)}`,
        definitionId: `${instance.key}:1`,
        user: 'kim',
      },
      runScript: (call) => this.#options.script?.(call) ?? runTestScript(call, log),
      callDelegate: (call) => this.#options.delegate?.(call) ?? `called ${call.name}`,
      findBinding(name) {
        if (name === 'log') return logObject;
        return name === 'greeter' ? new Delegate('greeter', {}) : undefined;
      },
      taskId: (execution) => `t${execution}`,
      newInstanceId: () => `child-${this.instances.length}`,
      findTask: (id) => this.#findTask(id),
      nextCron: (_text, after) => (Math.floor(after / 3_600_000) + 1) * 3_600_000,
    };
  }

  /** As a server would find it among the stored tasks. */
  #findTask(id: string): JsonObject | null {
    const created = this.effects('task.created').find(({ execution }) => `t${execution}` === id);
    return created === undefined ? null : { id, ...created.task };
  }

  #waits(kind: 'timer' | 'message') {
    return this.instances.flatMap((instance) =>
      (instance.state?.waits ?? []).filter((wait) => wait.kind === kind).map((wait) => ({ instance, wait })),
    );
  }

  #find(element: string, ...roles: readonly string[]) {
    for (const instance of this.instances) {
      for (const execution of instance.state?.executions ?? []) {
        if (execution.at === element && roles.includes(execution.is ?? '')) {
          return { instance, execution: execution.id };
        }
      }
    }
    throw new Error(`'${element}' is not waiting as ${roles.join(' or ')}`);
  }
}

/** Scripts of tests: `set name json`, `note text`, `throw CODE`, else the source is the result. */
function runTestScript(call: ScriptCall, log: string[]): ScriptOutcome {
  const [verb, name = '', ...rest] = call.source.split(' ');
  if (verb === 'set') call.execution.setVariable(name, JSON.parse(rest.join(' ')) as JsonValue);
  else if (verb === 'note') log.push(name);
  else if (verb === 'throw') throw new BpmnError(name, 'by script');
  else if (verb === 'assign') return { assigned: { [name]: JSON.parse(rest.join(' ')) as JsonValue } };
  else if (verb === 'true' || verb === 'false') return { value: verb === 'true' };
  return { value: call.source };
}
