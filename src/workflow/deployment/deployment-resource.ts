import { BadRequestError } from '#errors/index.ts';
import { asJson, isObject, type JsonValue } from '#json/index.ts';
import { ActionTable, actionResult, type CollectionProvider } from '#resource/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { deploy } from './deploy.ts';
import { passedOver, readResources } from './deployment-file.ts';

/**
 * `/workflow/deployment`: the action `deploy` takes a file as `{ name, content }`, with the text of a process file or
 * an archive in base64, and answers with the definitions and what their author should know. The watched directory
 * goes the same way. A dry run says what would come of it.
 */
export function deploymentResource(platform: WorkflowPlatform): CollectionProvider {
  return {
    description: { title: 'Deployment' },
    collectionActions: new ActionTable({
      deploy: {
        does: 'Deploys a process file, or an archive of them: its `name` and its `content`',
        // Scripts are compiled, so that mistakes show now and not when a process comes to them.
        runsScripts: true,
        async run(context, request) {
          const { name, origin, isNews, bytes } = readFile(request.content);
          const resources = await readResources(name, bytes);
          if (resources === undefined) {
            const hint = passedOver(name, bytes)?.hint;
            throw new BadRequestError(`'${name}' is no process file`, {
              id: 'WORKFLOW_NO_PROCESS',
              field: '/content',
              ...(hint === undefined ? {} : { hint }),
            });
          }
          const { unitOfWork } = context;
          // A process is code from end to end: expressions, listeners, scripts, calls.
          const admit = () => platform.resources.requireScriptRight(context, '/content');
          const compares = context.rehearsed === true;
          const file = { name, resources, origin, isNews, admit };
          const deployed = await deploy(platform, unitOfWork, file, { compares });
          // A deployment is told of by its answer; who rehearses it looks among the changes.
          for (const { id, version, findings, replaces = null } of compares
            ? (deployed?.definitions ?? [])
            : []) {
            unitOfWork.record({
              resource: `workflow/processdefinition/${id}`,
              operation: 'create',
              before: null,
              after: { _id: id, version, resourceName: name, findings: asJson(findings), replaces },
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
    }),
  };
}

function readFile(content: JsonValue): {
  name: string;
  origin: string | null;
  isNews: boolean;
  bytes: Buffer;
} {
  const { name, content: text, encoding, origin, isNews } = isObject(content) ? content : {};
  if (typeof name !== 'string' || name === '' || typeof text !== 'string') {
    throw new BadRequestError("The action 'deploy' needs the name and the content of a file", {
      id: 'WORKFLOW_BAD_FIELD',
      field: typeof name === 'string' ? '/content' : '/name',
    });
  }
  const isBase64 = encoding === 'base64' || name.toLowerCase().endsWith('.bar');
  return {
    name,
    origin: typeof origin === 'string' ? origin : null,
    isNews: isNews !== false,
    bytes: Buffer.from(text, isBase64 ? 'base64' : 'utf8'),
  };
}
