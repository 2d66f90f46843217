import { constraintOf, sqlStateOf } from '#database/index.ts';
import { BadRequestError, ConflictError, InternalServerError } from '#errors/index.ts';
import { asJson, type JsonObject } from '#json/index.ts';
import { besideOf, dbOf, personName, type WriteContext } from '#resource/index.ts';
import {
  apply,
  type ElementMapping,
  type Migration,
  migrate,
  type Outcome,
  type ProcessState,
  type Stimulus,
} from '../engine/index.ts';
import { keeps } from '../history/history-level.ts';
import { enqueueJob } from '../job/enqueue-job.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { Agenda, Work } from './agenda.ts';
import { Changes, type TaskChange } from './changes.ts';
import { gatherEffects } from './gather-effects.ts';
import { type Instance, type LockedInstance, type StoredState, withoutVariables } from './instance.ts';
import { executionId } from './instance-id.ts';
import { forgetDetails } from './instance-repository.ts';
import type { Act } from './note-act.ts';
import { requireStorableVariables } from './require-storable-variables.ts';
import { type ReachOut, stepHandlers } from './step-handlers.ts';
import { lockAsRead, writeStep } from './step-repository.ts';
import { stepRow } from './step-row.ts';
import { standsStill } from './suspension.ts';

/** Says who moves an instance, and how many instances have moved each other to come here. */
export interface StepContext {
  readonly platform: WorkflowPlatform;
  readonly context: WriteContext;
  readonly depth: number;
  /** What is left to do for other instances. */
  readonly agenda: Agenda;
  /** What a step means for other instances; see `follow-up.ts`. */
  readonly followUp: (step: StepContext, instance: Instance, outcome: Outcome) => Promise<readonly Work[]>;
}

/** Instances that move each other without end must not hold their node for ever. */
const DEEPEST = 100;

/** Postgres has entries of ordered indexes of up to a third of a page. */
const TOO_LONG_FOR_AN_INDEX = '54000';

export interface StepOptions {
  /** What changes in a task besides what the engine says. */
  readonly task?: { readonly execution: number; readonly change: TaskChange };
  /** What an operator does: it is told at every history level, and done while the instance is suspended, too. */
  readonly act?: Act;
  /** The job that brings the stimulus, where that is not a wait of the instance. */
  readonly served?: string;
}

/** Starts an instance, up to where every token waits. */
export async function startStep(
  step: StepContext,
  instance: Instance,
  stimulus: Extract<Stimulus, { kind: 'start' }>,
  options: StepOptions = {},
): Promise<Outcome> {
  const { platform, context } = step;
  const changes = new Changes(instance, instance.startedAt);
  changes.isNew = true;
  changes.addLink(null, 'starter', instance.startUserId);
  const { process } = await platform.definitions.get(
    await besideOf(platform, context),
    instance.definitionId,
  );
  await platform.delegates.refresh();
  const handlers = stepHandlers(platform, context, changes, async () => void (await dbOf(platform, context)));
  const outcome = await apply(process, null, stimulus, handlers);
  changes.state =
    outcome.state === null ? { kind: 'none' } : { kind: 'inserted', ...storable(outcome.state) };
  requireStorableVariables(`processinstance/${instance.id}`, null, outcome.state);
  await finish(step, changes, outcome, stimulus, options);
  return outcome;
}

/** Takes an instance that is held one step further. */
export async function takeStep(
  step: StepContext,
  locked: LockedInstance,
  stimulus: Exclude<Stimulus, { kind: 'start' }>,
  options: StepOptions = {},
): Promise<Outcome> {
  const { platform, context } = step;
  const { instance, state, revision, suspended } = locked;
  if (suspended !== null && stimulus.kind !== 'cancel' && options.act === undefined)
    throw standsStill(instance.id, suspended);
  const changes = new Changes(instance, platform.now());
  const { process } = await platform.definitions.get(
    await besideOf(platform, context),
    instance.definitionId,
  );
  await platform.delegates.refresh();
  const handlers = stepHandlers(platform, context, changes, lockingFirst(step, locked));
  const outcome = await apply(process, state, stimulus, handlers);
  changes.state = nextState(outcome.state, revision);
  if (changesVariables(outcome)) {
    requireStorableVariables(`processinstance/${instance.id}`, state, outcome.state);
  }
  await finish(step, changes, outcome, stimulus, options);
  return outcome;
}

