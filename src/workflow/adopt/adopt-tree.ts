import { nextInUtc } from '#cron/index.ts';
import type { UnitOfWork } from '#database/index.ts';
import { wordsOf } from '#errors/index.ts';
import { stableTimeOrderedId } from '#time/index.ts';
import { adopt, type MigrationRefusal, type RestingInstance, type TaskFacts } from '../engine/index.ts';
import { Changes, type IdentityLink, type NewTask } from '../instance/changes.ts';
import { gatherEffects } from '../instance/gather-effects.ts';
import { type Instance, withoutVariables } from '../instance/instance.ts';
import { executionId } from '../instance/instance-id.ts';
import { requireStorableVariables } from '../instance/require-storable-variables.ts';
import { writeStep } from '../instance/step-repository.ts';
import { stepRow } from '../instance/step-row.ts';
import { writeSuspension } from '../instance/suspension-repository.ts';
import { enqueueJob } from '../job/enqueue-job.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { AdoptedDefinition } from './adopt-definitions.ts';
import { markDead } from './adoption-repository.ts';

/** An instance of another engine; those that it has called come with it. Times are epoch ms. */
export interface ForeignInstance {
  /** The id of the instance at the other engine. */
  readonly id: string;
  readonly definitionId: string;
  readonly resting: RestingInstance;
  readonly name: string | null;
  readonly startUserId: string | null;
  readonly startedAt: number;
  /** The instance that has called it, and which of its tokens waits. */
  readonly caller?: { readonly instance: string; readonly ref: string };
  readonly people: readonly IdentityLink[];
  /** When the activities began at which it stands, by their tokens. */
  readonly begunAt: ReadonlyMap<string, number>;
  readonly ended: readonly EndedActivity[];
  readonly dead: readonly { readonly at: string; readonly exception: string | null }[];
}

/** Where it was. */
export interface EndedActivity {
  readonly at: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly reason: string | null;
  readonly task?: TaskFacts & { readonly deleteReason: string | null };
}

export type TreePlan =
  | { readonly isAdopted: true; readonly rootId: string; readonly changes: readonly Planned[] }
  | { readonly isAdopted: false; readonly refusals: readonly MigrationRefusal[] };

interface Planned {
  readonly changes: Changes;
  readonly dead: ForeignInstance['dead'];
}

const BY = 'svc import';

/**
 * What a tree of instances would be here, and what is to be written of it; nothing is.
 *
 * @param tree each instance after the one that has called it
 */
export function planTree(
  tree: readonly ForeignInstance[],
  {
    place,
    now,
    definitions,
  }: {
    readonly place: string;
    readonly now: number;
    readonly definitions: ReadonlyMap<string, AdoptedDefinition>;
  },
): TreePlan {
  const refusals: MigrationRefusal[] = [];
  const planned: Planned[] = [];
  const known = new Map<string, { readonly id: string; readonly executions: ReadonlyMap<string, number> }>();
  const rootId = instanceIdOf(place, tree[0]);
  for (const foreign of tree) {
    const definition = definitions.get(foreign.definitionId);
    if (definition === undefined || 'reason' in definition) {
      refusals.push({ element: '', message: definition?.reason ?? 'Its process is not there' });
      continue;
    }
    const { ended, resting } = foreign;
    const adoption = adopt(definition.process, resting, {
      first: ended.length + 1,
      now,
      nextCron: nextInUtc,
    });
    if (!adoption.isAdopted) {
      refusals.push(...adoption.refusals);
      continue;
    }
    const caller = foreign.caller === undefined ? undefined : known.get(foreign.caller.instance);
    const execution = caller?.executions.get(foreign.caller?.ref ?? '');
    if (foreign.caller !== undefined && (caller === undefined || execution === undefined)) {
      refusals.push({ element: '', message: 'Was called by what does not come' });
      continue;
    }
    const id = instanceIdOf(place, foreign);
    known.set(foreign.id, { id, executions: adoption.executions });
    const instance: Instance = {
      id,
      definitionId: definition.id,
      definitionKey: definition.process.key,
      definitionName: definition.process.name ?? null,
      deploymentId: definition.deploymentId,
      rootId,
      caller: caller === undefined || execution === undefined ? null : { instanceId: caller.id, execution },
      businessKey: resting.businessKey ?? null,
      name: foreign.name,
      description: null,
      tenantId: definition.tenantId,
      startUserId: foreign.startUserId,
      startedAt: foreign.startedAt,
    };
    const changes = new Changes(instance, now);
    changes.isNew = true;
    changes.links.push(...foreign.people);
    try {
      gatherEffects(changes, adoption.effects, { history: 'full' });
      requireStorableVariables(`processinstance/${id}`, null, adoption.state);
    } catch (error) {
      refusals.push({ element: '', message: wordsOf(error) });
      continue;
    }
    changes.state = { kind: 'inserted', ...withoutVariables(adoption.state) };
    addTimes(changes, foreign, adoption.executions);
    addEnded(changes, foreign);
    planned.push({ changes, dead: foreign.dead });
  }
  if (refusals.length > 0) return { isAdopted: false, refusals };
  return { isAdopted: true, rootId, changes: planned };
}

