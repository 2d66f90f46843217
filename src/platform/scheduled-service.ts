import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Context, WriteContext } from '#resource/index.ts';

/** What a short `invokeService` is stored with. */
const SERVICE_PREFIX = 'svc.service.';
/** What servers of the field store a short name with, and show when a schedule is read back. */
const FIELD_PREFIX = /^org\.forgerock\.\w+\.(\w+)$/;

/** What an invoked service is told. Times are epoch ms. */
export interface ScheduledRun {
  readonly jobId: string;
  /** `Scheduled <jobId>-<scheduled time>`. */
  readonly invokerName: string;
  readonly invokeService: string;
  readonly invokeContext: JsonValue;
  readonly scheduledFireTime: number;
  readonly actualFireTime: number;
  readonly nextFireTime: number | null;
  /** Names the run; the same when it runs again after a failure of its node. */
  readonly runId: string;
  /** Keeps a line for the ledger. */
  readonly log: (level: string, message: string) => void;
}

/** A service as those see it who name it in a schedule. */
export interface OfferedService {
  /** Its short name. */
  readonly invokeService: string;
  /** Why no run of it can succeed yet. */
  readonly unconfigured?: string;
}

/** Something a schedule can invoke, registered under the short name of `invokeService`. */
export interface ScheduledService<Run = ScheduledRun> extends OfferedService {
  /** Needs a script thread. */
  readonly runsScripts: boolean;
  /** Refuses a schedule that could never run. @throws BadRequestError with the key that is missing or malformed */
  check?(invokeContext: JsonValue): void;
  /** Its effects go through the context's unit of work, and are committed together with the firing's completion. */
  execute(context: Context, run: Run): Promise<void>;
  /**
   * What a run would do, all of it inside the unit of work of a dry run. Without it a service that is no script is only
   * named by one, since it may reach out of that.
   */
  rehearse?(context: WriteContext, run: Run): Promise<JsonObject>;
}

/** The name by which the service is looked up. */
export function shortServiceName(invokeService: string): string {
  const prefix = invokeService.startsWith(SERVICE_PREFIX);
  return prefix ? invokeService.slice(SERVICE_PREFIX.length) : invokeService.replace(FIELD_PREFIX, '$1');
}

/** The name as it is stored. */
export function longServiceName(invokeService: string): string {
  const short = shortServiceName(invokeService);
  return short.includes('.') ? short : SERVICE_PREFIX + short;
}
