import { workflowConfig } from '#config/index.ts';
import { nextFireTime, parseCron } from '#scheduler/index.ts';
import { getTimeZone } from '#time/index.ts';
import {
  Definitions,
  mountWorkflow,
  readWorkflowSettings,
  WORKFLOW_QUEUE,
  type WorkflowPlatform,
  workflowJobs,
} from '#workflow/index.ts';
import type { Platform } from './platform.ts';

/** Jobs of processes that one node runs at once. */
const CONCURRENCY = 16;

/** `/workflow`, and what is done with the jobs of processes. */
export function addWorkflow(platform: Platform): WorkflowPlatform {
  const { database, config, clock, router, observe, queue, scripts } = platform;
  const workflow: WorkflowPlatform = {
    database,
    resources: router,
    scripts,
    observe,
    queue,
    now: () => Math.floor(clock.now()),
    definitions: new Definitions(),
    cron: {
      next: (text, after) => nextFireTime(parseCron(text), after, getTimeZone('UTC')) ?? undefined,
      check: cronMistake,
    },
    checks: {},
    settings: () => readWorkflowSettings(config.get(workflowConfig)),
  };
  queue.work(WORKFLOW_QUEUE, workflowJobs(workflow), { concurrency: CONCURRENCY, runsScripts: true });
  mountWorkflow(router, workflow);
  return workflow;
}

function cronMistake(text: string): string | undefined {
  try {
    parseCron(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
