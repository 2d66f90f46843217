import type { Changes, TaskChange } from './changes.ts';
import { executionId } from './instance-id.ts';

/** The tables of a step, in the sense of what is done with which rows. */
export type Part =
  | 'newInstances'
  | 'changedInstances'
  | 'newStates'
  | 'movedStates'
  | 'goneStates'
  | 'keptCandidates'
  | 'newTasks'
  | 'changedTasks'
  | 'movedLinks'
  | 'newLinks'
  | 'setVariables'
  | 'removedVariables'
  | 'begunActivities'
  | 'endedActivities'
  | 'newSubscriptions'
  | 'goneSubscriptions'
  | 'newJobs'
  | 'goneJobs'
  | 'servedJobs'
  | 'events';

/** All that one step of an instance writes, as it is sent: nothing that happens afterwards changes it. */
export interface StepRow {
  readonly instance: string;
  readonly root: string;
  /** The revision of the tree when the instance was read; null for a new instance. */
  readonly revision: number | null;
  /** Rows as JSON, by the names of their columns; times are epoch ms. */
  readonly parts: ReadonlyMap<Part, readonly string[]>;
}

type Row = Readonly<Record<string, unknown>>;

export function stepRow(changes: Changes): StepRow {
  const { instance, state } = changes;
  const parts = new Map<Part, string[]>();
  const add = (part: Part, rows: readonly Row[]) => {
    if (rows.length > 0)
      parts.set(part, [...(parts.get(part) ?? []), ...rows.map((row) => JSON.stringify(row))]);
  };
  addInstance(changes, add);
  addTasks(changes, add);
  addVariables(changes, add);
  addActivities(changes, add);
  addWaits(changes, add);
  const { event, now } = changes;
  if (event !== null) add('events', [{ instance_id: instance.id, at: now, ...event }]);
  const revision = 'revision' in state ? state.revision : null;
  return { instance: instance.id, root: instance.rootId, revision, parts };
}

type Add = (part: Part, rows: readonly Row[]) => void;

function addInstance({ instance, instanceChange, isNew, state }: Changes, add: Add): void {
  const { id, rootId, definitionId, caller } = instance;
  if (isNew) {
    add('newInstances', [
      {
        id,
        definition_id: definitionId,
        definition_key: instance.definitionKey,
        definition_name: instance.definitionName,
        deployment_id: instance.deploymentId,
        root_id: rootId,
        super_instance_id: caller?.instanceId ?? null,
        super_execution: caller?.execution ?? null,
        business_key: instanceChange.business_key ?? instance.businessKey,
        business_status: instanceChange.business_status ?? null,
        name: instance.name,
        description: instance.description,
        tenant_id: instance.tenantId,
        start_user_id: instance.startUserId,
        started_at: instance.startedAt,
        ended_at: instanceChange.ended_at ?? null,
        delete_reason: instanceChange.delete_reason ?? null,
      },
    ]);
  } else if (Object.keys(instanceChange).length > 0) {
    add('changedInstances', [{ id, change: instanceChange }]);
  }
  // The revision of the tree is that of its root.
  const isRoot = id === rootId;
  if (!isRoot && 'revision' in state) add('movedStates', [{ instance_id: rootId, by: 1 }]);
  if (state.kind === 'inserted') {
    const { scopes, state: stored } = state;
    add('newStates', [
      { instance_id: id, root_id: rootId, definition_id: definitionId, scopes, state: stored },
    ]);
  } else if (state.kind === 'updated') {
    const { scopes, state: stored, definitionId: to } = state;
    add('movedStates', [{ instance_id: id, by: isRoot ? 1 : 0, scopes, state: stored, definition_id: to }]);
  } else if (state.kind === 'deleted') {
    add('goneStates', [{ instance_id: id }]);
  }
}

function addTasks({ instance, newTasks, taskChanges, links, keptCandidates, now }: Changes, add: Add): void {
  const { id, definitionId, definitionKey, tenantId } = instance;
  add('keptCandidates', [...keptCandidates.values()] as readonly object[] as readonly Row[]);
  const shared = {
    instance_id: id,
    definition_id: definitionId,
    definition_key: definitionKey,
    tenant_id: tenantId,
    created_at: now,
  };
  add(
    'newTasks',
    [...newTasks.values()].map((task) => ({ ...shared, ...task })),
  );
  const changed = [...taskChanges].map(([execution, change]) => ({
    instance_id: id,
    execution,
    task_id: executionId(id, execution),
    change,
  }));
  add('changedTasks', changed);
  add(
    'movedLinks',
    changed.flatMap(({ task_id, change }) => {
      const isOpen = canBeTaken(change);
      return isOpen === undefined ? [] : [{ task_id, is_open: isOpen }];
    }),
  );
  const created = new Map([...newTasks.values()].map((task) => [task.id, task]));
  const changeOf = new Map(changed.map(({ task_id, change }) => [task_id, change]));
  add(
    'newLinks',
    links.map((link) => {
      const taskId = link.task_id ?? '';
      const task = created.get(taskId);
      const isOpen = task === undefined ? canBeTaken(changeOf.get(taskId) ?? {}) : canBeTaken(task, true);
      return { instance_id: id, ...link, is_open: isOpen, at: task?.created_at ?? now };
    }),
  );
}

/** Whether candidates can take a task from now on; undefined when nothing changes about it. */
function canBeTaken({ assignee, ended_at }: TaskChange, isNew = false): boolean | undefined {
  if (ended_at !== undefined) return false;
  return assignee === undefined && !isNew ? undefined : (assignee ?? null) === null;
}

function addVariables({ instance, variables }: Changes, add: Add): void {
  for (const variable of variables.values()) {
    add('value' in variable ? 'setVariables' : 'removedVariables', [
      { instance_id: instance.id, ...variable },
    ]);
  }
}

function addActivities({ instance, activities }: Changes, add: Add): void {
  for (const activity of activities.values()) {
    add(activity.started_at === undefined ? 'endedActivities' : 'begunActivities', [
      { instance_id: instance.id, ...activity },
    ]);
  }
}

function addWaits({ instance, subscriptions, jobs, served, now }: Changes, add: Add): void {
  if (served !== null) add('servedJobs', [{ instance_id: instance.id, id: served }]);
  for (const wait of subscriptions.values()) {
    add('event' in wait ? 'newSubscriptions' : 'goneSubscriptions', [{ instance_id: instance.id, ...wait }]);
  }
  for (const job of jobs.values()) {
    if ('id' in job) {
      const { definitionId } = instance;
      add('newJobs', [{ instance_id: instance.id, definition_id: definitionId, created_at: now, ...job }]);
    } else add('goneJobs', [{ instance_id: instance.id, ...job }]);
  }
}
