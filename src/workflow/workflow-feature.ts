import { scriptConfig, workflowConfig } from '#config/index.ts';
import type { Destination, Network } from '#egress/index.ts';
import { type Feature, type Platform, WAKE_UP } from '#platform/index.ts';
import { Definitions } from './definition/definitions.ts';
import { noDelegates, ProjectDelegates } from './delegate/project-delegates.ts';
import { DiagramPainter } from './diagram/index.ts';
import { processGuard } from './http/index.ts';
import { WORKFLOW_QUEUE } from './job/enqueue-job.ts';
import { RunEnded } from './job/run-ended.ts';
import { workflowJobs } from './job/run-workflow-job.ts';
import { MailQueue, mailGuard } from './mail/index.ts';
import { PROCESS_USES } from './script/script-calls.ts';
import { workflowNode } from './workflow-node.ts';
import type { WorkflowPlatform } from './workflow-platform.ts';
import { workflowResources } from './workflow-resources.ts';
import { openMailSettings, requireEngine } from './workflow-settings.ts';

/** Units of work with jobs of processes that one node runs at once. */
const CONCURRENCY = 16;
/** Jobs of different instances in one of them, when many are due. */
const TOGETHER = 32;

export interface WorkflowOptions {
  /** Where the project's own delegates are; only where they may run. */
  readonly serviceDirectory: string | undefined;
  /** Where processes may connect to besides public addresses. */
  readonly allowedNetworks: readonly Network[];
  /** Where they may connect to at all; undefined: wherever an address is open. */
  readonly onlyDestinations: readonly Destination[] | undefined;
}

/** `/workflow`, and what is done with the jobs of processes. */
export function workflowFeature(
  platform: Platform,
  options: WorkflowOptions,
): Feature & { readonly workflow: WorkflowPlatform } {
  const { database, config, clock, crypto, router, observe, queue, scripts, notifier } = platform;
  const allowed = () => [...options.allowedNetworks, ...config.get(workflowConfig).http.allow];
  const workflow: WorkflowPlatform = {
    database,
    resources: router,
    scripts,
    observe,
    queue,
    runEnded: new RunEnded(() => notifier.notify(WAKE_UP.workflow)),
    now: () => Math.floor(clock.now()),
    definitions: new Definitions(),
    crypto,
    painter: new DiagramPainter(),
    delegates:
      options.serviceDirectory === undefined
        ? noDelegates
        : new ProjectDelegates(options.serviceDirectory, observe),
    mail: new MailQueue(
      queue,
      () => openMailSettings(config.get(workflowConfig), crypto),
      (port) => mailGuard(port, allowed(), options.onlyDestinations),
      observe,
    ),
    addressGuard: () => processGuard(allowed(), options.onlyDestinations),
    scriptProperties: () => config.get(scriptConfig).properties,
    furtherName: config.properties.compat?.name,
    getProperty: (name) => config.properties.get(name),
    settings: () => requireEngine(config.get(workflowConfig)),
  };
  queue.work(WORKFLOW_QUEUE, workflowJobs(workflow), {
    concurrency: CONCURRENCY,
    together: TOGETHER,
    runsScripts: true,
  });
  return {
    workflow,
    scriptUses: PROCESS_USES,
    resources: workflowResources(workflow, router),
    node: (node) => workflowNode(platform, workflow, node),
  };
}
