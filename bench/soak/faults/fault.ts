import type pg from 'pg';
import type { SoakNode } from '../node.ts';
import { PatroniCluster } from '../patroni/patroni-cluster.ts';
import { SoakPostgres } from '../postgres.ts';
import type { Random } from '../random.ts';

/** What a fault may lay hands on. */
export interface Stage {
  readonly nodes: readonly SoakNode[];
  /** Whose process must go on, because its memory is watched. */
  readonly spared: SoakNode | undefined;
  readonly postgres: SoakPostgres | PatroniCluster;
  /** The database itself, past the proxies. */
  readonly pool: pg.Pool;
  readonly databaseUrl: string;
  /** How long a snapshot is held. */
  readonly snapshotMs: number;
  /** Adds small nodes until there are as many as asked for, which are nodes like the others from then on. Not started yet. */
  readonly grow: () => Promise<readonly SoakNode[]>;
}

/** How a fault went. */
export interface Strike {
  /** Whom it struck. */
  readonly target: string;
  /** From when on recovery counts, epoch ms: the fault itself where others take over, its end where nobody can. */
  readonly since: number;
  /** What is done while the cluster recovers, such as to start again who was killed. */
  readonly meanwhile?: () => Promise<void>;
}

export interface Fault {
  readonly name: string;
  /** What it does, as the report tells. */
  readonly what: string;
  /** Until the last firing that it held up has run, counted from `since`; reported, not asserted. */
  readonly boundMs: number;
  /** Strikes once, at the beginning, and only in a soak of so many minutes, or when it is named. */
  readonly once?: { readonly leastMinutes: number };
  /** Postgres must have room for the sessions of many nodes. */
  readonly needsRoom?: true;
  strike(stage: Stage, random: Random): Promise<Strike>;
}

/** Some node that may be killed or stopped. */
export function pickVictim({ nodes, spared }: Stage, random: Random): SoakNode {
  return random.pick(nodes.filter((node) => node !== spared));
}

/** @throws Error for a fault of one server where there are several */
export function singleServer({ postgres }: Stage): SoakPostgres {
  if (postgres instanceof SoakPostgres) return postgres;
  throw new Error('This fault is one of a single server');
}

/** @throws Error for a fault of several servers where there is one */
export function severalServers({ postgres }: Stage): PatroniCluster {
  if (postgres instanceof PatroniCluster) return postgres;
  throw new Error('This fault needs --patroni');
}