/** Moves a locked instance to another version of its process, or says why it cannot. */
export async function migrateStep(
  step: StepContext,
  locked: LockedInstance,
  target: Pick<Instance, 'definitionId' | 'definitionName' | 'deploymentId'>,
  mapping: ElementMapping = {},
): Promise<Migration> {
  const { platform, context } = step;
  const { instance, state, revision } = locked;
  const db = await dbOf(platform, context);
  const moved: Instance = { ...instance, ...target };
  const changes = new Changes(moved, platform.now());
  const source = await platform.definitions.get(db, instance.definitionId);
  const next = await platform.definitions.get(db, target.definitionId);
  await platform.delegates.refresh();
  const handlers = stepHandlers(platform, context, changes, lockingFirst(step, locked));
  const migration = await migrate(source.process, next.process, state, handlers, mapping);
  if (!migration.isMigrated) return migration;
  const { definitionId, definitionName, deploymentId } = moved;
  const becomes = nextState(migration.state, revision);
  changes.state = becomes.kind === 'updated' ? { ...becomes, definitionId } : becomes;
  Object.assign(changes.instanceChange, {
    definition_id: definitionId,
    definition_name: definitionName,
    deployment_id: deploymentId,
  });
  for (const execution of migration.state?.executions ?? []) {
    if (execution.is !== 'task' || changes.newTasks.has(execution.id)) continue;
    Object.assign(changes.task(execution.id), { definition_id: definitionId, element: execution.at });
  }
  const act = {
    kind: 'migrate',
    from: instance.definitionId,
    to: definitionId,
    mapping: { ...mapping },
  } as const;
  await finish(step, changes, migration, { kind: 'migrate', definitionId }, { act });
  return migration;
}

/** What reaches outside cannot be taken back, so it is not done for somebody who comes too late. */
function lockingFirst({ context }: StepContext, { instance, revision }: LockedInstance): ReachOut {
  return async () => {
    const unitOfWork = context.unitOfWork;
    if (!(await lockAsRead(await unitOfWork.db(), instance.rootId, revision))) {
      throw unitOfWork.mayGroup ? unitOfWork.refuse() : movedMeanwhile(instance);
    }
  };
}

function changesVariables({ effects }: Outcome): boolean {
  return effects.some(({ kind }) => kind === 'variable.set');
}

function nextState(state: ProcessState | null, revision: number) {
  return state === null
    ? ({ kind: 'deleted', revision } as const)
    : ({ kind: 'updated', revision, ...storable(state) } as const);
}

function storable(state: ProcessState): { state: StoredState; scopes: number[] } {
  return withoutVariables(state);
}

