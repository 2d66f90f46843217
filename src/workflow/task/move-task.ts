import { LostRace } from '#database/index.ts';
import { BadRequestError, ConflictError, NotFoundError, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  besideOf,
  type Context,
  isAdministrator,
  personName,
  type UpdateRequest,
  type WriteContext,
} from '#resource/index.ts';
import { foldName } from '#security/index.ts';
import { type Received, receiveVariables, variableScope } from '../form/index.ts';
import { senderOf } from '../identity/sender.ts';
import { beginStep } from '../instance/begin-step.ts';
import type { TaskChange } from '../instance/changes.ts';
import { holdInstance } from '../instance/hold-instance.ts';
import type { LockedInstance } from '../instance/instance.ts';
import { parseExecutionId } from '../instance/instance-id.ts';
import type { LockedTask } from '../instance/instance-repository.ts';
import { takeStep } from '../instance/take-step.ts';
import { givenVariables } from '../variable/variable.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { userTaskAt } from './user-task-at.ts';

interface HeldTask {
  readonly locked: LockedInstance;
  readonly task: LockedTask;
  readonly execution: number;
}

/** Completes a task: the process goes on until it waits again, in this request. */
export async function completeTask(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
  variables: JsonObject,
  judgedAt?: JudgedAt,
): Promise<void> {
  const { locked, task, execution } = await holdTask(context, id, judgedAt);
  if (task.facts.delegation === 'pending') throw delegated(id);
  const user = personName(context.security);
  const given = givenVariables(variables);
  await takeStep(beginStep(platform, context), locked, {
    kind: 'complete',
    execution,
    ...(await receiveAtTask(platform, context, locked, execution, given)),
    task: task.facts,
    user,
  });
}

/** Gives a task to a user. @throws ConflictError when somebody else has it */
export async function claimTask(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
  name: string,
  judgedAt?: JudgedAt,
): Promise<void> {
  const userId = asCalled(context, name);
  const held = await holdTask(context, id, judgedAt);
  const { assignee } = held.task.facts;
  if (assignee !== null && assignee !== userId) throw claimed(id, assignee);
  await assign(platform, context, held, { assignee: userId, claimed_at: platform.now() });
}

/**
 * Puts a task back for those whom it is offered to.
 *
 * @throws ConflictError when nobody has it, when it is delegated, and when nobody could take it
 */
export async function unclaimTask(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
  judgedAt?: JudgedAt,
): Promise<void> {
  const held = await holdTask(context, id, judgedAt);
  const { assignee, delegation, candidateUsers, candidateGroups } = held.task.facts;
  if (assignee === null) throw notClaimed(id);
  if (delegation === 'pending') throw delegated(id);
  if (candidateUsers.length + candidateGroups.length === 0) throw notOffered(id, assignee);
  await assign(platform, context, held, { assignee: null, claimed_at: null });
}

/** Ends a delegation: the task goes back to its owner. @throws ConflictError when there is none */
export async function resolveTask(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
  judgedAt?: JudgedAt,
): Promise<void> {
  const held = await holdTask(context, id, judgedAt);
  const { delegation, owner } = held.task.facts;
  if (delegation !== 'pending') throw notDelegated(id);
  await assign(platform, context, held, { assignee: owner, delegation: 'resolved' });
}

/** What an update may change; others are ignored, and of these only the assignee can be cleared. */
export async function updateTask(
  platform: WorkflowPlatform,
  context: WriteContext,
  id: string,
  { content, revision, judgedAt }: UpdateRequest,
): Promise<void> {
  const held = await holdTask(context, id, judgedAt);
  if (revision !== null && revision !== String(held.task.revision))
    throw outdated(id, revision, held.task.revision);
  const change: TaskChange = {};
  for (const field of ['name', 'description', 'owner'] as const) {
    const value = textOf(content, field);
    if (value !== undefined && value !== null) change[field] = value;
  }
  const named = textOf(content, 'assignee');
  const assignee = typeof named === 'string' ? asCalled(context, named) : named;
  if (assignee !== undefined) change.assignee = assignee;
  refuseTaking(context, id, held.task.facts.assignee, assignee);
  if (assignee === null) change.claimed_at = null;
  await assign(platform, context, held, change);
}

/**
 * Callers may write their own name as they do when they log in; it stands as their account has it. Of other names nobody
 * is told whether somebody has them.
 */
function asCalled({ security }: Context, name: string): string {
  const own = personName(security);
  return foldName(name) === foldName(own) ? own : name;
}

/** Two who take a task at once both saw it free: the later one hears that it is not. */
function refuseTaking({ client, security }: Context, id: string, holder: string | null, to: unknown): void {
  const mayTake = !client.isExternal || isAdministrator(security);
  if (!mayTake && holder !== null && holder !== to && to === personName(security)) throw claimed(id, holder);
}

