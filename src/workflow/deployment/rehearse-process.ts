import { BadRequestError, ConflictError, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { findLatest } from '../definition/definition-repository.ts';
import { activitiesOf } from '../instance/activities.ts';
import { beginStep } from '../instance/begin-step.ts';
import { createInstance } from '../instance/create-instance.ts';
import { deliverMessage, deliverSignal } from '../instance/deliver-event.ts';
import { findInstance } from '../instance/instance-listing-repository.ts';
import { lockInstance } from '../instance/instance-repository.ts';
import { viewInstance } from '../instance/instance-view.ts';
import { takeStep } from '../instance/take-step.ts';
import { waitsFor } from '../instance/waits-for.ts';
import { findWaits, type Waits } from '../instance/waits-repository.ts';
import { placeOfFailure } from '../job/failure-place.ts';
import { findJob } from '../job/job-repository.ts';
import { stimulusOf } from '../job/job-step.ts';
import { completeTask } from '../task/move-task.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import type { DeploymentFile } from './deploy.ts';
import { deploy } from './deploy.ts';

/** A process that goes round and round is left there. */
const MOST_MOVES = 200;

/** What comes at elements that wait: variables, by the id of the element. */
type Answers = Readonly<Record<string, JsonObject>>;

interface Walk {
  readonly platform: WorkflowPlatform;
  readonly context: WriteContext;
  readonly instance: string;
  readonly answers: Answers;
}

/** One thing that moves the instance on. */
interface Move {
  readonly element: string;
  readonly make: () => Promise<unknown>;
}

/**
 * Has a process file be walked through without being kept: deployed, an instance of it started with `variables`, its jobs run
 * at once, and what waits at an element of `answers` answered with what stands there: a task is completed, a timer fires, a
 * message or signal arrives. It goes as far as that leads. Everything belongs to the unit of work, which has to be a rehearsal.
 *
 * @returns `{ processDefinitionId, processInstanceId, status, activities, waitsFor, processVariables, moves, failure? }`;
 *   `status` is `ended`, `waits`, `failed` or `endless`
 */
export async function rehearseProcess(
  platform: WorkflowPlatform,
  context: WriteContext,
  file: DeploymentFile,
  content: JsonObject,
): Promise<JsonObject> {
  if (context.rehearsed !== true) throw notKept();
  const key = textOf(content['key']);
  const variables = objectOf(content['variables'], '/variables');
  const answers = answersOf(content['answers']);
  await file.admit?.();
  await deploy(platform, context.unitOfWork, file);
  const db = await context.unitOfWork.db();
  const definition = await findLatest(db, key);
  if (definition === undefined) throw noSuchProcess(key, file.name);
  const { process } = await platform.definitions.get(db, definition.id);
  const about = { processDefinitionId: definition.id };
  const start = { ...variables, _processDefinitionId: definition.id };
  const started = await attempt(context, () => createInstance(platform, context, start));
  // A script in the very first step: nothing is left of the instance.
  if (started.failure !== undefined) {
    return { ...about, processInstanceId: null, status: 'failed', moves: 0, failure: started.failure };
  }
  const instance = String(started.value.id);
  const walk = { platform, context, instance, answers };
  const { status, moves, failure } = await goOn(walk);
  const now = await context.unitOfWork.db();
  const row = await findInstance(now, instance);
  return {
    ...about,
    processInstanceId: instance,
    status,
    moves,
    ...(failure === undefined ? {} : { failure }),
    activities: (await activitiesOf(now, instance, process)).activities,
    waitsFor: await waitsFor(now, instance, process),
    processVariables: row === undefined ? {} : (viewInstance(row)['processVariables'] ?? {}),
  };
}

async function goOn(
  walk: Walk,
): Promise<{ status: 'ended' | 'waits' | 'failed' | 'endless'; moves: number; failure?: JsonObject }> {
  const { context, instance } = walk;
  for (let moves = 0; moves < MOST_MOVES; moves++) {
    const db = await context.unitOfWork.db();
    if ((await lockInstance(db, instance)) === undefined) return { status: 'ended', moves };
    const move = nextMove(walk, await findWaits(db, instance));
    if (move === undefined) return { status: 'waits', moves };
    const { failure } = await attempt(context, move.make);
    if (failure !== undefined)
      return { status: 'failed', moves, failure: { element: move.element, ...failure } };
  }
  return { status: 'endless', moves: MOST_MOVES };
}

/** Jobs come first, as they would: nobody is asked for them. */
function nextMove(walk: Walk, { jobs, tasks, subscriptions }: Waits): Move | undefined {
  const { platform, context, instance, answers } = walk;
  const answerAt = (element: string) => (Object.hasOwn(answers, element) ? answers[element] : undefined);
  const job = jobs.find(({ kind, element }) => kind !== 'timer' || answerAt(element) !== undefined);
  if (job !== undefined) return { element: job.element, make: () => runJob(walk, job.jobId) };
  for (const { element, taskId } of tasks) {
    const answer = answerAt(element);
    if (answer !== undefined) return { element, make: () => completeTask(platform, context, taskId, answer) };
  }
  for (const { event, event_name: name, element } of subscriptions) {
    const answer = answerAt(element);
    if (answer === undefined) continue;
    const step = beginStep(platform, context);
    return {
      element,
      make: () =>
        event === 'message'
          ? deliverMessage(step, name, answer, instance)
          : deliverSignal(step, name, answer),
    };
  }
  return undefined;
}

async function runJob({ platform, context, instance }: Walk, id: string): Promise<void> {
  const db = await context.unitOfWork.db();
  const job = await findJob(db, id);
  const locked = await lockInstance(db, instance);
  if (job === undefined || locked === undefined) throw notThere(id);
  await takeStep(beginStep(platform, context), locked, stimulusOf(job));
}

/** What fails leaves nothing behind, so that what came before it can still be told. */
async function attempt<T>(
  { unitOfWork }: WriteContext,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly failure?: never } | { readonly failure: JsonObject }> {
  try {
    return { value: await unitOfWork.savepoint(work) };
  } catch (error) {
    if (!(error instanceof ResourceError)) throw error;
    return { failure: { message: error.message, ...placeOfFailure(error) } };
  }
}

function textOf(key: JsonObject[string] | undefined): string {
  if (typeof key === 'string' && key !== '') return key;
  throw new BadRequestError(`key is ${JSON.stringify(key ?? null)}, which names no process`, {
    id: 'WORKFLOW_BAD_FIELD',
    field: '/key',
    hint: 'The id of the process in the file',
  });
}

function objectOf(value: JsonObject[string] | undefined, field: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw new BadRequestError(`${field} must be an object of variables, not ${JSON.stringify(value)}`, {
    id: 'WORKFLOW_BAD_FIELD',
    field,
  });
}

function answersOf(value: JsonObject[string] | undefined): Answers {
  return Object.fromEntries(
    Object.entries(objectOf(value, '/answers')).map(([element, answer]) => [
      element,
      objectOf(answer, `/answers/${element}`),
    ]),
  );
}

function notKept(): BadRequestError {
  return new BadRequestError("The action 'rehearse' keeps nothing, so it is asked for as a rehearsal", {
    id: 'WORKFLOW_ONLY_REHEARSED',
    hint: 'Add _dryRun=true',
  });
}

function noSuchProcess(key: string, file: string): BadRequestError {
  return new BadRequestError(`'${file}' holds no process '${key}'`, {
    id: 'WORKFLOW_NO_PROCESS',
    field: '/key',
  });
}

function notThere(id: string): ConflictError {
  return new ConflictError(`The job '${id}' has gone meanwhile`, { id: 'WORKFLOW_NO_JOB' });
}
