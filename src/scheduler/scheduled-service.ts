import { didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { Context } from '#resource/index.ts';
import { type ScheduleDefinition, shortServiceName } from './schedule.ts';

/** What an invoked service is told. Times are epoch ms. */
export interface Scheduled {
  readonly jobId: string;
  /** `Scheduled <jobId>-<scheduled time>`. */
  readonly invokerName: string;
  readonly invokeContext: JsonValue;
  readonly invokeLogLevel: ScheduleDefinition['invokeLogLevel'];
  readonly scheduledFireTime: number;
  readonly actualFireTime: number;
  readonly nextFireTime: number | null;
  /** Names the run; the same when it runs again after a failure of its node. */
  readonly runId: string;
  /** Keeps a line for the ledger. */
  readonly log: (level: string, message: string) => void;
}

/** Something a schedule can invoke, registered under the short name of `invokeService`. */
export interface ScheduledService {
  readonly invokeService: string;
  /** Needs a script thread. */
  readonly runsScripts: boolean;
  /** Its effects go through the context's unit of work, and are committed together with the firing's completion. */
  execute(context: Context, scheduled: Scheduled): Promise<void>;
}

export class ScheduledServices {
  readonly #services = new Map<string, ScheduledService>();

  register(service: ScheduledService): void {
    this.#services.set(service.invokeService, service);
  }

  find(invokeService: string): ScheduledService | undefined {
    return this.#services.get(shortServiceName(invokeService));
  }

  /** @throws NotFoundError with the names there are */
  get(invokeService: string): ScheduledService {
    const service = this.find(invokeService);
    if (service !== undefined) return service;
    const names = [...this.#services.keys()];
    const short = shortServiceName(invokeService);
    throw new NotFoundError(`No scheduled service is called '${short}'`, {
      id: 'SCHED_NO_SERVICE',
      hint: didYouMean(short, names) ?? `There are ${names.join(', ')}`,
    });
  }
}
