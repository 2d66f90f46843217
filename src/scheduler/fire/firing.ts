import type { DaylightSaving } from '#cron/index.ts';
import type { Holder } from '#work/index.ts';
import type { FiringDecision } from '../run/misfire.ts';
import type { StartedRun } from '../run/run.ts';

/** One started run with all that firing it needs; plain data, so that it can be sent to a script thread. */
export interface Firing {
  readonly run: StartedRun;
  readonly holder: Holder;
  readonly nodeName: string;
  readonly decision: FiringDecision;
  readonly dst: DaylightSaving;
  /** The name in which it runs. */
  readonly invoker: string;
  /** When it started, epoch ms by the database's clock. */
  readonly startedAt: number;
}
