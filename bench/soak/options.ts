import { parseArgs } from 'node:util';

export interface SoakOptions {
  /** How long faults strike, in ms. */
  readonly durationMs: number;
  readonly nodes: number;
  /** Decides which fault strikes whom and when; the same seed is the same plan. */
  readonly seed: number;
  readonly short: boolean;
  /** How long the fault `snapshot` holds one, in ms. */
  readonly snapshotMs: number;
  /** How many nodes there are in the end of the fault `many-nodes`. */
  readonly manyNodes: number;
  /** The database is three servers of which Patroni makes one the primary, and the faults are those of such a cluster. */
  readonly patroni: boolean;
  /** Names of faults; empty for all. */
  readonly only: readonly string[];
  /** Keeps the logs of the nodes even when nothing was found. */
  readonly keep: boolean;
}

export const HELP = `
Lets a cluster work under faults, and proves afterwards from the database that nothing was lost or doubled.

  --minutes <n>     how long faults strike (default 5)
  --nodes <n>       nodes, at least 2 (default 3)
  --seed <n>        which fault strikes whom (default: random, and printed)
  --short           each kind of fault once, in about a minute: what CI runs
  --patroni         three Postgres servers, Patroni, etcd and HAProxy in the place of one, and the ways they fail over
  --only <a,b>      only these faults
  --snapshot-minutes <n>  how long a snapshot is held (default 1)
  --many <n>        how many nodes many-nodes makes of them (default 50, which takes 16 GiB; at least 12)
  --keep            keep the logs of the nodes
  --list            the faults`;

/** @throws Error that says what is wrong with the arguments */
export function readOptions(
  argv: readonly string[],
): SoakOptions & { readonly list: boolean; readonly help: boolean } {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '5' },
      nodes: { type: 'string', default: '3' },
      seed: { type: 'string' },
      'snapshot-minutes': { type: 'string', default: '1' },
      many: { type: 'string', default: '50' },
      only: { type: 'string', default: '' },
      short: { type: 'boolean', default: false },
      patroni: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const number = (
    name: 'minutes' | 'nodes' | 'seed' | 'snapshot-minutes' | 'many',
    text: string,
    least: number,
  ) => {
    const value = Number(text);
    if (!Number.isFinite(value) || value < least)
      throw new Error(`--${name} ${text}: a number from ${least} on`);
    return value;
  };
  return {
    durationMs: number('minutes', values.minutes, 0) * 60_000,
    nodes: number('nodes', values.nodes, 2),
    seed: values.seed === undefined ? Math.floor(Math.random() * 1e6) : number('seed', values.seed, 0),
    short: values.short,
    snapshotMs: number('snapshot-minutes', values['snapshot-minutes'], 0) * 60_000,
    manyNodes: number('many', values.many, 12),
    patroni: values.patroni,
    only: values.only === '' ? [] : values.only.split(','),
    keep: values.keep,
    list: values.list,
    help: values.help,
  };
}
