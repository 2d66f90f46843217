import type { JsonObject, JsonValue } from '#json/index.ts';
import type { TaskFacts } from '../engine/index.ts';
import type { StoredVariable } from '../variable/variable.ts';
import type { Instance, StoredState } from './instance.ts';

/** A task as it is stored, by the names of its columns; times are epoch ms. */
export interface NewTask extends TaskChange {
  readonly id: string;
  readonly execution: number;
  readonly element: string;
  /** Absent: it is made by this step. */
  created_at?: number;
}

/** Columns that change; those that stay are absent. */
export interface TaskChange {
  name?: string | null;
  description?: string | null;
  assignee?: string | null;
  owner?: string | null;
  priority?: number;
  due_at?: number | null;
  category?: string | null;
  form_key?: string | null;
  delegation?: string | null;
  definition_id?: string;
  element?: string;
  claimed_at?: number | null;
  ended_at?: number;
  delete_reason?: string | null;
  submitted?: JsonObject | null;
}

export interface IdentityLink {
  readonly task_id: string | null;
  readonly type: 'starter' | 'participant' | 'assignee' | 'owner' | 'candidate';
  readonly user_id: string | null;
  readonly group_id: string | null;
}

export interface KeptCandidates {
  readonly task_id: string;
  readonly kind: 'user_id' | 'group_id';
  readonly names: readonly string[];
}

export interface ActivityChange {
  readonly execution: number;
  readonly element: string;
  started_at?: number;
  ended_at?: number;
  reason?: string;
}

export interface Subscription {
  readonly event: 'message' | 'signal';
  readonly name: string;
  readonly execution: number;
  readonly element: string;
}

export interface NewJob {
  readonly id: string;
  readonly kind: 'async' | 'timer' | 'signal';
  readonly execution: number | null;
  readonly element: string;
  readonly due_at: number;
  readonly repeat: JsonValue;
  readonly payload: JsonValue;
  readonly retries: number;
  readonly retry_cycle: string | null;
}

export interface Place {
  readonly execution: number;
  readonly element: string;
}

/** What becomes of the state row. */
export type StateChange =
  | { readonly kind: 'inserted'; readonly state: StoredState; readonly scopes: readonly number[] }
  | {
      readonly kind: 'updated';
      readonly revision: number;
      readonly state: StoredState;
      readonly scopes: readonly number[];
      /** The version it has been migrated to. */
      readonly definitionId?: string;
    }
  | { readonly kind: 'deleted'; readonly revision: number }
  /** Started and ended in one step: there never is one. */
  | { readonly kind: 'none' };

export interface InstanceChange {
  business_key?: string;
  business_status?: string;
  ended_at?: number;
  delete_reason?: string;
  definition_id?: string;
  definition_name?: string | null;
  deployment_id?: number;
}

/**
 * All that one transition writes, each row once: what was made and undone in the same step has left no trace,
 * so that one statement can write it.
 */
export class Changes {
  readonly instance: Instance;
  readonly now: number;
  isNew = false;
  state: StateChange = { kind: 'none' };
  readonly instanceChange: InstanceChange = {};
  readonly newTasks = new Map<number, NewTask>();
  readonly taskChanges = new Map<number, TaskChange>();
  links: IdentityLink[] = [];
  /** Candidates of tasks whose list has changed: others are dropped. */
  readonly keptCandidates = new Map<string, KeptCandidates>();
  readonly variables = new Map<string, StoredVariable | { readonly scope: number; readonly name: string }>();
  readonly activities = new Map<string, ActivityChange>();
  readonly subscriptions = new Map<string, Subscription | Place>();
  readonly jobs = new Map<string, NewJob | (Place & { readonly kind: NewJob['kind'] })>();
  /** The job that has brought the signal of this step, which is done with it. */
  served: string | null = null;
  event: { readonly stimulus: JsonObject; readonly effects: JsonValue; readonly user: string | null } | null =
    null;

  constructor(instance: Instance, now: number) {
    this.instance = instance;
    this.now = now;
  }

  /** The change of a task, whether the task is older or of this step. */
  task(execution: number): TaskChange {
    const created = this.newTasks.get(execution);
    if (created !== undefined) return created;
    let change = this.taskChanges.get(execution);
    if (change === undefined) {
      change = {};
      this.taskChanges.set(execution, change);
    }
    return change;
  }

  addCandidates(taskId: string, { candidateUsers = [], candidateGroups = [] }: Partial<TaskFacts>): void {
    for (const user of candidateUsers) {
      this.links.push({ task_id: taskId, type: 'candidate', user_id: user, group_id: null });
    }
    for (const group of candidateGroups) {
      this.links.push({ task_id: taskId, type: 'candidate', user_id: null, group_id: group });
    }
  }

  /** Also for a task that is older than this step: whoever is not named any more is no candidate any more. */
  replaceCandidates(taskId: string, facts: Partial<TaskFacts>): void {
    for (const [kind, names] of [
      ['user_id', facts.candidateUsers],
      ['group_id', facts.candidateGroups],
    ] as const) {
      if (names === undefined) continue;
      this.links = this.links.filter(({ task_id, type, [kind]: name }) => {
        return task_id !== taskId || type !== 'candidate' || name === null || names.includes(name);
      });
      this.keptCandidates.set(`${taskId} ${kind}`, { task_id: taskId, kind, names });
    }
    this.addCandidates(taskId, facts);
  }

  addLink(taskId: string | null, type: IdentityLink['type'], user: string | null | undefined): void {
    if (user === null || user === undefined) return;
    this.links.push({ task_id: taskId, type, user_id: user, group_id: null });
  }
}
