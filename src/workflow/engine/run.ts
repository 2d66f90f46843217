import { BadRequestError, InternalServerError, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type FlowNode, MAX_EXECUTIONS, type ProcessDefinition, type SequenceFlow } from './definition.ts';
import type { Effect } from './effect.ts';
import type { EngineHandlers } from './handlers.ts';
import {
  type Execution,
  type ProcessState,
  ROOT,
  STATE_VERSION,
  scopeIdOf,
  taskScopeId,
  type Wait,
} from './state.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
export type LiveExecution = Mutable<Execution>;
export type LiveWait = Mutable<Wait>;

/** Roles of executions whose activity has not started, or that stand for no single one. */
const UNBEGUN: ReadonlySet<Execution['is']> = new Set<Execution['is']>(['jobBefore', 'join', 'loop']);

/** What is to be done next to an execution. */
export interface Operation {
  /**
   * `enter`: it has arrived at its element; `perform`: its job may run it; `leave`: its element is done;
   * `depart`: its job after the element may let it go on.
   */
  readonly step: 'enter' | 'perform' | 'leave' | 'depart';
  readonly execution: LiveExecution;
}

/** One step of an instance while it is being worked out: a mutable copy of the state, and what came of it. */
export class Run {
  readonly definition: ProcessDefinition;
  readonly handlers: EngineHandlers;
  readonly executions = new Map<number, LiveExecution>();
  readonly variables = new Map<number, JsonObject>();
  readonly transients = new Map<number, JsonObject>();
  readonly agenda: Operation[] = [];
  businessKey: string | undefined;
  isCalled: boolean;
  hasEnded = false;
  /** Executions whose activity has been reported as started. */
  readonly begun = new Set<number>();
  /** Tasks made in this step, by their id. */
  readonly tasks = new Map<string, JsonObject>();
  /** Conditions are looked at again before the step ends. */
  mustCheckConditions = false;
  readonly #children = new Map<number, Set<LiveExecution>>();
  readonly #waits = new Map<number, LiveWait[]>();
  readonly #effects: (Effect | undefined)[] = [];
  readonly #revocable = new Map<string, number>();
  #next: number;

  constructor(definition: ProcessDefinition, state: ProcessState | null, handlers: EngineHandlers) {
    this.definition = definition;
    this.handlers = handlers;
    this.#next = state?.next ?? ROOT;
    this.businessKey = state?.businessKey;
    this.isCalled = state?.isCalled ?? false;
    if (state === null) return;
    if (state.version !== STATE_VERSION) {
      throw new InternalServerError(`The process state has the unknown version ${String(state.version)}`);
    }
    for (const execution of state.executions) {
      this.#register({ ...execution });
      const isRevived = execution.is === 'undo' && execution.undoes !== undefined;
      const hasBegun = execution.at !== undefined && !UNBEGUN.has(execution.is) && !isRevived;
      if (hasBegun) this.begun.add(execution.id);
    }
    for (const wait of state.waits) this.#listWaits(wait.of).push({ ...wait });
    for (const [id, values] of Object.entries(state.variables)) this.variables.set(Number(id), { ...values });
  }

  /** @throws BadRequestError `WORKFLOW_TOO_MANY_EXECUTIONS` */
  create(fields: Omit<Execution, 'id'>): LiveExecution {
    if (this.executions.size >= MAX_EXECUTIONS) throw tooMany();
    const execution = { id: this.#next++, ...fields };
    this.#register(execution);
    return execution;
  }

  /**
   * Forgets an execution without children; its waits must have been cleared. Its variables go with it, or, as one token
   * goes on as another, to its heir.
   */
  remove(execution: LiveExecution, heir?: LiveExecution): void {
    this.executions.delete(execution.id);
    this.#children.delete(execution.id);
    if (execution.in !== undefined) this.#children.get(execution.in)?.delete(execution);
    this.transients.delete(execution.id);
    this.begun.delete(execution.id);
    this.#endScope(taskScopeId(execution));
    const scope = scopeIdOf(execution);
    if (heir === undefined) this.#endScope(scope);
    else if (this.variables.has(scope)) heir.locals = scope;
  }

  #endScope(scope: number): void {
    if (this.variables.delete(scope)) this.emit({ kind: 'scope.ended', scope });
  }

