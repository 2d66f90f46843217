import type { Db } from '#database/index.ts';
import { ForbiddenError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { asJson } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  type CollectionProvider,
  type Context,
  NO_BODY,
  questionReaderOf,
  type Request,
  type Resource,
  readerOf,
  resource,
} from '#resource/index.ts';
import { undeploy } from '../deployment/undeploy.ts';
import { describeStartForm, findTemplate } from '../form/index.ts';
import { isOrdinary } from '../identity/sender.ts';
import { MIGRATION_PLAN, planMigration } from '../instance/plan-migration.ts';
import { SUSPENDED, suspendDefinition } from '../instance/suspension.ts';
import { answerPage } from '../query/answer-page.ts';
import { asksFor, asksForDiagram, keepAllFields, SVG, wantedAs } from '../query/fields.ts';
import { queryKind } from '../query/query-kind.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { COMPARISON, compareDefinitions } from './compare-definitions.ts';
import { definitionDiagram, definitionSvg } from './definition-diagram.ts';
import { listDefinitions } from './definition-listing-repository.ts';
import { type DefinitionRow, findDefinition, findResource } from './definition-repository.ts';
import { viewDefinition, viewStarters } from './definition-view.ts';
import { unknownDefinition } from './definitions.ts';
import { elementStatistics, STATISTICS } from './statistics.ts';

/** `/workflow/processdefinition`: all versions of all processes. */
export function definitionResource(platform: WorkflowPlatform): CollectionProvider {
  return {
    description: { title: 'Process definition', query: '_queryId=query-all-ids' },
    async query(context, request) {
      const kind = queryKind(request);
      const page = await listDefinitions(await questionReaderOf(platform, context), request, kind);
      return answerPage(page, (row) => resource(row.id, String(row.revision), viewDefinition(row)));
    },
    async read(context, request, id) {
      return read(platform, context, request, id);
    },
    async delete(context, request, id) {
      const answer = await read(platform, context, request, id);
      const { deploymentId } = viewDefinition(await getRow(platform, context, id));
      const { unitOfWork } = context;
      await undeploy(platform, unitOfWork, Number(deploymentId));
      unitOfWork.record({
        resource: `workflow/processdefinition/${id}`,
        operation: 'delete',
        before: answer.content,
        after: null,
      });
      return answer;
    },
    instanceActions: new ActionTable<[id: string]>({
      suspend: {
        does: 'Has all its instances stand still, and nobody start it, until it is activated',
        takes: NO_BODY,
        answers: SUSPENDED,
        async run(context, _request, id) {
          await getRow(platform, context, id);
          return suspendDefinition(platform, context, id, true);
        },
      },
      activate: {
        does: 'Has its instances go on, with all that has come due meanwhile',
        takes: NO_BODY,
        answers: SUSPENDED,
        async run(context, _request, id) {
          await getRow(platform, context, id);
          return suspendDefinition(platform, context, id, false);
        },
      },
      planMigration: {
        does: 'Which of its instances (`queryFilter`) can go on by the version `to`, and what stands in the way of others',
        takes: MIGRATION_PLAN,
        answers: { type: 'object' },
        async run(context, { content }, id) {
          await getRow(platform, context, id);
          return actionResult(await planMigration(platform, context, id, content));
        },
      },
      compare: {
        does: 'Which elements the version `to` has more, has not, or has otherwise',
        takes: COMPARISON,
        answers: { type: 'object' },
        async run(context, { content }, id) {
          await getRow(platform, context, id);
          return actionResult(await compareDefinitions(platform, context, id, content));
        },
      },
      statistics: {
        does: 'What goes on at each element now, and what went on `from` … `to`: counts and durations',
        takes: STATISTICS,
        answers: { type: 'object' },
        async run(context, { content }, id) {
          await getRow(platform, context, id);
          const definition = await platform.definitions.get(await readerOf(platform, context), id);
          return actionResult(await elementStatistics(platform, context, definition, content));
        },
      },
    }),
  };
}

async function getRow(platform: WorkflowPlatform, context: Context, id: string): Promise<DefinitionRow> {
  const row = await findDefinition(await readerOf(platform, context), id);
  if (row === undefined) throw unknownDefinition(id);
  return row;
}

async function read(
  platform: WorkflowPlatform,
  context: Context,
  request: Request,
  id: string,
): Promise<Resource> {
  const db = await readerOf(platform, context);
  const row = await getRow(platform, context, id);
  if (wantedAs(request) === 'application/xml' && request.fields.length === 0) {
    const answer = resource(row.id, String(row.revision), await xmlOf(context, db, row));
    return { ...answer, fieldsSelected: true };
  }
  const definition = await platform.definitions.get(db, id);
  const { formKey, formProperties } = describeStartForm(definition.process);
  const content: JsonObject = {
    ...viewDefinition(row),
    ...viewStarters(definition.process),
    formProperties: asJson(formProperties),
  };
  if (formKey !== null) {
    const bytes = await findResource(db, row.deployment_id, formKey);
    content['formResourceKey'] = formKey;
    content['formGenerationTemplate'] = findTemplate(
      formKey,
      new Map(bytes === undefined ? [] : [[formKey, bytes]]),
    );
  }
  if (asksForDiagram(request)) {
    const isSvg = wantedAs(request) === SVG;
    const diagram = isSvg
      ? await definitionSvg(platform, definition)
      : await definitionDiagram(platform, db, definition);
    if (diagram !== undefined) content['diagram'] = diagram;
  }
  if (asksFor(request, 'xml')) Object.assign(content, await xmlOf(context, db, row));
  if (asksFor(request, 'diagramSvg')) {
    const svg = await definitionSvg(platform, definition);
    if (svg !== undefined) content['diagramSvg'] = svg;
  }
  return keepAllFields(request, resource(row.id, String(row.revision), content));
}

/** The bytes of the file, in base64 as pictures are, so that `_mimeType` gives them as they were deployed. */
async function xmlOf(
  context: Context,
  db: Db,
  { deployment_id, resource_name }: DefinitionRow,
): Promise<JsonObject> {
  if (isOrdinary(context)) throw onlyForAdministrators();
  const bytes = await findResource(db, deployment_id, resource_name);
  return bytes === undefined ? {} : { xml: bytes.toString('base64') };
}

/** Scripts say more than those who may start a process are to know. */
function onlyForAdministrators(): ForbiddenError {
  return new ForbiddenError('Access denied', {
    id: 'ACCESS_DENIED',
    hint: 'Only administrators are shown process files',
  });
}
