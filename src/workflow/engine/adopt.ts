import { type JsonObject, setMember } from '#json/index.ts';
import { isLiteral } from '../expression/index.ts';
import type { FlowNode, ProcessDefinition } from './definition.ts';
import type { Effect } from './effect.ts';
import type { EventTrigger } from './event-trigger.ts';
import type { MigrationRefusal } from './migrate.ts';
import type { RestingInstance, RestingToken, RestingWait } from './resting.ts';
import {
  type Execution,
  type ProcessState,
  ROOT,
  type Role,
  STATE_VERSION,
  taskScopeId,
  type Wait,
} from './state.ts';
import { type NextCron, planCycle } from './timer.ts';

export type Adoption =
  | {
      readonly isAdopted: true;
      readonly state: ProcessState;
      readonly effects: readonly Effect[];
      /** The execution that each token has become. */
      readonly executions: ReadonlyMap<string, number>;
    }
  | { readonly isAdopted: false; readonly refusals: readonly MigrationRefusal[] };

export interface AdoptOptions {
  /** The first number of an execution; those before are of what has ended. */
  readonly first: number;
  readonly now: number;
  readonly nextCron: NextCron;
}

/**
 * Takes over an instance that rests in another engine: the state in which it would rest here, and what is to be written of
 * it. Nothing is run: tasks, timers and subscriptions are those that are there.
 *
 * @returns all that keeps it from coming, or the state
 */
export function adopt(
  definition: ProcessDefinition,
  resting: RestingInstance,
  options: AdoptOptions,
): Adoption {
  const adopter = new Adopter(definition, options);
  for (const token of resting.tokens) adopter.place(token, resting);
  for (const wait of resting.waits) adopter.wait(wait);
  adopter.addConditions();
  adopter.requireWaits();
  for (const variable of resting.variables) adopter.set(variable);
  if (resting.tokens.length === 0) adopter.refuse('', 'It stands nowhere');
  return adopter.outcome(resting);
}

type Live = { -readonly [K in keyof Execution]: Execution[K] };

class Adopter {
  readonly #definition: ProcessDefinition;
  readonly #options: AdoptOptions;
  readonly #executions: Live[] = [{ id: ROOT, is: 'scope' }];
  /** Running sub-processes and bodies of multi-instance activities, by element. */
  readonly #scopes = new Map<string, Live>();
  readonly #tokens = new Map<string, Live>();
  readonly #waits: Wait[] = [];
  readonly #variables: Record<string, JsonObject> = {};
  readonly #effects: Effect[] = [];
  readonly #refusals: MigrationRefusal[] = [];
  #next: number;

  constructor(definition: ProcessDefinition, options: AdoptOptions) {
    this.#definition = definition;
    this.#options = options;
    this.#next = Math.max(options.first, ROOT + 1);
  }