/** A task of a running process goes with the process, and not by itself. */
export async function deleteTask(context: WriteContext, id: string): Promise<never> {
  const { locked } = await holdTask(context, id);
  throw new ConflictError(`The task '${id}' is part of a running process and cannot be deleted`, {
    id: 'WORKFLOW_TASK_OF_PROCESS',
    hint: `Complete it, or delete its process instance '${locked.instance.id}'`,
  });
}

async function assign(
  platform: WorkflowPlatform,
  context: WriteContext,
  { locked, task, execution }: HeldTask,
  change: TaskChange,
): Promise<void> {
  const { facts } = task;
  const isReassigned =
    change.assignee !== undefined && change.assignee !== null && change.assignee !== facts.assignee;
  const next = {
    ...facts,
    ...(change.assignee === undefined ? {} : { assignee: change.assignee }),
    ...(change.owner === undefined ? {} : { owner: change.owner }),
    ...(change.delegation === undefined ? {} : { delegation: 'resolved' as const }),
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.description === undefined ? {} : { description: change.description }),
    ...(typeof change.claimed_at === 'number' ? { claimedAt: change.claimed_at } : {}),
  };
  // Listeners hear of a new assignee; other changes are nobody's business.
  const stimulus = isReassigned
    ? ({ kind: 'assign', execution, task: next } as const)
    : ({ kind: 'variables', variables: {} } as const);
  await takeStep(beginStep(platform, context), locked, stimulus, { task: { execution, change } });
}

/** The revision at which rules have looked at a task; what they grant is granted as long as it stays so. */
type JudgedAt = UpdateRequest['judgedAt'];

/** The instance of an open task, held. @throws NotFoundError; LostRace when it is not as it was judged */
async function holdTask(context: WriteContext, id: string, judgedAt?: JudgedAt): Promise<HeldTask> {
  const parsed = parseExecutionId(id);
  if (parsed !== undefined) {
    const { instanceId, execution } = parsed;
    const locked = await holdInstance(context, instanceId, { task: execution });
    if (judgedAt !== undefined && locked?.task !== undefined && judgedAt !== String(locked.task.revision))
      throw new LostRace(`The task '${id}' was changed by another request at the same time`);
    if (locked?.task !== undefined) return { locked, task: locked.task, execution };
  }
  throw noTask(id);
}

/** What was posted, as far as the task takes it, and, where forms are checked, what the form makes of it. */
async function receiveAtTask(
  platform: WorkflowPlatform,
  context: WriteContext,
  { instance, state, settled }: LockedInstance,
  execution: number,
  given: JsonObject,
): Promise<Received> {
  const { process } = await platform.definitions.get(
    await besideOf(platform, context),
    instance.definitionId,
  );
  const at = state.executions.find(({ id }) => id === execution)?.at;
  const { forms } = platform.settings();
  return receiveVariables(given, {
    process,
    step: userTaskAt(process, at ?? ''),
    settled,
    ...senderOf(platform, context, instance.definitionKey),
    checkedIn: forms.validates(instance.definitionKey)
      ? variableScope(state.variables['0'] ?? {})
      : undefined,
  });
}

function textOf(content: JsonObject, field: string): string | null | undefined {
  const value = content[field];
  if (value === undefined || value === null || typeof value === 'string') return value;
  throw new BadRequestError(`${field} must be a text, not ${JSON.stringify(value)}`, {
    id: 'WORKFLOW_BAD_FIELD',
    field: `/${field}`,
  });
}

export function noTask(id: string): NotFoundError {
  return new NotFoundError(`There is no task '${id}'`, { id: 'WORKFLOW_NO_TASK' });
}

function claimed(id: string, assignee: string): ConflictError {
  return new ConflictError(`The task '${id}' is already claimed by '${assignee}'`, {
    id: 'WORKFLOW_TASK_CLAIMED',
    hint: 'Put it back with an update that sets assignee to null',
  });
}

function notClaimed(id: string): ConflictError {
  return new ConflictError(`Nobody has the task '${id}'`, { id: 'WORKFLOW_TASK_NOT_CLAIMED' });
}

function notOffered(id: string, assignee: string): ConflictError {
  return new ConflictError(`The task '${id}' is offered to nobody but '${assignee}'`, {
    id: 'WORKFLOW_TASK_NOT_OFFERED',
    hint: 'Give it to somebody with an update that sets assignee',
  });
}

function delegated(id: string): ConflictError {
  return new ConflictError(`The task '${id}' is delegated and must be resolved first`, {
    id: 'WORKFLOW_TASK_DELEGATED',
    hint: "The action 'resolve' gives it back to its owner",
  });
}

function notDelegated(id: string): ConflictError {
  return new ConflictError(`The task '${id}' is not delegated`, { id: 'WORKFLOW_TASK_NOT_DELEGATED' });
}

function outdated(id: string, given: string, current: number): PreconditionFailedError {
  return new PreconditionFailedError(`The task '${id}' has the revision ${current}, not ${given}`, {
    id: 'WORKFLOW_OUTDATED',
    detail: { revision: String(current) },
  });
}
