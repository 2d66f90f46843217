import { type Settings, workflowConfig } from '#config/index.ts';
import { Connection, passing, systemContext } from '#resource/index.ts';
import type { ScriptThreads } from '#script/index.ts';
import { DeploymentAgent, historyKeeper, workflowDirectory, workflowInactive } from '#workflow/index.ts';
import type { Core } from './core.ts';
import type { NodePart } from './node-part.ts';
import { inRightThread } from './right-thread.ts';

/** Follows the directory of process files. */
export function workflowNode(
  { config, workflow, router }: Core,
  threads: ScriptThreads,
  { projectLocation }: Settings,
  intervalMs?: number,
): NodePart {
  const current = () => config.get(workflowConfig);
  const agent = new DeploymentAgent({
    platform: workflow,
    connection: new Connection(
      { handle: passing([inRightThread(router, threads)], router.handle) },
      systemContext(),
    ),
    directory: () => workflowDirectory(current(), projectLocation),
    ...(intervalMs === undefined ? {} : { intervalMs }),
  });
  return {
    services: [agent, historyKeeper(workflow, () => current().historyKeepDays)],
    health: () => {
      const detail = workflowInactive(current());
      return [{ name: 'workflow', ok: detail === undefined, ...(detail === undefined ? {} : { detail }) }];
    },
  };
}
