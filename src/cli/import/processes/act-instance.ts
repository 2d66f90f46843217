import type { ForeignInstance, RestingInstance } from '#workflow/index.ts';
import { begunAt, endedOf, taskOf } from './act-history.ts';
import type { ActInstance, ReadOptions } from './act-rows.ts';
import { type ActRow, isTrue } from './act-tables-repository.ts';
import { keptContext, variableValue } from './act-variable.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Token = Mutable<RestingInstance['tokens'][number]>;
type Wait = RestingInstance['waits'][number];
type Variable = RestingInstance['variables'][number];
type Counts = RestingInstance['loops'] extends ReadonlyMap<string, infer C> ? C : never;

const CONTEXTS = new Set(['openidmcontext', 'svccontext']);
const COUNTERS = new Set(['nrOfInstances', 'nrOfActiveInstances', 'nrOfCompletedInstances']);
/** The name of a variable that the engine counts off its executions when it is asked for. */
const COUNTED = 'bpmnParallelMultiInstanceCompleted';
const ASYNC = /^async-continuation$/;
const AFTER = /^async-(?:leave|after)$/;

/** What the rows of an instance say of where it rests, or all that keeps it from coming. */
export function readInstance(
  rows: ActInstance,
  options: ReadOptions,
): { readonly instance: ForeignInstance } | { readonly reasons: readonly string[] } {
  const reader = new InstanceReader(rows, options);
  const instance = reader.read();
  return reader.reasons.size > 0 ? { reasons: [...reader.reasons] } : { instance };
}

class InstanceReader {
  readonly reasons = new Set<string>();
  readonly #rows: ActInstance;
  readonly #options: ReadOptions;
  readonly #byId: ReadonlyMap<string, ActRow>;
  readonly #tokens = new Map<string, Token>();
  readonly #loops = new Map<string, Counts>();
  /** Executions of rounds that are over: nobody asks for their variables any more. */
  readonly #over = new Set<string>();
  /** Executions that stand for a sub-process, by its element. */
  readonly #scopes = new Map<string, string>();

  constructor(rows: ActInstance, options: ReadOptions) {
    this.#rows = rows;
    this.#options = options;
    this.#byId = new Map(rows.executions.map((row) => [idOf(row), row]));
  }

  read(): ForeignInstance {
    const { id, begun, executions, caller, links } = this.#rows;
    const root = this.#byId.get(id);
    for (const row of executions) this.#look(row);
    const waits = this.#waits();
    const starter = root?.['start_user_id'] ?? begun?.['start_user_id'] ?? this.#starterOf(links) ?? null;
    const startedAt = root?.['start_time'] ?? begun?.['start_time'];
    const businessKey = root?.['business_key'] ?? null;
    const ended = endedOf(this.#rows, this.#options);
    return {
      id,
      definitionId: root?.['proc_def_id'] ?? '',
      resting: {
        ...(businessKey === null ? {} : { businessKey }),
        isCalled: caller !== undefined,
        tokens: [...this.#tokens.values()],
        waits: waits.waits,
        variables: this.#variables(starter),
        loops: this.#loops,
      },
      name: root?.['name'] ?? null,
      startUserId: starter,
      startedAt: startedAt == null ? Date.now() : this.#options.at(startedAt),
      ...(caller === undefined ? {} : { caller }),
      people: links
        .filter(({ task_id }) => task_id == null)
        .flatMap((link) => linkOf(link, ['starter', 'participant'])),
      begunAt: begunAt(this.#rows, this.#tokens, this.#options.at),
      ended,
      dead: waits.dead,
    };
  }

  #refuse(reason: string): undefined {
    this.reasons.add(reason);
    return undefined;
  }

  #node(at: string | null | undefined) {
    return at == null ? undefined : this.#options.process.nodes.get(at);
  }

  /** What an execution stands for: a token, a sub-process, the body of a multi-instance activity, or nothing of its own. */
  #look(row: ActRow): undefined {
    const id = idOf(row);
    const at = row['act_id'] ?? null;
    if (isTrue(row['is_event_scope'] ?? null)) {
      return this.#refuse('Something of it could be compensated, which is not kept in a form that comes');
    }
    if (at === null) return;
    const node = this.#node(at);
    if (node === undefined) return this.#refuse(`'${at}' is active, and not in its process file`);
    // These listen for what belongs to the activity or scope around them.
    if (node.kind === 'boundaryEvent' || (node.kind === 'startEvent' && id !== this.#rows.id)) return;
    const job = this.#jobOf(id);
    if (node.loop !== undefined && this.#countsOf(id) !== undefined) this.#addLoop(row, node.id);
    const round = node.loop === undefined ? undefined : this.#roundOf(row, node.loop.indexVariable);
    if (node.loop !== undefined && round === undefined && job === undefined) return;
    if (node.kind === 'subProcess' && job === undefined) {
      if (this.#scopes.has(at)) return this.#refuse(`'${at}' runs more than once at the same time`);
      this.#scopes.set(at, id);
      return;
    }
    if (job === undefined && this.#hasTokens(id)) return;
    const task = this.#rows.tasks.find(({ execution_id }) => execution_id === id);
    // A round that is over waits for the others.
    if (node.loop !== undefined && task === undefined && !isTrue(row['is_active'] ?? null)) {
      this.#over.add(id);
      return;
    }
    const token: Token = { ref: id, at };
    if (task !== undefined) token.task = taskOf(task, this.#rows, this.#options.at);
    if (job !== undefined) token.job = job;
    if (round !== undefined) token.round = round;
    this.#tokens.set(id, token);
  }

  /** Whether others live in it that are no mere listeners: then it stands where it has been. */
  #hasTokens(id: string): boolean {
    return this.#rows.executions.some((row) => {
      if (row['parent_id'] !== id) return false;
      const kind = this.#node(row['act_id'])?.kind;
      return kind !== 'boundaryEvent' && kind !== 'startEvent';
    });
  }

  #jobOf(id: string): 'before' | 'after' | undefined {
    for (const { execution_id, handler_type } of this.#rows.jobs) {
      if (execution_id !== id) continue;
      if (ASYNC.test(handler_type ?? '')) return 'before';
      if (AFTER.test(handler_type ?? '')) return 'after';
    }
    return undefined;
  }

  #own(id: string, name: string): ActRow | undefined {
    return this.#rows.variables.find(
      (row) => row['execution_id'] === id && row['task_id'] == null && row['name'] === name,
    );
  }

