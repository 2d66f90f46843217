import { BadRequestError } from '#errors/index.ts';
import { asJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  bodyOf,
  type CollectionProvider,
  listMember,
  textMember,
  type WriteContext,
} from '#resource/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { type DeploymentFile, deploy } from './deploy.ts';
import { passedOver, readResources } from './deployment-file.ts';
import { rehearseProcess } from './rehearse-process.ts';

/**
 * `/workflow/deployment`: the action `deploy` takes a file as `{ name, content }`, with the text of a process file or
 * an archive in base64, and answers with the definitions and what their author should know. The watched directory
 * goes the same way. A dry run says what would come of it. With `replaces`, the definition that the file was made from, it
 * is refused when somebody has deployed another version meanwhile. The action `rehearse` walks through a file.
 */
export function deploymentResource(platform: WorkflowPlatform): CollectionProvider {
  return {
    description: { title: 'Deployment' },
    collectionActions: new ActionTable({
      deploy: {
        does: 'Deploys a process file, or an archive of them: its `name` and its `content`',
        takes: bodyOf(FILE, 'name', 'content'),
        answers: bodyOf(
          {
            deploymentId: { type: ['string', 'null'] },
            unchanged: { type: 'boolean' },
            definitions: listMember(
              bodyOf({ _id: { type: 'string' }, findings: listMember({ type: 'object' }) }),
            ),
          },
          'deploymentId',
          'unchanged',
          'definitions',
        ),
        // Scripts are compiled, so that mistakes show now and not when a process comes to them.
        runsScripts: true,
        async run(context, request) {
          const { unitOfWork } = context;
          const compares = context.rehearsed === true;
          const file = await fileOf(platform, context, request.content);
          const deployed = await deploy(platform, unitOfWork, file, { compares });
          // A deployment is told of by its answer; who rehearses it looks among the changes.
          for (const { id, version, findings, replaces = null } of compares
            ? (deployed?.definitions ?? [])
            : []) {
            unitOfWork.record({
              resource: `workflow/processdefinition/${id}`,
              operation: 'create',
              before: null,
              after: { _id: id, version, resourceName: file.name, findings: asJson(findings), replaces },
            });
          }
          return actionResult({
            deploymentId: deployed === undefined ? null : String(deployed.deploymentId),
            unchanged: deployed === undefined,
            definitions: (deployed?.definitions ?? []).map(({ id, findings }) => ({
              _id: id,
              findings: asJson(findings),
            })),
          });
        },
      },
      rehearse: {
        does:
          'Walks through a process file as a rehearsal (`_dryRun=true`): an instance of `key` is started with `variables`, and ' +
          'what waits at an element of `answers` is answered with the variables that stand there',
        takes: bodyOf(
          {
            ...FILE,
            key: textMember('Of the process'),
            variables: { type: ['object', 'null'] },
            answers: { type: ['object', 'null'], description: 'Variables by the ids of elements' },
          },
          'name',
          'content',
          'key',
        ),
        answers: { type: 'object' },
        runsScripts: true,
        async run(context, request) {
          const content = isObject(request.content) ? request.content : {};
          const file = await fileOf(platform, context, request.content);
          return actionResult(await rehearseProcess(platform, context, file, content));
        },
      },
    }),
  };
}

const FILE: JsonObject = {
  name: textMember('Such as onboarding.bpmn20.xml, or that of an archive'),
  content: textMember('Its text, or the Base64 of its bytes'),
  encoding: textMember('base64, where it is that'),
  origin: textMember('Where it comes from'),
  replaces: { type: ['string', 'null'], description: 'The definition that it was made from' },
};

async function fileOf(
  platform: WorkflowPlatform,
  context: WriteContext,
  content: JsonValue,
): Promise<DeploymentFile> {
  const { bytes, ...file } = readFile(content);
  const { name } = file;
  const resources = await readResources(name, bytes);
  // A process is code from end to end: expressions, listeners, scripts, calls.
  const admit = () => platform.resources.requireScriptRight(context, '/content');
  if (resources !== undefined) return { ...file, resources, admit };
  const hint = passedOver(name, bytes)?.hint;
  throw new BadRequestError(`'${name}' is no process file`, {
    id: 'WORKFLOW_NO_PROCESS',
    field: '/content',
    ...(hint === undefined ? {} : { hint }),
  });
}

function readFile(content: JsonValue): Pick<DeploymentFile, 'name' | 'origin' | 'isNews' | 'replaces'> & {
  readonly bytes: Buffer;
} {
  const { name, content: text, encoding, origin, isNews, replaces } = isObject(content) ? content : {};
  if (typeof name !== 'string' || name === '' || typeof text !== 'string') {
    throw new BadRequestError("The action 'deploy' needs the name and the content of a file", {
      id: 'WORKFLOW_BAD_FIELD',
      field: typeof name === 'string' ? '/content' : '/name',
    });
  }
  if (replaces !== undefined && replaces !== null && typeof replaces !== 'string') {
    throw new BadRequestError(`replaces is ${JSON.stringify(replaces)}, which is no id of a definition`, {
      id: 'WORKFLOW_BAD_FIELD',
      field: '/replaces',
      hint: 'The definition that the file was made from; null for a process that is new',
    });
  }
  const isBase64 = encoding === 'base64' || name.toLowerCase().endsWith('.bar');
  return {
    name,
    origin: typeof origin === 'string' ? origin : null,
    isNews: isNews !== false,
    ...(replaces === undefined ? {} : { replaces }),
    bytes: Buffer.from(text, isBase64 ? 'base64' : 'utf8'),
  };
}
