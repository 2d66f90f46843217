import { collection, type RouteHandler, type Router, singleton } from '#resource/index.ts';
import { definitionResource } from './definition/definition-resource.ts';
import { taskDefinitionResource } from './definition/task-definition-resource.ts';
import { deploymentResource } from './deployment/deployment-resource.ts';
import { messageResource, signalResource } from './instance/event-resource.ts';
import { instanceResource } from './instance/instance-resource.ts';
import { deadLetterResource } from './job/dead-letter-resource.ts';
import { taskHistoryResource, taskResource } from './task/task-resource.ts';
import type { WorkflowPlatform } from './workflow-platform.ts';

/** Mounts all that is below `/workflow`. */
export function mountWorkflow(router: Router, platform: WorkflowPlatform): void {
  const mount = (path: string, handler: RouteHandler) => router.mount(path, whileActive(platform, handler));
  mount('workflow/processdefinition*', collection(definitionResource(platform)));
  mount('workflow/processdefinition/{procdefid}/taskdefinition*', taskDefinitionResource(platform));
  mount('workflow/processinstance*', collection(instanceResource(platform, false)));
  mount('workflow/processinstance/history*', collection(instanceResource(platform, true)));
  mount('workflow/taskinstance*', collection(taskResource(platform)));
  mount('workflow/taskinstance/history*', collection(taskHistoryResource(platform)));
  mount('workflow/message', singleton(messageResource(platform)));
  mount('workflow/signal', singleton(signalResource(platform)));
  mount('workflow/deployment*', collection(deploymentResource(platform)));
  mount('workflow/job/deadletter*', collection(deadLetterResource(platform)));
  // While there is no engine, that answers for paths that lead nowhere as well.
  mount('workflow/{other}*', {
    handle: async (_context, request) => {
      throw router.unknown(request);
    },
  });
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