/** When what it stands at began, which was not now. */
function addTimes(
  changes: Changes,
  { resting, begunAt, startedAt }: ForeignInstance,
  executions: ReadonlyMap<string, number>,
): void {
  for (const activity of changes.activities.values()) activity.started_at = startedAt;
  for (const { ref, at, task } of resting.tokens) {
    const execution = executions.get(ref);
    if (execution === undefined) continue;
    const activity = changes.activities.get(`${execution} ${at}`);
    if (activity !== undefined) activity.started_at = begunAt.get(ref) ?? startedAt;
    const stored = changes.newTasks.get(execution);
    if (stored !== undefined && task !== undefined) addTaskTimes(stored, task);
  }
}

function addTaskTimes(stored: NewTask, { createdAt, claimedAt }: TaskFacts): void {
  if (createdAt !== undefined) stored.created_at = createdAt;
  if (claimedAt !== undefined) stored.claimed_at = claimedAt;
}

/** What was done already, as the first executions. */
function addEnded({ instance, activities, newTasks }: Changes, { ended }: ForeignInstance): void {
  ended.forEach(({ at: element, startedAt, endedAt, reason, task }, index) => {
    const execution = index + 1;
    const why = reason === null ? {} : { reason };
    activities.set(`${execution} ${element}`, {
      execution,
      element,
      started_at: startedAt,
      ended_at: endedAt,
      ...why,
    });
    if (task === undefined) return;
    const { name, description, assignee, owner, priority, dueAt, category, formKey, deleteReason } = task;
    const id = executionId(instance.id, execution);
    const facts = { name, description, assignee, owner, priority, category };
    const stored: NewTask = {
      id,
      execution,
      element,
      ...facts,
      due_at: dueAt,
      form_key: formKey,
      ended_at: endedAt,
    };
    stored.delete_reason = deleteReason;
    addTaskTimes(stored, { ...task, createdAt: startedAt });
    newTasks.set(execution, stored);
  });
}

/**
 * Writes what was planned, standing still until the import is finished: the other engine has it still.
 *
 * @returns the revision of the tree
 */
export async function storeTree(
  platform: Pick<WorkflowPlatform, 'queue' | 'now'>,
  unitOfWork: UnitOfWork,
  { rootId, changes: all }: Extract<TreePlan, { isAdopted: true }>,
): Promise<void> {
  for (const { changes } of all) await writeStep(unitOfWork, stepRow(changes));
  const db = await unitOfWork.db();
  await writeSuspension(db, rootId, BY);
  for (const { changes, dead } of all) {
    const { id: instanceId } = changes.instance;
    const given = new Set(dead.map(({ at }) => at));
    for (const { at, exception } of dead) await markDead(db, { instanceId, element: at, exception });
    for (const job of changes.jobs.values()) {
      if (!('id' in job) || given.has(job.element)) continue;
      const { id, due_at: dueAt, retry_cycle: retryCycle } = job;
      await enqueueJob(platform, unitOfWork, { id, revision: 1, dueAt, instanceId, retryCycle });
    }
  }
}

/** The same each time, and sorted by when it began; its last digits number executions. */
function instanceIdOf(place: string, foreign: ForeignInstance | undefined): string {
  return executionId(stableTimeOrderedId([place, foreign?.id ?? null], foreign?.startedAt ?? 0), 0);
}
