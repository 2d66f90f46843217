import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  type Context,
  type ReadRequest,
  type Router,
  readerOf,
  type Why,
  type WhyLink,
  whyOf,
} from '#resource/index.ts';
import { isOrdinary } from '../identity/sender.ts';
import { findInstance } from '../instance/instance-listing-repository.ts';
import { findSuspension } from '../instance/suspension-repository.ts';
import { findWaits } from '../instance/waits-repository.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { readOpenTask } from './open-task.ts';
import { viewCandidates, viewTask } from './task-view.ts';

/** What is told of a task goes by what a read of it shows. */
export type TaskJudges = Pick<Router, 'judgesAnswer' | 'handle'>;

/**
 * Why a task is still there: who has it or could take it, and by what, what is to come of it without them, and what stands
 * in the way. Who is no administrator is told nothing that a read of the task would not show.
 */
export async function whyTask(
  platform: WorkflowPlatform,
  judges: TaskJudges,
  context: Context,
  id: string,
): Promise<Why> {
  const db = await readerOf(platform, context);
  const { row, surroundings } = await readOpenTask(platform, context, id);
  const task = await shownTask(judges, context, id, {
    ...viewTask(row),
    candidates: viewCandidates(surroundings),
  });
  const instance = await findInstance(db, row.instance_id);
  const suspended = await findSuspension(db, row.instance_id);
  const { process } = await platform.definitions.get(db, row.definition_id);
  const ofOperators = (ref: string) => (isOrdinary(context) ? {} : { ref });
  const path = `workflow/processinstance/${row.instance_id}`;
  const chain: WhyLink[] = [];
  if (instance !== undefined && !isOrdinary(context)) {
    const by = instance.start_user_id === null ? '' : ` by ${instance.start_user_id}`;
    chain.push({ at: instance.started_at.toISOString(), text: `the process was started${by}`, ref: path });
  }
  const { holder, users, groups, createTime, claimTime, dueDate } = factsOf(task);
  const offered = offer(users, groups);
  chain.push({
    at: createTime ?? row.created_at.toISOString(),
    text: `the process came to '${row.element}', and the task was created${offered === '' ? '' : `, offered to ${offered}`}`,
  });
  if (claimTime !== undefined && holder !== undefined)
    chain.push({ at: claimTime, text: `${holder} took it` });
  if (dueDate !== undefined) {
    chain.push({ at: dueDate, text: Date.parse(dueDate) < platform.now() ? 'it was due' : 'it is due' });
  }
  for (const job of (await findWaits(db, row.instance_id)).jobs) {
    if (job.execution !== row.execution || job.kind !== 'timer') continue;
    const event = process.nodes.get(job.element);
    const ends = event?.kind === 'boundaryEvent' && event.isInterrupting;
    const text = `the timer '${job.element}' fires${ends ? ', which takes the task away' : ''}`;
    chain.push({ at: new Date(job.dueAt).toISOString(), text, ...ofOperators(`workflow/job/${job.jobId}`) });
  }
  if (suspended !== null) {
    const by = isOrdinary(context) ? '' : ` by ${suspended.by}`;
    const text = `the process was suspended${by}, and goes on when it is activated`;
    chain.push({ at: new Date(suspended.at).toISOString(), text, ...ofOperators(suspended.ref) });
    return whyOf('suspended', 'Its process is suspended: nobody can claim or complete it', chain);
  }
  const [outcome, why] = judge(task, holder, offered);
  return whyOf(outcome, why, chain);
}

function judge(
  task: JsonObject,
  holder: string | undefined,
  offered: string,
): [outcome: string, why: string] {
  if (typeof task['delegate'] === 'string') {
    const owner = typeof task['owner'] === 'string' ? task['owner'] : 'its owner';
    return ['delegated', `${holder} works on it for ${owner}, who can complete it when it has been resolved`];
  }
  if (holder !== undefined) {
    const others = offered === '' ? '' : `; put back, it is for ${offered}`;
    return ['claimed', `${holder} has it, and has not completed it${others}`];
  }
  if (offered !== '') return ['offered', `Nobody has claimed it; ${offered} can`];
  return [
    'unassigned',
    'Nobody has it and it is offered to nobody: an administrator can give it to somebody',
  ];
}

function offer(users: readonly string[], groups: readonly string[]): string {
  const roles = groups.map((group) => `the role ${group}`);
  return [...users, ...roles].join(', ');
}

/** The task as a read shows it to whoever asks. */
async function shownTask(
  judges: TaskJudges,
  context: Context,
  id: string,
  task: JsonObject,
): Promise<JsonObject> {
  const read: ReadRequest = {
    method: 'read',
    path: ['workflow', 'taskinstance', id],
    fields: [],
    parameters: {},
  };
  if (!judges.judgesAnswer(read)) return task;
  const answer = await judges.handle(context, read);
  return answer.kind === 'resource' && isObject(answer.content) ? answer.content : {};
}

function factsOf({ assignee, delegate, candidates, createTime, claimTime, dueDate }: JsonObject) {
  const { candidateUsers, candidateGroups } = isObject(candidates) ? candidates : {};
  return {
    holder: textOf(assignee) ?? textOf(delegate),
    users: textsOf(candidateUsers),
    groups: textsOf(candidateGroups),
    createTime: textOf(createTime),
    claimTime: textOf(claimTime),
    dueDate: textOf(dueDate),
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
