import type { HealthPart } from '#http/index.ts';
import type { Service } from '#lifecycle/index.ts';

/** What a feature adds to a node, beyond its resources. Services start in the order of the parts. */
export interface NodePart {
  readonly services?: readonly Service[];
  /** By topic: what to do when a node has told of it. */
  readonly onTopic?: Readonly<Record<string, () => void>>;
  readonly gauges?: readonly NodeGauge[];
  readonly health?: () => readonly HealthPart[] | Promise<readonly HealthPart[]>;
}

export interface NodeGauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
}
