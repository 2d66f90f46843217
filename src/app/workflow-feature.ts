import { scriptConfig, workflowConfig } from '#config/index.ts';
import type { Destination, Network } from '#egress/index.ts';
import type { JsonObject } from '#json/index.ts';
import { nextFireTime, parseCron } from '#scheduler/index.ts';
import { getTimeZone } from '#time/index.ts';
import {
  Definitions,
  DiagramPainter,
  MailQueue,
  mailGuard,
  mountWorkflow,
  noDelegates,
  ProjectDelegates,
  processGuard,
  readMailSettings,
  readWorkflowSettings,
  WORKFLOW_QUEUE,
  type WorkflowPlatform,
  workflowJobs,
} from '#workflow/index.ts';
import { cronMistake } from './check-processes.ts';
import type { Platform } from './platform.ts';

/** Units of work with jobs of processes that one node runs at once. */
const CONCURRENCY = 16;
/** Jobs of different instances in one of them, when many are due. */
const TOGETHER = 32;

/** `/workflow`, and what is done with the jobs of processes. */
export function addWorkflow(
  platform: Platform,
  options: {
    /** Where the project's own delegates are; only where they may run. */
    readonly serviceDirectory?: string;
    /** Where processes may connect to besides public addresses. */
    readonly allowedNetworks: readonly Network[];
    /** Where they may connect to at all; undefined: wherever an address is open. */
    readonly onlyDestinations?: readonly Destination[] | undefined;
  },
): WorkflowPlatform {
  const { database, config, clock, crypto, router, observe, queue, scripts } = platform;
  const allowed = () => [...options.allowedNetworks, ...config.get(workflowConfig).http.allow];
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
    crypto,
    painter: new DiagramPainter(),
    delegates:
      options.serviceDirectory === undefined
        ? noDelegates
        : new ProjectDelegates(options.serviceDirectory, observe),
    mail: new MailQueue(
      queue,
      () => readMailSettings(config.get(workflowConfig), crypto),
      (port) => mailGuard(port, allowed(), options.onlyDestinations),
      observe,
    ),
    addressGuard: () => processGuard(allowed(), options.onlyDestinations),
    scriptProperties: () => config.get(scriptConfig).properties as JsonObject,
    getProperty: (name) => config.properties.get(name),
    settings: () => readWorkflowSettings(config.get(workflowConfig)),
  };
  queue.work(WORKFLOW_QUEUE, workflowJobs(workflow), {
    concurrency: CONCURRENCY,
    together: TOGETHER,
    runsScripts: true,
  });
  mountWorkflow(router, workflow);
  return workflow;
}
