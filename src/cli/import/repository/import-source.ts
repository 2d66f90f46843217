import type { TimeZone } from '#time/index.ts';
import type { ForeignDatabase } from './foreign-database-repository.ts';
import type { ForeignRow, Reading, Remark, StoredKind } from './item.ts';

/** What may be asked for by itself. */
export const GROUPS = [
  'internal',
  'managed',
  'relationship',
  'repo',
  'link',
  'schedule',
  'process',
  'audit',
] as const;
export type Group = (typeof GROUPS)[number];

/** What of each row of a page is wanted, before the texts are read. */
export type Wanted = (
  keys: readonly { readonly id: string; readonly rev: string }[],
) => Promise<ReadonlySet<string>>;

export interface RowPage {
  /** Ids of all that there are, wanted or not. */
  readonly keys: readonly string[];
  readonly rows: readonly ForeignRow[];
}

/** All rows of one kind, a page at a time; where `wanted` is given, those alone. */
export type Pages = (size: number, wanted?: Wanted) => AsyncIterable<RowPage>;

/** One table of the other server, or one type of objects in it. */
export interface ImportStep {
  readonly group: Group;
  /** What it brings, as it is told, such as `managed/user`. */
  readonly about: string;
  readonly kind: StoredKind;
  readonly type: string;
  readonly pages: Pages;
  convert(row: ForeignRow): Reading | Promise<Reading>;
}

/** Where something comes from, which is only read. */
export interface ImportSource {
  /** The place as it is told, and noted of what has come from there; without a password. */
  readonly place: string;
  /** What comes, in the order in which it does. */
  listSteps(): Promise<readonly ImportStep[]>;
  /** What stays where it is, with how many there are of it. */
  listLeft(): Promise<readonly (Remark & { readonly count: number })[]>;
  /** Schedules that were made there, each a job with its `serialized` or its `schedule`; absent where there are none. */
  readonly schedules?: Pages;
  /** Where the tables of its process engine are; absent where there are none. */
  readonly processes?: ForeignProcesses;
  /** What it has recorded, where that was asked for. */
  readonly history?: { readonly foreign: ForeignDatabase; readonly since: string };
}

export interface ForeignProcesses {
  readonly foreign: ForeignDatabase;
  /** The zone in which it writes times. */
  readonly zone: TimeZone;
}
