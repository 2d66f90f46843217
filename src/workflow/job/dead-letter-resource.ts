import { NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  type CollectionProvider,
  type Context,
  dbOf,
  readerOf,
  resource,
  type WriteContext,
} from '#resource/index.ts';
import { isId } from '../instance/instance-id.ts';
import { answerPage } from '../query/answer-page.ts';
import { asksFor, keepAllFields } from '../query/fields.ts';
import { queryKind } from '../query/query-kind.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import {
  type DeadLetterRow,
  findDeadLetter,
  findFailure,
  listDeadLetters,
} from './dead-letter-repository.ts';
import { enqueueJob, WORKFLOW_QUEUE } from './enqueue-job.ts';
import { listQueueLetters, reviveJob } from './job-repository.ts';

/** `/workflow/job/deadletter`: jobs that are out of attempts. */
export function deadLetterResource(platform: WorkflowPlatform): CollectionProvider {
  return {
    description: { title: 'Dead-letter job', query: '_queryId=query-all-ids' },
    async query(context, request) {
      const kind = queryKind(request);
      const page = await listDeadLetters(await readerOf(platform, context), request, kind);
      return answerPage(page, (row) => resource(row.id, String(row.revision), view(row)));
    },
    async read(context, request, id) {
      const row = await getRow(platform, context, id);
      const content = view(row);
      if (asksFor(request, 'failure')) {
        const failure = await findFailure(await readerOf(platform, context), WORKFLOW_QUEUE, id);
        content['failure'] = failure === undefined ? null : { attempts: failure.attempts, ...failure.detail };
      }
      return keepAllFields(request, resource(row.id, String(row.revision), content));
    },
    instanceActions: new ActionTable<[id: string]>(
      {
        retry: {
          does: 'Has the job tried once more',
          async run(context, _request, id) {
            await retry(platform, context, await getRow(platform, context, id));
            return actionResult({ 'Successfully retried dead letter job': id });
          },
        },
      },
      {
        async refuse(_request, _names, context, id) {
          await getRow(platform, context, id);
        },
      },
    ),
  };
}

async function retry(
  platform: WorkflowPlatform,
  { unitOfWork }: WriteContext,
  { id, instance_id }: DeadLetterRow,
): Promise<void> {
  const revision = await reviveJob(await unitOfWork.db(), id);
  if (revision === undefined) throw noDeadLetter(id);
  const letters = await listQueueLetters(await unitOfWork.db(), WORKFLOW_QUEUE, id);
  await platform.queue.dismiss(unitOfWork, letters);
  await enqueueJob(platform, unitOfWork, {
    id,
    revision,
    dueAt: platform.now(),
    attempts: 1,
    ...(instance_id === null ? {} : { instanceId: instance_id }),
  });
}

async function getRow(platform: WorkflowPlatform, context: Context, id: string): Promise<DeadLetterRow> {
  const row = isId(id) ? await findDeadLetter(await dbOf(platform, context), id) : undefined;
  if (row === undefined) throw noDeadLetter(id);
  return row;
}

function view(row: DeadLetterRow): JsonObject {
  return {
    createTime: row.created_at.toISOString(),
    dueDate: row.due_at.toISOString(),
    elementId: row.element,
    exceptionMessage: row.exception,
    executionId: row.execution_id,
    jobType: row.kind,
    processDefinitionId: row.definition_id,
    processInstanceId: row.instance_id,
    retries: row.retries,
  };
}

function noDeadLetter(id: string): NotFoundError {
  return new NotFoundError(`There is no dead-letter job '${id}'`, { id: 'WORKFLOW_NO_DEAD_LETTER' });
}
