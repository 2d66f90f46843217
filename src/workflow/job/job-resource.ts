import { ConflictError, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  type CollectionProvider,
  type Context,
  dbOf,
  NO_BODY,
  resource,
  type WriteContext,
} from '#resource/index.ts';
import { isId } from '../instance/instance-id.ts';
import { lockInstance } from '../instance/instance-repository.ts';
import { noteAct } from '../instance/note-act.ts';
import { standsStill } from '../instance/suspension.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { type DeadLetterRow, findShownJob } from './dead-letter-repository.ts';
import { takeJob } from './job-repository.ts';
import { viewJob } from './job-view.ts';
import { readWait, runNow } from './run-now.ts';

/** `/workflow/job/<id>`: timers and jobs; `waitsFor` of an instance names them. */
export function jobResource(platform: WorkflowPlatform): CollectionProvider {
  return {
    description: { title: 'Job' },
    async read(context, _request, id) {
      const row = await getJob(platform, context, id);
      return resource(row.id, String(row.revision), { ...viewJob(row), isDeadLetter: row.is_dead });
    },
    instanceActions: new ActionTable<[id: string]>({
      execute: {
        does: 'Has the timer or job run now, whenever it is due; with `wait`, such as `5s`, answers what came of it',
        takes: NO_BODY,
        answers: { type: 'object' },
        async run(context, request, id) {
          const waitMs = readWait(request);
          return actionResult(await execute(platform, context, await getJob(platform, context, id), waitMs));
        },
      },
    }),
  };
}

async function execute(
  platform: WorkflowPlatform,
  context: WriteContext,
  { id, instance_id, element, kind, is_dead }: DeadLetterRow,
  waitMs: number,
): Promise<JsonObject> {
  if (is_dead) throw isDead(id);
  const db = await context.unitOfWork.db();
  const locked = instance_id === null ? undefined : await lockInstance(db, instance_id);
  if (locked !== undefined && locked.suspended !== null)
    throw standsStill(locked.instance.id, locked.suspended);
  const job = await takeJob(db, id);
  if (job === undefined) throw noJob(id);
  if (locked === undefined) {
    context.unitOfWork.record({
      resource: `workflow/job/${id}`,
      operation: 'update',
      before: null,
      after: { act: { kind: 'execute', element } },
    });
  } else await noteAct(platform, context, locked.instance.id, { kind: 'execute', element, job: id });
  const answer: JsonObject = { executed: id, jobType: kind };
  await runNow(platform, context, job, { waitMs, answer });
  return answer;
}

async function getJob(platform: WorkflowPlatform, context: Context, id: string): Promise<DeadLetterRow> {
  const row = isId(id) ? await findShownJob(await dbOf(platform, context), id) : undefined;
  if (row === undefined) throw noJob(id);
  return row;
}

function noJob(id: string): NotFoundError {
  return new NotFoundError(`There is no job '${id}'`, { id: 'WORKFLOW_NO_JOB' });
}

function isDead(id: string): ConflictError {
  return new ConflictError(`The job '${id}' is out of attempts`, {
    id: 'WORKFLOW_JOB_DEAD',
    hint: `Give it another one with POST workflow/job/deadletter/${id}?_action=retry`,
  });
}
