import type { Membership } from '#cluster/index.ts';
import type { Settings } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import type { HealthPart, Quarantine, Service } from '#lifecycle/index.ts';
import type { AskedGauge, Gauge } from '#observability/index.ts';
import type { RouteHandler } from '#resource/index.ts';
import type { ScriptUses, ScriptWork } from '#script/index.ts';
import type { ScheduledService } from './scheduled-service.ts';

/** What one part of the product brings. It is made in the main thread and in each script thread alike. */
export interface Feature {
  /** What it answers, by the pattern of its path (`RouteTable`). */
  readonly resources?: Readonly<Record<string, RouteHandler>>;
  /** Where it runs scripts, by the names that editors ask for. */
  readonly scriptUses?: ScriptUses;
  /** What schedules can invoke. */
  readonly services?: readonly ScheduledService[];
  /** What it does on a node beside answering; asked for in the main thread alone. */
  readonly node?: (node: NodeGround) => NodePart;
}

/** The other threads of a node, as its parts see them. */
export interface ThreadsOfNode extends ScriptWork {
  /** Replaces a part of what all of them stand on, those that listen for HTTP, too; resolves when all have it. */
  replaceFoundation(part: Record<string, unknown>): Promise<void>;
}

/** What the parts of a node stand on. */
export interface NodeGround {
  readonly name: string;
  readonly settings: Settings;
  /** Whether it does the cluster's work. */
  readonly isWorker: boolean;
  readonly membership: Membership;
  /** Whether wake-ups reach it; where there is only a pooler, none do. */
  readonly isWoken: boolean;
  readonly threads: ThreadsOfNode;
  readonly quarantine: Quarantine;
  /** Sessions that keep plans, for what completes work. */
  readonly lookups: Database;
  /** Sessions that keep plans and do not wait for the disk, for claims and starts: what is lost of these is only made again. */
  readonly claims: Database;
  /** Puts the configuration in force that was changed on any node. */
  readonly followConfiguration: () => Promise<void>;
  /** How often the directory of process files is looked at; undefined: as the specification says. */
  readonly deploymentIntervalMs: number | undefined;
}

/** Services start in the order of the parts, and stop the other way round. */
export interface NodePart {
  readonly services?: readonly Service[];
  /** What to do when another node has told something, by what it has told. */
  readonly onWakeUp?: Readonly<Record<string, () => void>>;
  readonly gauges?: readonly (Gauge | AskedGauge)[];
  readonly health?: () => readonly HealthPart[] | Promise<readonly HealthPart[]>;
}
