import type { Activity } from './activities.tsx';
import type { Instance } from './process.tsx';
import type { Wait } from './waits.tsx';

/** With all that is known of it. */
export interface OneInstance extends Instance {
  readonly diagramSvg?: string;
  readonly waitsFor: readonly Wait[];
  readonly activities: readonly Activity[];
  readonly activitiesHint?: string;
  readonly events: readonly Act[];
}

export interface Act {
  readonly number: number;
  readonly at: string;
  readonly userId: string | null;
  readonly stimulus: Readonly<Record<string, unknown>>;
}
