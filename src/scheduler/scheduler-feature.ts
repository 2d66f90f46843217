import { join } from 'node:path';
import { clusterConfig, scheduleConfig, schedulerConfig } from '#config/index.ts';
import { type Feature, type Platform, shortServiceName, WAKE_UP } from '#platform/index.ts';
import { jobActions } from './job-actions.ts';
import { KeptSchedules, type SchedulerPlatform } from './schedule/kept-schedules.ts';
import { planSchedule } from './schedule/plan-schedule.ts';
import { contextSeals } from './schedule/sealed-context.ts';
import { type SchedulerParts, schedulerNode } from './scheduler-node.ts';
import { scheduleSecrets } from './scheduler-settings.ts';
import { CustomServices } from './service/custom-service.ts';
import { findMissingService, type OfferedServices } from './service/missing-service.ts';
import type { ScheduledServices } from './service/scheduled-service.ts';
import { SCHEDULE_USE, scriptScheduledService } from './service/script-scheduled-service.ts';
import { firingResource } from './view/firing-resource.ts';
import { jobResource } from './view/job-resource.ts';
import { schedulerResource } from './view/scheduler-resource.ts';
import { triggerListResource, triggerResource } from './view/trigger-resource.ts';

export interface SchedulerOptions {
  /** All that schedules can invoke, those of other features too. */
  readonly services: ScheduledServices;
  /** Where the project's own scheduled services are; only where they may run. */
  readonly serviceDirectory: string | undefined;
  /** Whether the file of a schedule is what is in force. */
  readonly isCurrent: SchedulerParts['isCurrent'];
}

/** `/scheduler`: schedules, what fires them, and what they fire. */
export function schedulerFeature(platform: Platform, options: SchedulerOptions): Feature {
  const { database, config, clock, crypto, notifier, router, observe, scripts } = platform;
  const { services, serviceDirectory } = options;
  if (serviceDirectory !== undefined)
    services.addSource(new CustomServices(serviceDirectory, router, observe));
  const ownServices = join(config.locations.projectLocation, 'service');
  const jobs: SchedulerPlatform = {
    database,
    clock,
    dst: () => config.get(schedulerConfig).dst,
    secrets: () => scheduleSecrets(config),
    seals: contextSeals(crypto),
    nodeName: config.get(clusterConfig).instanceId,
    maySeeScripts: (context) => router.maySeeScripts(context),
    requireScriptRight: (context, field) => router.requireScriptRight(context, field),
    services,
    check: (invokeService, invokeContext) => services.check(invokeService, invokeContext),
    doubts: (invokeService) =>
      services.find(invokeService) === undefined
        ? serviceDoubts(invokeService, { services: services.list(), serviceDirectory: ownServices })
        : [],
    wake: notifier.wake(WAKE_UP.scheduler),
  };
  const schedules = new KeptSchedules(jobs);
  config.addPlanner(scheduleConfig, {
    effectsOf: (change) => planSchedule(change, clock.now(), jobs.dst()),
  });
  const actions = jobActions(jobs, schedules);
  return {
    services: [scriptScheduledService(scripts)],
    resources: {
      'scheduler*': schedulerResource(actions.collectionActions.names),
      'scheduler/job*': jobResource(jobs, schedules, actions),
      'scheduler/firing*': firingResource(database, clock),
      'scheduler/trigger*': triggerResource(database),
      'scheduler/waitingTriggers': triggerListResource(database, 'waitingTriggers'),
      'scheduler/acquiredTriggers': triggerListResource(database, 'acquiredTriggers'),
      'repo/scheduler/triggers*': triggerResource(database),
    },
    scriptUses: { schedule: SCHEDULE_USE },
    node: (node) => schedulerNode({ platform, services, isCurrent: options.isCurrent }, node),
  };
}

function serviceDoubts(invokeService: string, offered: OfferedServices): readonly string[] {
  const missing = findMissingService(invokeService, offered);
  if (missing === undefined) return [];
  const name = shortServiceName(invokeService);
  return [`No run will find the service '${name}': ${missing.why}. ${missing.hint ?? ''}`.trim()];
}