  refuse(element: string, message: string): undefined {
    if (!this.#refusals.some((one) => one.element === element && one.message === message))
      this.#refusals.push({ element, message });
    return undefined;
  }

  place(token: RestingToken, { loops }: RestingInstance): undefined {
    const node = this.#definition.nodes.get(token.at);
    if (node === undefined) return this.refuse(token.at, 'is active, and not in its process file');
    let scope = this.#scopeAround(node);
    if (scope === undefined) return;
    if (node.loop !== undefined) {
      const counts = loops.get(node.id);
      if (counts === undefined || token.round === undefined) {
        return this.refuse(node.id, 'is multi-instance, and its rounds cannot be told apart');
      }
      let body = this.#scopes.get(node.id);
      if (body === undefined) {
        body = this.#add({ in: scope.id, at: node.id, is: 'loop', loop: counts });
        this.#scopes.set(node.id, body);
      }
      scope = body;
    }
    const is = this.#roleAt(node, token);
    if (is === undefined) return;
    // Events behind a gateway are waited for by one token, at the gateway.
    const gateway = is === 'event' ? this.#gatewayBefore(node) : undefined;
    const at = gateway?.id ?? node.id;
    const same = this.#executions.find((one) => one.at === at && one.in === scope.id && one.is === 'choice');
    if (gateway !== undefined && same !== undefined) {
      this.#tokens.set(token.ref, same);
      return;
    }
    const round = token.round === undefined ? {} : { index: token.round };
    const execution = this.#add({ in: scope.id, at, is: gateway === undefined ? is : 'choice', ...round });
    this.#tokens.set(token.ref, execution);
    if (execution.is !== 'join' && execution.is !== 'jobBefore') this.#begin(execution, scope.id);
    const { id } = execution;
    if (is === 'task' && token.task !== undefined && node.kind === 'userTask') {
      const { formProperties } = node;
      this.#effects.push({
        kind: 'task.created',
        execution: id,
        element: at,
        task: token.task,
        formProperties,
      });
    }
    if (token.job !== undefined) {
      const { isExclusive } = node;
      this.#effects.push({ kind: 'job.created', execution: id, element: at, moment: token.job, isExclusive });
    }
    if (is === 'trigger' && node.kind === 'receiveTask' && node.message !== undefined) {
      if (!isLiteral(node.message)) this.refuse(node.id, 'waits for a message whose name is worked out');
      else this.#listen(execution, node.id, { kind: 'message', name: node.message.text });
    }
  }

  /** What the sub-processes around an element are here, made on the way in. */
  #scopeAround({ id, parent }: FlowNode): Live | undefined {
    if (parent === undefined) return this.#executions[0];
    const node = this.#definition.nodes.get(parent);
    if (node?.kind !== 'subProcess') return this.refuse(id, 'stands in an event sub-process that has begun');
    if (node.isTransaction) return this.refuse(id, 'stands in a transaction');
    if (node.loop !== undefined) return this.refuse(id, 'stands in a multi-instance sub-process');
    const known = this.#scopes.get(parent);
    if (known !== undefined) return known;
    const around = this.#scopeAround(node);
    if (around === undefined) return undefined;
    const scope = this.#add({ in: around.id, at: parent, is: 'scope' });
    this.#scopes.set(parent, scope);
    this.#begin(scope, around.id);
    return scope;
  }

  #add(fields: Omit<Execution, 'id'>): Live {
    const execution = { id: this.#next++, ...fields };
    this.#executions.push(execution);
    return execution;
  }

  #begin({ id: execution, at: element = '' }: Execution, scope: number): void {
    this.#effects.push({ kind: 'activity.started', execution, element, scope });
  }

  #roleAt(node: FlowNode, { task, job }: RestingToken): Role | undefined {
    if (job !== undefined) return job === 'before' ? 'jobBefore' : 'jobAfter';
    switch (node.kind) {
      case 'userTask':
        return task === undefined ? this.refuse(node.id, 'is a user task, and there is no task') : 'task';
      case 'receiveTask':
        return 'trigger';
      case 'serviceTask':
        return node.isTriggerable ? 'trigger' : this.refuse(node.id, 'is being carried out');
      case 'callActivity':
        return 'child';
      case 'catchEvent':
        return 'event';
      case 'eventGateway':
        return 'choice';
      case 'parallelGateway':
        return 'join';
      case 'inclusiveGateway':
        return this.refuse(
          node.id,
          'is an inclusive join: over which flows its tokens have come is not told',
        );
      default:
        return this.refuse(node.id, `is a ${node.kind}, where nothing rests`);
    }
  }

  #gatewayBefore({ incoming }: FlowNode): FlowNode | undefined {
    const sources = incoming.map((id) =>
      this.#definition.nodes.get(this.#definition.flows.get(id)?.source ?? ''),
    );
    return sources.length === 1 && sources[0]?.kind === 'eventGateway' ? sources[0] : undefined;
  }

  wait({ at, ref, event }: RestingWait): undefined {
    const node = this.#definition.nodes.get(at);
    const trigger = node === undefined ? undefined : triggerOf(node);
    if (node === undefined || trigger === undefined || trigger.kind !== event.kind) {
      return this.refuse(at, `waits for a ${event.kind}, which its process file does not say`);
    }
    const owner = this.#ownerOf(node, ref);
    if (owner === undefined) return this.refuse(at, 'waits, and whatever it belongs to is not there');
    if (event.kind !== 'timer') return this.#listen(owner, at, event);
    const { dueAt, repeat: text } = event;
    const { now, nextCron } = this.#options;
    let repeat: Wait['repeat'];
    try {
      repeat = text === undefined ? undefined : planCycle(text, null, now, nextCron)?.repeat;
    } catch {
      return this.refuse(at, `repeats by '${text}', which cannot be read`);
    }
    const plan = { dueAt, ...(repeat === undefined ? {} : { repeat }) };
    this.#waits.push({ of: owner.id, at, kind: 'timer', ...plan });
    this.#effects.push({ kind: 'timer.armed', execution: owner.id, element: at, ...plan });
  }

  #listen(
    owner: Execution,
    at: string,
    { kind, name }: { kind: 'message' | 'signal'; name: string },
  ): undefined {
    if (this.#waits.some((wait) => wait.of === owner.id && wait.at === at)) return;
    this.#waits.push({ of: owner.id, at, kind, name });
    this.#effects.push({ kind: 'subscription.added', execution: owner.id, element: at, event: kind, name });
  }

  /** The execution that waits for what an element names. */
  #ownerOf(node: FlowNode, ref: string | undefined): Live | undefined {
    if (node.kind === 'boundaryEvent') {
      const scope = this.#scopes.get(node.attachedTo);
      if (scope !== undefined) return scope;
      return this.#standing(node.attachedTo, ref);
    }
    if (node.kind === 'startEvent') {
      const inner = this.#definition.nodes.get(node.parent ?? '');
      if (inner?.kind !== 'eventSubProcess') return undefined;
      return inner.parent === undefined ? this.#executions[0] : this.#scopes.get(inner.parent);
    }
    return this.#standing(node.id, ref) ?? this.#standing(this.#gatewayBefore(node)?.id ?? '', ref);
  }

  #standing(at: string, ref: string | undefined): Live | undefined {
    const named = ref === undefined ? undefined : this.#tokens.get(ref);
    if (named?.at === at) return named;
    const there = this.#executions.filter((one) => one.at === at);
    return there.length === 1 ? there[0] : undefined;
  }

  /** Conditions are looked at; no engine keeps that it does. */
  addConditions(): void {
    for (const { owner, node } of this.#armed()) {
      if (triggerOf(node)?.kind === 'conditional')
        this.#waits.push({ of: owner.id, at: node.id, kind: 'conditional' });
    }
  }

  /** What interrupts, or is waited for alone, must be there: else nothing would ever happen. */
  requireWaits(): void {
    for (const { owner, node } of this.#armed()) {
      const { kind = '' } = triggerOf(node) ?? {};
      if (kind !== 'timer' && kind !== 'message' && kind !== 'signal') continue;
      if ('isInterrupting' in node && !node.isInterrupting) continue;
      if (this.#waits.some((wait) => wait.of === owner.id && wait.at === node.id)) continue;
      this.refuse(node.id, `should wait for its ${kind}, and there is none`);
    }
  }

  /** Each event that could happen where the instance stands, with the execution that waits for it. */
  *#armed(): Generator<{ readonly owner: Execution; readonly node: FlowNode }> {
    for (const owner of this.#executions) {
      if (
        owner.is === 'join' ||
        owner.is === 'jobBefore' ||
        owner.is === 'jobAfter' ||
        owner.index !== undefined
      )
        continue;
      const own = owner.at === undefined ? undefined : this.#definition.nodes.get(owner.at);
      const body = own === undefined ? this.#definition.body : 'body' in own ? own.body : undefined;
      const ids = [
        ...(own?.boundaries ?? []),
        ...(body?.eventSubProcesses ?? []).map((id) => this.#startOf(id)),
      ];
      if (owner.is === 'event' && own !== undefined) ids.push(own.id);
      if (owner.is === 'choice' && own !== undefined) {
        ids.push(...own.outgoing.map((id) => this.#definition.flows.get(id)?.target ?? ''));
      }
      for (const id of ids) {
        const node = this.#definition.nodes.get(id);
        if (node !== undefined) yield { owner, node };
      }
    }
  }

  #startOf(id: string): string {
    const node = this.#definition.nodes.get(id);
    return node?.kind === 'eventSubProcess' ? node.start : '';
  }

  set({ name, value, of }: RestingInstance['variables'][number]): undefined {
    const scope = this.#scopeOf(of);
    if (scope === undefined) return this.refuse('', `'${name}' is a variable of what is not there`);
    const layer = this.#variables[scope] ?? {};
    this.#variables[scope] = layer;
    setMember(layer, name, value);
    this.#effects.push({ kind: 'variable.set', scope, name, value });
  }

  #scopeOf(of: RestingInstance['variables'][number]['of']): number | undefined {
    if (of === undefined) return ROOT;
    if ('scope' in of) return this.#scopes.get(of.scope)?.id;
    const token = this.#tokens.get('token' in of ? of.token : of.task);
    return token === undefined || 'token' in of ? token?.id : taskScopeId(token);
  }

  outcome({ businessKey, isCalled }: RestingInstance): Adoption {
    if (this.#refusals.length > 0) return { isAdopted: false, refusals: this.#refusals };
    const state: ProcessState = {
      version: STATE_VERSION,
      next: this.#next,
      ...(businessKey === undefined ? {} : { businessKey }),
      ...(isCalled ? { isCalled: true as const } : {}),
      executions: this.#executions,
      waits: this.#waits,
      variables: this.#variables,
    };
    const executions = new Map([...this.#tokens].map(([ref, { id }]) => [ref, id]));
    return { isAdopted: true, state, effects: this.#effects, executions };
  }
}

function triggerOf(node: FlowNode): EventTrigger | undefined {
  if (node.kind === 'receiveTask') {
    return node.message === undefined ? undefined : { kind: 'message', name: node.message };
  }
  return 'trigger' in node ? node.trigger : undefined;
}
