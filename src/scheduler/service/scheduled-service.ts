import { didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { ScheduledRun, ScheduledService as ServiceOf } from '#platform/index.ts';
import { shortServiceName } from '#platform/index.ts';
import { withoutAnchor } from '../schedule/next-firing.ts';
import type { ScheduleDefinition } from '../schedule/schedule.ts';

/** What an invoked service is told, and how the schedule was declared. */
export interface Scheduled extends ScheduledRun {
  readonly definition: ScheduleDefinition;
  readonly invokeLogLevel: ScheduleDefinition['invokeLogLevel'];
}

/** A service as a schedule invokes it. */
export type ScheduledService = ServiceOf<Scheduled>;

/** Services that are found when they are asked for, as those in files of the project are. */
export interface ServiceSource {
  find(shortName: string): Promise<ScheduledService | undefined>;
  names(): readonly string[];
}

export class ScheduledServices {
  readonly #services = new Map<string, ScheduledService>();
  #source: ServiceSource | undefined;

  register(service: ScheduledService): void {
    this.#services.set(service.invokeService, service);
  }

  /** What is registered. */
  list(): Iterable<ScheduledService> {
    return this.#services.values();
  }

  /** Further services, asked for what is not registered. */
  addSource(source: ServiceSource): void {
    this.#source = source;
  }

  find(invokeService: string): ScheduledService | undefined {
    return this.#services.get(shortServiceName(invokeService));
  }

  /** Asks the service what is wrong with a schedule that invokes it. @throws BadRequestError */
  check(invokeService: string, invokeContext: JsonValue): void {
    this.find(invokeService)?.check?.(invokeContext);
  }

  /** @throws NotFoundError with the names there are */
  async get(invokeService: string): Promise<ScheduledService> {
    const short = shortServiceName(invokeService);
    const service = this.find(invokeService) ?? (await this.#source?.find(short));
    if (service !== undefined) return service;
    const names = [...this.#services.keys(), ...(this.#source?.names() ?? [])];
    throw new NotFoundError(`No scheduled service is called '${short}'`, {
      id: 'SCHED_NO_SERVICE',
      hint: didYouMean(short, names) ?? `There are ${names.join(', ')}`,
    });
  }
}

/** The keys under which a service of the field finds what it is told. */
export function scheduledKeys(scheduled: Scheduled): Record<string, JsonValue> {
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    'scheduler.config-name': `scheduler-${scheduled.jobId}`,
    'scheduler.invokeService': scheduled.invokeService,
    'scheduler.invokeContext': scheduled.invokeContext,
    'scheduler.invokeLogLevel': scheduled.invokeLogLevel,
    'scheduler.invoker-name': scheduled.invokerName,
    'scheduler.scheduled-fire-time': iso(scheduled.scheduledFireTime),
    'scheduler.actual-fire-time': iso(scheduled.actualFireTime),
    'scheduler.next-fire-time': iso(scheduled.nextFireTime),
    'schedule.config': JSON.stringify(withoutAnchor(scheduled.definition)),
  };
}
