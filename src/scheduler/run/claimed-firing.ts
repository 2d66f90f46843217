import type { Claimed, Holder } from '#work/index.ts';
import { formatRunKey, type Run, type StartedRun } from './run.ts';

/** A firing as work of its node. */
export interface ClaimedFiring extends Claimed {
  readonly run: Run;
  readonly holder: Holder;
  /** Once it may begin. */
  readonly started?: StartedRun;
  /** What it invokes, where there is a limit for that. */
  readonly limitedService?: string;
}

export function claimedFiring(run: Run, holder: Holder): ClaimedFiring {
  const { cause, attempt } = run;
  const released = cause?.kind === 'released' ? cause : undefined;
  return {
    id: formatRunKey(run),
    claim: attempt,
    dueAt: run.fireAt,
    // What is due earlier fires first; what is due at the same instant keeps the order of the claim.
    priority: 0,
    lostWith: attempt > 1 && released !== undefined ? [released.node] : [],
    suspected: released?.suspected ?? 0,
    run,
    holder,
  };
}

/** How many more of the limited services there is room for, beside these. */
export function roomBeside(
  threads: ReadonlyMap<string, number>,
  held: readonly ClaimedFiring[],
): ReadonlyMap<string, number> {
  const room = new Map(threads);
  for (const { started, limitedService } of held) {
    const service = started?.definition.invokeService ?? limitedService;
    const free = service === undefined ? undefined : room.get(service);
    if (free !== undefined) room.set(service!, Math.max(0, free - 1));
  }
  return room;
}
