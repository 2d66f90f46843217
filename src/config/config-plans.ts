import type { JsonObject } from '#json/index.ts';
import { definitionOf } from './config-id.ts';

/** What a change of a configuration would mean for what there is. */
export interface PlannedEffect extends JsonObject {
  /** Such as `property.removed`. */
  readonly kind: string;
  /** A sentence for whoever decides. */
  readonly text: string;
}

/** A change that is thought of: the values as the schema made them, undefined where there is none. */
export interface PlannedChange<T = unknown> {
  readonly id: string;
  readonly previous: T | undefined;
  readonly current: T | undefined;
}

export interface ConfigPlanner<T = unknown> {
  effectsOf(change: PlannedChange<T>): readonly PlannedEffect[] | Promise<readonly PlannedEffect[]>;
}

/** Asks the parts of the server what would follow from a change of the configuration that they read. */
export class ConfigPlans {
  readonly #planners = new Map<string, ConfigPlanner[]>();

  /** @param name of a definition */
  add(name: string, planner: ConfigPlanner): void {
    this.#planners.set(name, [...(this.#planners.get(name) ?? []), planner]);
  }

  async effectsOf(change: PlannedChange): Promise<readonly PlannedEffect[]> {
    const planners = this.#planners.get(definitionOf(change.id)) ?? [];
    const effects: PlannedEffect[] = [];
    for (const planner of planners) effects.push(...(await planner.effectsOf(change)));
    return effects;
  }
}
