import { ForbiddenError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  type CollectionProvider,
  type Context,
  dbOf,
  NO_BODY,
  questionReaderOf,
  type ReadRequest,
  type Router,
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
import { WORKFLOW_QUEUE } from './enqueue-job.ts';
import { listQueueLetters, reviveJob } from './job-repository.ts';
import { viewJob } from './job-view.ts';
import { readWait, runNow } from './run-now.ts';

type Judges = Pick<Router, 'handle' | 'judgesByScript'>;

/** `/workflow/job/deadletter`: jobs that are out of attempts. */
export function deadLetterResource(platform: WorkflowPlatform, judges: Judges): CollectionProvider {
  return {
    description: { title: 'Dead-letter job', query: '_queryId=query-all-ids' },
    async query(context, request) {
      const kind = queryKind(request);
      const page = await listDeadLetters(await questionReaderOf(platform, context), request, kind);
      return answerPage(page, (row) => resource(row.id, String(row.revision), viewJob(row)));
    },
    runsScripts: (request, id) =>
      asksFor(request, 'failure') &&
      // Only the row says which instance it is; rules and filters are about all of them.
      judges.judgesByScript([readOfVariables(id ?? '')]),
    async read(context, request, id) {
      const row = await getRow(platform, context, id);
      const content = viewJob(row);
      if (asksFor(request, 'failure')) {
        const failure = await findFailure(await readerOf(platform, context), WORKFLOW_QUEUE, id);
        content['failure'] = {
          ...(failure === undefined ? {} : { attempts: failure.attempts, ...failure.detail }),
          variables: await variablesOf(judges, context, row),
        };
      }
      return keepAllFields(request, resource(row.id, String(row.revision), content));
    },
    instanceActions: new ActionTable<[id: string]>(
      {
        retry: {
          does: 'Has the job tried once more; with `wait`, such as `5s`, answers what came of it',
          takes: NO_BODY,
          answers: { type: 'object' },
          async run(context, request, id) {
            const waitMs = readWait(request);
            return actionResult(await retry(platform, context, await getRow(platform, context, id), waitMs));
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
  context: WriteContext,
  { id }: DeadLetterRow,
  waitMs: number,
): Promise<JsonObject> {
  const db = await context.unitOfWork.db();
  const revived = await reviveJob(db, id);
  if (revived === undefined) throw noDeadLetter(id);
  await platform.queue.dismiss(context.unitOfWork, await listQueueLetters(db, WORKFLOW_QUEUE, id));
  const answer: JsonObject = { 'Successfully retried dead letter job': id };
  await runNow(platform, context, { ...revived, retry_cycle: null }, { waitMs, answer });
  return answer;
}

/** The variables of its instance, as whoever asks is shown them; null where that is nothing. */
async function variablesOf(
  judges: Judges,
  context: Context,
  { instance_id }: DeadLetterRow,
): Promise<JsonValue> {
  if (instance_id === null) return null;
  try {
    const answer = await judges.handle(context, readOfVariables(instance_id));
    const content = answer.kind === 'resource' && isObject(answer.content) ? answer.content : {};
    return content['processVariables'] ?? null;
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError) return null;
    throw error;
  }
}

function readOfVariables(instance: string): ReadRequest {
  const path = ['workflow', 'processinstance', instance];
  return { method: 'read', path, fields: [['processVariables']], parameters: {} };
}

async function getRow(platform: WorkflowPlatform, context: Context, id: string): Promise<DeadLetterRow> {
  const row = isId(id) ? await findDeadLetter(await dbOf(platform, context), id) : undefined;
  if (row === undefined) throw noDeadLetter(id);
  return row;
}

function noDeadLetter(id: string): NotFoundError {
  return new NotFoundError(`There is no dead-letter job '${id}'`, { id: 'WORKFLOW_NO_DEAD_LETTER' });
}