/** Writes what came of a step, then lets it move other instances. */
async function finish(
  step: StepContext,
  changes: Changes,
  outcome: Outcome,
  stimulus: Stimulus | { readonly kind: 'migrate'; readonly definitionId: string },
  options: StepOptions,
): Promise<void> {
  const { platform, context } = step;
  if (step.depth > DEEPEST) throw endless();
  const { history } = platform.settings();
  const { task } = options;
  if (task !== undefined) {
    Object.assign(changes.task(task.execution), task.change);
    // Whoever has it now is involved from now on.
    const taskId = executionId(changes.instance.id, task.execution);
    changes.addLink(taskId, 'assignee', task.change.assignee);
    changes.addLink(taskId, 'owner', task.change.owner);
  }
  gatherEffects(changes, outcome.effects, {
    history,
    ...(stimulus.kind === 'complete'
      ? { submitted: { execution: stimulus.execution, variables: stimulus.variables ?? {} } }
      : {}),
  });
  const { act, served = null } = options;
  changes.served = served;
  if (act !== undefined || keeps(history, 'full')) {
    const isFull = keeps(history, 'full');
    const told = act === undefined ? {} : { ...act, transaction: context.transactionId };
    changes.event = {
      stimulus: { ...(isFull ? asJson(stimulus) : {}), ...told },
      effects: isFull ? asJson(outcome.effects) : [],
      user: personName(context.security),
    };
  }
  const unitOfWork = context.unitOfWork;
  const isWritten = await writeStep(unitOfWork, stepRow(changes)).catch((error: unknown) => {
    if (constraintOf(error) === 'workflow_state_definition_id_fkey') throw undeployed(changes.instance);
    throw sqlStateOf(error) === TOO_LONG_FOR_AN_INDEX ? tooLong(changes.instance, error) : error;
  });
  if (!isWritten) throw movedMeanwhile(changes.instance);
  for (const job of changes.jobs.values()) {
    if (!('id' in job)) continue;
    await enqueueJob(platform, unitOfWork, {
      id: job.id,
      revision: 1,
      dueAt: job.due_at,
      instanceId: changes.instance.id,
      retryCycle: job.retry_cycle,
    });
  }
  if (outcome.state === null && !keeps(history, 'activity')) {
    await forgetDetails(await unitOfWork.db(), changes.instance.id, history);
  }
  recordChange(context, changes, outcome, act);
  const next = { ...step, depth: step.depth + 1 };
  await step.agenda.take(() => step.followUp(next, changes.instance, outcome));
}

/** For dry runs: where the instance stands, and the tasks that come and go. */
function recordChange(context: WriteContext, changes: Changes, { state }: Outcome, act?: Act): void {
  const { unitOfWork } = context;
  const { id, definitionId } = changes.instance;
  // When a unit of work has several instances, each has its own actor.
  const by = unitOfWork.actor === undefined ? {} : { actor: unitOfWork.actor };
  const at =
    state?.executions.flatMap((one) => (one.at === undefined || one.is === 'scope' ? [] : [one.at])) ?? [];
  unitOfWork.record({
    ...by,
    resource: `workflow/processinstance/${id}`,
    operation: changes.isNew ? 'create' : 'update',
    before: null,
    after: {
      processDefinitionId: definitionId,
      status: state === null ? 'ended' : 'running',
      at,
      ...(act && { act }),
    },
  });
  for (const { id: taskId, element, name = null, assignee = null } of changes.newTasks.values()) {
    unitOfWork.record({
      ...by,
      resource: `workflow/taskinstance/${taskId}`,
      operation: 'create',
      before: null,
      after: { taskDefinitionKey: element, name, assignee },
    });
  }
  for (const [execution, change] of changes.taskChanges) {
    const hasEnded = change.ended_at !== undefined;
    const { assignee, owner, name, description } = change;
    unitOfWork.record({
      ...by,
      resource: `workflow/taskinstance/${executionId(id, execution)}`,
      operation: hasEnded ? 'delete' : 'update',
      before: null,
      after: hasEnded ? null : (withoutAbsent({ assignee, owner, name, description }) as JsonObject),
    });
  }
}

function withoutAbsent(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function movedMeanwhile({ id }: Instance): ConflictError {
  return new ConflictError(`The process instance '${id}' was moved by a script that it runs itself`, {
    id: 'WORKFLOW_MOVED_MEANWHILE',
    hint: 'Let the script set variables, and let the process go on by its flows',
  });
}

function undeployed({ definitionId }: Instance): ConflictError {
  return new ConflictError(`The process definition '${definitionId}' has been undeployed meanwhile`, {
    id: 'WORKFLOW_UNDEPLOYED',
  });
}

function tooLong({ id }: Instance, cause: unknown): BadRequestError {
  return new BadRequestError(
    `A name, user, group, key or message of the process instance '${id}' is too long to be found by`,
    { id: 'WORKFLOW_TOO_LONG', hint: 'Keep them below 600 characters; a description may be longer', cause },
  );
}

function endless(): InternalServerError {
  return new InternalServerError(`Process instances move each other more than ${DEEPEST} levels deep`, {
    id: 'WORKFLOW_TOO_DEEP',
    hint: 'A call activity or a signal leads back to its own process without a condition to end',
  });
}
