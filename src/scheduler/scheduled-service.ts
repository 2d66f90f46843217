import { didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { Context } from '#resource/index.ts';
import { withoutAnchor } from './next-firing.ts';
import { type ScheduleDefinition, shortServiceName } from './schedule.ts';

/** What an invoked service is told. Times are epoch ms. */
export interface Scheduled {
  readonly jobId: string;
  /** `Scheduled <jobId>-<scheduled time>`. */
  readonly invokerName: string;
  readonly invokeService: string;
  readonly invokeContext: JsonValue;
  readonly invokeLogLevel: ScheduleDefinition['invokeLogLevel'];
  readonly scheduledFireTime: number;
  readonly actualFireTime: number;
  readonly nextFireTime: number | null;
  /** Names the run; the same when it runs again after a failure of its node. */
  readonly runId: string;
  readonly definition: ScheduleDefinition;
  /** Keeps a line for the ledger. */
  readonly log: (level: string, message: string) => void;
}

/** Something a schedule can invoke, registered under the short name of `invokeService`. */
export interface ScheduledService {
  readonly invokeService: string;
  /** Needs a script thread. */
  readonly runsScripts: boolean;
  /** Refuses a schedule that could never run. @throws BadRequestError with the key that is missing or malformed */
  check?(invokeContext: JsonValue): void;
  /** Its effects go through the context's unit of work, and are committed together with the firing's completion. */
  execute(context: Context, scheduled: Scheduled): Promise<void>;
}

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
