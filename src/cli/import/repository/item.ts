import type { JsonObject } from '#json/index.ts';

/** Where something goes: managed objects, what is below /repo, edges, pairs of synchronisation. */
export type StoredKind = 'managed' | 'repo' | 'relationship' | 'link';

/** Something that comes, as it will be stored. */
export interface Item {
  readonly kind: StoredKind;
  /** The type of a managed or repo object; for an edge the collection whose objects hold it; '' for what stands by itself. */
  readonly type: string;
  readonly id: string;
  /** The revision here, where nothing of the kind is here yet. */
  readonly rev: number;
  readonly foreignRev: string;
  /** SHA-256 of what was read, hexadecimal. */
  readonly print: string;
  /** The object without `_id` and `_rev`; of edges and links their columns. */
  readonly data: JsonObject;
}

/** Something that cannot come, or comes with something to be done about it. */
export interface Remark {
  /** What it is about, such as `managed/user`. */
  readonly about: string;
  /** The id of the one that it is about; null where it is about all. */
  readonly id: string | null;
  readonly reason: string;
  /** It stays where it is. */
  readonly isLeft: boolean;
}

/** What was read of one row. */
export interface Reading {
  readonly items: readonly Item[];
  readonly remarks: readonly Remark[];
}

/** A row of the other server, before anything is made of it. */
export interface ForeignRow {
  /** The key behind which the next page goes on. */
  readonly key: string;
  readonly id: string;
  readonly rev: string;
  /** The JSON text of a row in a generic table; for other tables a JSON text of the columns. */
  readonly text: string;
}