  #countsOf(id: string): Counts | undefined {
    const [total, active, completed] = ['nrOfInstances', 'nrOfActiveInstances', 'nrOfCompletedInstances'].map(
      (name) => this.#countOf(id, name),
    );
    if (total === undefined || active === undefined || completed === undefined) return undefined;
    return [total, active, completed].every(Number.isInteger) ? { total, active, completed } : undefined;
  }

  #countOf(id: string, name: string): number {
    const row = this.#own(id, name);
    if (row?.['type'] !== COUNTED) return Number(row?.['long'] ?? Number.NaN);
    const rounds = this.#rows.executions.filter((one) => one['parent_id'] === id);
    const isCounted = name === 'nrOfActiveInstances';
    return rounds.filter((one) => isTrue(one['is_active'] ?? null) === isCounted).length;
  }

  #addLoop(row: ActRow, at: string): void {
    const counts = this.#countsOf(idOf(row));
    if (counts === undefined) return;
    if (this.#loops.has(at)) this.#refuse(`'${at}' runs more than once at the same time`);
    this.#loops.set(at, counts);
  }

  #roundOf(row: ActRow, counter: string): number | undefined {
    for (let at: ActRow | undefined = row; at !== undefined; at = this.#byId.get(at['parent_id'] ?? '')) {
      const found = this.#own(idOf(at), counter) ?? this.#own(idOf(at), 'loopCounter');
      if (found !== undefined) return Number(found['long']);
    }
    return undefined;
  }

  #waits(): { readonly waits: readonly Wait[]; readonly dead: ForeignInstance['dead'] } {
    const waits: Wait[] = [];
    const dead: Mutable<ForeignInstance['dead'][number]>[] = [];
    for (const row of this.#rows.jobs) {
      const handler = row['handler_type'] ?? '';
      const isAsync = ASYNC.test(handler) || AFTER.test(handler);
      const at = isAsync ? this.#byId.get(row['execution_id'] ?? '')?.['act_id'] : elementOf(row);
      if (at == null) {
        this.#refuse(`A job of it ('${handler}') names no element`);
        continue;
      }
      if (row['table'] === 'act_ru_deadletter_job' || (this.#options.isOld && row['retries'] === '0')) {
        dead.push({ at, exception: row['exception_msg'] ?? null });
      }
      if (isAsync) continue;
      if (!/^(?:trigger-timer|timer-transition|timer-intermediate-transition)$/.test(handler)) {
        this.#refuse(`A job of it does '${handler}', which nothing here does`);
        continue;
      }
      const dueAt = row['duedate'] == null ? Date.now() : this.#options.at(row['duedate']);
      const repeat = row['repeat'] ?? null;
      const event = {
        kind: 'timer',
        dueAt,
        ...(repeat === null || repeat === '' ? {} : { repeat }),
      } as const;
      waits.push({ at, ...this.#refOf(row), event });
    }
    for (const row of this.#rows.subscriptions) {
      const { event_type: kind, event_name: name, activity_id: at } = row;
      if (kind === 'compensate')
        this.#refuse('Something of it could be compensated, which is not kept in a form that comes');
      if ((kind !== 'message' && kind !== 'signal') || at == null) continue;
      waits.push({ at, ...this.#refOf(row), event: { kind, name: name ?? '' } });
    }
    return { waits, dead };
  }

  /** The token that a job or subscription belongs to: its own execution, or the one that it listens beside. */
  #refOf(row: ActRow): { readonly ref?: string } {
    const id = row['execution_id'] ?? '';
    const around = this.#byId.get(id)?.['parent_id'] ?? '';
    const ref = [id, around].find((one) => this.#tokens.has(one));
    return ref === undefined ? {} : { ref };
  }

  #variables(starter: string | null): readonly Variable[] {
    const found: Variable[] = [];
    let saved: Variable['value'] | undefined;
    for (const row of this.#rows.variables) {
      const name = row['name'] ?? '';
      const isOfRoot = row['execution_id'] === this.#rows.id && row['task_id'] == null;
      const read = variableValue(row, this.#options.bytes);
      if (CONTEXTS.has(name) && isOfRoot) {
        // One that cannot be read says no less than whoever has started it.
        if ('value' in read) saved = read.value;
        continue;
      }
      if (this.#isCounter(row) || this.#over.has(row['execution_id'] ?? '')) continue;
      if ('reason' in read) {
        this.#refuse(read.reason);
        continue;
      }
      const place = isOfRoot ? {} : this.#placeOf(row);
      if (place === undefined) this.#refuse(`The variable '${name}' belongs to what stands for nothing here`);
      else found.push({ name, value: read.value, ...place });
    }
    const context = keptContext(saved, starter, this.#options.role);
    return context === undefined ? found : [...found, { name: 'svccontext', value: context }];
  }

  #isCounter(row: ActRow): boolean {
    const loop = this.#node(this.#byId.get(row['execution_id'] ?? '')?.['act_id'])?.loop;
    const name = row['name'] ?? '';
    return (
      loop !== undefined && (COUNTERS.has(name) || name === 'loopCounter' || name === loop.indexVariable)
    );
  }

  /** What the variable belongs to; undefined where that is nothing here. */
  #placeOf(row: ActRow): { readonly of: NonNullable<Variable['of']> } | undefined {
    const id = row['execution_id'] ?? '';
    if (row['task_id'] != null) return this.#tokens.has(id) ? { of: { task: id } } : undefined;
    const execution = this.#byId.get(id);
    const node = this.#node(execution?.['act_id']);
    const scope = [...this.#scopes].find(([, one]) => one === id)?.[0];
    if (scope !== undefined) return { of: { scope } };
    if (this.#tokens.has(id)) {
      // The old engine has one execution for a sub-process and for what runs in it alone.
      const isScope = this.#options.isOld && isTrue(execution?.['is_scope'] ?? null);
      const isOfScope =
        isScope && node?.parent !== undefined && node.boundaries.length === 0 && node.loop === undefined;
      return isOfScope && node?.parent !== undefined ? { of: { scope: node.parent } } : { of: { token: id } };
    }
    const parents = new Set(
      this.#rows.executions
        .filter(({ parent_id }) => parent_id === id)
        .map(({ act_id }) => this.#node(act_id)?.parent),
    );
    const [parent] = parents;
    return parents.size === 1 && parent !== undefined ? { of: { scope: parent } } : undefined;
  }

  #starterOf(links: readonly ActRow[]): string | null | undefined {
    return links.find(({ type }) => type === 'starter')?.['user_id'];
  }
}

function idOf(row: ActRow): string {
  return row['id'] ?? '';
}

/** The element of a timer: newer engines have a column, older ones the id itself or a JSON text that has it. */
function elementOf({ element_id: element, handler_cfg: configured }: ActRow): string | undefined {
  if (element != null) return element;
  const [, named] = /"activityId"\s*:\s*"([^"]+)"/.exec(configured ?? '') ?? [];
  return named ?? (configured == null || configured.startsWith('{') ? undefined : configured);
}

function linkOf(
  { type, user_id = null, group_id = null }: ActRow,
  types: readonly ['starter', 'participant'],
): ForeignInstance['people'] {
  const known = types.find((one) => one === type);
  return known === undefined || (user_id === null) === (group_id === null)
    ? []
    : [{ task_id: null, type: known, user_id, group_id }];
}