  children(execution: LiveExecution): LiveExecution[] {
    return [...(this.#children.get(execution.id) ?? [])];
  }

  hasChildren(execution: LiveExecution): boolean {
    return (this.#children.get(execution.id)?.size ?? 0) > 0;
  }

  parent(execution: LiveExecution): LiveExecution | undefined {
    return execution.in === undefined ? undefined : this.executions.get(execution.in);
  }

  /** The id by which an execution is known outside. */
  executionId({ id }: LiveExecution): string {
    return this.handlers.taskId?.(id) ?? String(id);
  }

  /** The scope that an execution stands in. */
  scopeOf(execution: LiveExecution): LiveExecution {
    return this.#there(execution.in);
  }

  /** The execution that waits. */
  ownerOf({ of }: LiveWait): LiveExecution {
    return this.#there(of);
  }

  get root(): LiveExecution {
    return this.#there(ROOT);
  }

  #there(id: number | undefined): LiveExecution {
    const execution = id === undefined ? undefined : this.executions.get(id);
    if (execution === undefined) throw new InternalServerError(`The process has no execution '${id}'`);
    return execution;
  }

  isAlive(execution: LiveExecution): boolean {
    return this.executions.get(execution.id) === execution;
  }

  /** @throws NotFoundError `WORKFLOW_NO_EXECUTION` when it is not there or not doing that */
  waiting(id: number, ...roles: readonly Execution['is'][]): LiveExecution {
    const execution = this.executions.get(id);
    if (execution === undefined || !roles.includes(execution.is)) {
      throw new NotFoundError(`The execution ${id} is not waiting for this`, { id: 'WORKFLOW_NO_EXECUTION' });
    }
    return execution;
  }

  node(execution: LiveExecution): FlowNode {
    return this.nodeById(execution.at ?? '');
  }

  nodeById(id: string): FlowNode {
    const node = this.definition.nodes.get(id);
    if (node === undefined) throw new InternalServerError(`The process has no element '${id}'`);
    return node;
  }

  flow(id: string): SequenceFlow {
    const flow = this.definition.flows.get(id);
    if (flow === undefined) throw new InternalServerError(`The process has no flow '${id}'`);
    return flow;
  }

  waitsOf(execution: LiveExecution): readonly LiveWait[] {
    return this.#waits.get(execution.id) ?? [];
  }

  allWaits(): LiveWait[] {
    return [...this.#waits.values()].flat();
  }

  findWait(execution: number, element: string): LiveWait | undefined {
    return this.#waits.get(execution)?.find((wait) => wait.at === element);
  }

  addWait(wait: LiveWait): void {
    this.#listWaits(wait.of).push(wait);
  }

  removeWait(wait: LiveWait): void {
    const left = this.#listWaits(wait.of).filter((other) => other !== wait);
    if (left.length === 0) this.#waits.delete(wait.of);
    else this.#waits.set(wait.of, left);
  }

  plan(step: Operation['step'], execution: LiveExecution): void {
    this.agenda.push({ step, execution });
  }

  emit(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** An effect that is taken back when the thing is cleared again in the same step. */
  emitRevocable(key: string, effect: Effect): void {
    this.#revocable.set(key, this.#effects.push(effect) - 1);
  }

  /** Takes the effect of that key back, or says the opposite when it is of an earlier step. */
  revoke(key: string, opposite: Effect): void {
    const index = this.#revocable.get(key);
    if (index === undefined) this.emit(opposite);
    else this.#effects[index] = undefined;
    this.#revocable.delete(key);
  }

  get effects(): Effect[] {
    return this.#effects.filter((effect) => effect !== undefined);
  }

  toState(): ProcessState | null {
    if (this.hasEnded) return null;
    return {
      version: STATE_VERSION,
      next: this.#next,
      ...(this.businessKey === undefined ? {} : { businessKey: this.businessKey }),
      ...(this.isCalled ? { isCalled: true } : {}),
      executions: [...this.executions.values()],
      waits: this.allWaits(),
      variables: Object.fromEntries(this.variables),
    };
  }

  #register(execution: LiveExecution): void {
    this.executions.set(execution.id, execution);
    if (execution.in === undefined) return;
    const siblings = this.#children.get(execution.in);
    if (siblings === undefined) this.#children.set(execution.in, new Set([execution]));
    else siblings.add(execution);
  }

  #listWaits(of: number): LiveWait[] {
    let waits = this.#waits.get(of);
    if (waits === undefined) {
      waits = [];
      this.#waits.set(of, waits);
    }
    return waits;
  }
}

function tooMany(): BadRequestError {
  return new BadRequestError(`The instance would stand in more than ${MAX_EXECUTIONS} places at once`, {
    id: 'WORKFLOW_TOO_MANY_EXECUTIONS',
    hint: 'Loops in loops multiply, and timers that do not interrupt add up; let some of them end first',
  });
}
