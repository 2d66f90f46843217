import { Quarantine } from '#lifecycle/index.ts';
import { type Holder, type Kind, WorkPoller } from '#work/index.ts';
import { ShortFirings } from '../fire/short-firings.ts';
import { firingStore, OWN, SHARED } from '../store/firing-store.ts';
import type { ClaimedFiring } from './claimed-firing.ts';
import { RunExecutor, type RunExecutorOptions } from './run-executor.ts';

/** More would make a unit no cheaper. */
const TOGETHER = 32;

export interface TriggerPollerOptions extends Omit<RunExecutorOptions, 'quarantine' | 'short' | 'planned'> {
  /** This life of this node, as the cluster knows it now. */
  readonly holder: () => Holder;
  /** Shared with all else that does work in this process. Default: one of its own. */
  readonly quarantine?: Quarantine;
  /** How long a stop waits for runs, in ms. Default 30 s. */
  readonly drainMs?: number;
}

/**
 * Firings as work of this node: claims due triggers and fires them. What the node has in memory is claimed with what
 * any node may claim, and has seats of its own.
 */
export class TriggerPoller extends WorkPoller<ClaimedFiring> {
  constructor({ quarantine = new Quarantine(), ...options }: TriggerPollerOptions) {
    const { tuning, fireTogether } = options;
    const short = new ShortFirings();
    const executor = new RunExecutor({
      ...options,
      quarantine,
      short,
      planned: (at) => this.noteDue(at),
    });
    super({
      ...options,
      name: 'trigger poller',
      quarantine,
      store: firingStore({ ...options, held: () => this.held }),
      kinds: () => [
        kindOf(SHARED, () => (tuning().claims === false ? 0 : tuning().threadCount)),
        kindOf(OWN, () => tuning().threadCount),
      ],
      weightOf: (work) => (fireTogether === undefined ? 1 : short.weightOf(work.run)),
      idleWaitMs: () => tuning().idleWaitMs,
      execute: (unit, seat) => executor.run(unit, seat),
    });
  }
}

function kindOf(name: string, seats: () => number): Kind {
  return {
    name,
    get seats() {
      return seats();
    },
    together: TOGETHER,
    collectMs: 0,
    mayBeLong: true,
    startsClaimed: true,
    startsAhead: true,
  };
}
