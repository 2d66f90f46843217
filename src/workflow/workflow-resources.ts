import { collection, type RouteHandler, type Router, singleton } from '#resource/index.ts';
import { definitionResource } from './definition/definition-resource.ts';
import { taskDefinitionResource } from './definition/task-definition-resource.ts';
import { deploymentResource } from './deployment/deployment-resource.ts';
import { startFormResource, taskFormResource } from './form-resource.ts';
import { restResource } from './http/rest-resource.ts';
import { requestResource } from './inbox/request-resource.ts';
import { messageResource, signalResource } from './instance/event-resource.ts';
import { instanceResource } from './instance/instance-resource.ts';
import { deadLetterResource } from './job/dead-letter-resource.ts';
import { jobResource } from './job/job-resource.ts';
import { emailResource } from './mail/email-resource.ts';
import { taskHistoryResource, taskResource } from './task/task-resource.ts';
import type { WorkflowPlatform } from './workflow-platform.ts';

/** All that is below `/workflow`, the forms below `/schema` and the requests of callers, by path. */
export function workflowResources(
  platform: WorkflowPlatform,
  router: Pick<Router, 'unknown' | 'admit' | 'admitRead' | 'handle' | 'judgesAnswer' | 'judgesByScript'>,
): Readonly<Record<string, RouteHandler>> {
  const handlers: Readonly<Record<string, RouteHandler>> = {
    'processdefinition*': collection(definitionResource(platform)),
    'processdefinition/{procdefid}/taskdefinition*': taskDefinitionResource(platform),
    'processinstance*': collection(instanceResource(platform, false)),
    'processinstance/history*': collection(instanceResource(platform, true)),
    'taskinstance*': collection(taskResource(platform, router)),
    'taskinstance/history*': collection(taskHistoryResource(platform)),
    message: singleton(messageResource(platform)),
    signal: singleton(signalResource(platform)),
    'deployment*': collection(deploymentResource(platform)),
    'job*': collection(jobResource(platform)),
    'job/deadletter*': collection(deadLetterResource(platform, router)),
    // While there is no engine, that answers for paths that lead nowhere as well.
    '{other}*': {
      handle: async (_context, request) => {
        throw router.unknown(request);
      },
    },
  };
  const elsewhere: Readonly<Record<string, RouteHandler>> = {
    'schema/process*': startFormResource(platform, router),
    'schema/task*': taskFormResource(platform, router),
    'endpoint/myrequests*': collection(requestResource(platform)),
  };
  // They need no engine.
  const external: Readonly<Record<string, RouteHandler>> = {
    'external/email': singleton(emailResource(platform)),
    'external/rest': singleton(restResource(platform)),
  };
  const ofEngine = Object.fromEntries(
    [
      ...Object.entries(handlers).map(([path, handler]) => [`workflow/${path}`, handler] as const),
      ...Object.entries(elsewhere),
    ].map(([path, handler]) => [path, whileActive(platform, handler)]),
  );
  return { ...ofEngine, ...external };
}

/** Answers what keeps workflow from being active instead of letting anything in. */
function whileActive(platform: WorkflowPlatform, handler: RouteHandler): RouteHandler {
  return {
    ...handler,
    async handle(context, request, match) {
      platform.settings();
      return handler.handle(context, request, match);
    },
  };
}
