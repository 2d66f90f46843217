import { workflowConfig } from '#config/index.ts';
import { inRightThread, type NodeGround, type NodePart, type Platform, WAKE_UP } from '#platform/index.ts';
import { Connection, passing, systemContext } from '#resource/index.ts';
import { DeploymentAgent } from './deployment/deployment-agent.ts';
import { historyKeeper } from './history/history-keeper-agent.ts';
import type { WorkflowPlatform } from './workflow-platform.ts';
import { workflowDirectory, workflowInactive } from './workflow-settings.ts';

/** Follows the directory of process files, and forgets what has ended long ago. */
export function workflowNode(
  { config, router }: Platform,
  workflow: WorkflowPlatform,
  { threads, settings: { projectLocation }, deploymentIntervalMs: intervalMs }: NodeGround,
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
    onWakeUp: { [WAKE_UP.workflow]: () => workflow.runEnded.wake() },
    health: () => {
      const detail = workflowInactive(current());
      return [{ name: 'workflow', ok: detail === undefined, ...(detail === undefined ? {} : { detail }) }];
    },
  };
}
