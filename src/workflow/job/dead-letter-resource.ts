import { NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  actionResult,
  type CollectionProvider,
  type Context,
  dbOf,
  readerOf,
  resource,
  unknownAction,
} from '#resource/index.ts';
import { isId } from '../instance/instance-id.ts';
import { answerPage } from '../query/answer-page.ts';
import { queryKind } from '../query/query-kind.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { type DeadLetterRow, findDeadLetter, listDeadLetters } from './dead-letter-repository.ts';
import { enqueueJob, WORKFLOW_QUEUE } from './enqueue-job.ts';
import { listQueueLetters, reviveJob } from './job-repository.ts';

const ACTIONS = ['retry'];

/** `/workflow/job/deadletter`: jobs that are out of attempts. */
export function deadLetterResource(platform: WorkflowPlatform): CollectionProvider {
  return {
    description: { title: 'Dead-letter job', instanceActions: ACTIONS, query: '_queryId=query-all-ids' },
    async query(context, request) {
      const kind = queryKind(request);
      const page = await listDeadLetters(await readerOf(platform, context), request, kind);
      return answerPage(page, (row) => resource(row.id, String(row.revision), view(row)));
    },
    async read(context, _request, id) {
      const row = await getRow(platform, context, id);
      return resource(row.id, String(row.revision), view(row));
    },
    async actionOnInstance(context, request, id) {
      const row = await getRow(platform, context, id);
      if (request.action !== 'retry') return unknownAction(request, ACTIONS);
      const unitOfWork = context.unitOfWork!;
      const revision = await reviveJob(await unitOfWork.db(), row.id);
      if (revision === undefined) throw noDeadLetter(id);
      const letters = await listQueueLetters(await unitOfWork.db(), WORKFLOW_QUEUE, row.id);
      await platform.queue.dismiss(unitOfWork, letters);
      await enqueueJob(platform, unitOfWork, {
        id: row.id,
        revision,
        dueAt: platform.now(),
        attempts: 1,
        ...(row.instance_id === null ? {} : { instanceId: row.instance_id }),
      });
      return actionResult({ 'Successfully retried dead letter job': id });
    },
  };
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
