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

export type ConfigPlan<T = unknown> = (
  change: PlannedChange<T>,
) => readonly PlannedEffect[] | Promise<readonly PlannedEffect[]>;

/** Asks the parts of the server what would follow from a change of the configuration that they read. */
export class ConfigPlans {
  readonly #plans = new Map<string, ConfigPlan[]>();

  /** @param name of a definition */
  add(name: string, plan: ConfigPlan): void {
    this.#plans.set(name, [...(this.#plans.get(name) ?? []), plan]);
  }

  async effectsOf(change: PlannedChange): Promise<readonly PlannedEffect[]> {
    const plans = this.#plans.get(definitionOf(change.id)) ?? [];
    const effects: PlannedEffect[] = [];
    for (const plan of plans) effects.push(...(await plan(change)));
    return effects;
  }
}
