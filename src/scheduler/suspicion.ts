import { MAX_SUSPICIONS } from '#lifecycle/index.ts';
import type { Run, RunKey } from './run.ts';

/** How often a run may have been why its node or thread ended. */
export function suspicionOf({ cause }: Pick<Run, 'cause'>): number {
  return cause?.kind === 'released' ? (cause.suspected ?? 0) : 0;
}

/** One more would park it, which only an end can be that it met alone: it is tried so. */
export function isSuspect(run: Pick<Run, 'cause'>): boolean {
  return suspicionOf(run) >= MAX_SUSPICIONS - 1;
}

/** Of a run after it may have ended its node or thread. One that was not alone is no more than suspect. */
export function suspicionAfter(run: Pick<Run, 'cause'>, isAlone: boolean): number {
  const before = suspicionOf(run);
  return isAlone ? before + 1 : Math.max(before, Math.min(before + 1, MAX_SUSPICIONS - 1));
}

/** What a run is called while it is alone on its node. */
export function subjectOf({ triggerId, generation, fireAt, attempt }: RunKey & Pick<Run, 'attempt'>): string {
  return `run ${triggerId}.${generation}.${fireAt}.${attempt}`;
}
