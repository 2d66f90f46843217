import { createHash } from 'node:crypto';
import type { AuditKeys } from './audit-keys.ts';

/** One link of a chain of seals: the entries of one node and month that it covers, and what came before them. */
export interface Seal {
  /** Its number among all seals, without gaps. */
  readonly number: number;
  /** The first moment of the month in which its entries were recorded: ISO, UTC. */
  readonly month: string;
  readonly node: string;
  /** Within the chain of the node and month, from 1. */
  readonly part: number;
  readonly sealedAt: string;
  readonly ids: readonly string[];
  /** The signature of the part before it; empty for the first. */
  readonly previous: string;
  readonly digest: string;
  readonly signature: string;
}

export interface SealedEntry {
  readonly id: string;
  /** Null of entries that nobody signed. */
  readonly signature: string | null;
}

/** The hash of the last entry: that of each entry is over the hash before it, and that of the first over the seal before. */
export function chainDigest(previous: string, entries: readonly SealedEntry[]): string {
  return entries.reduce(
    (before, { id, signature }) =>
      createHash('sha256')
        .update(`${before}\n${id} ${signature ?? ''}`)
        .digest('hex'),
    previous,
  );
}

/** What the signature of a seal is over. */
export function sealText(seal: Omit<Seal, 'signature' | 'ids'>, entries: number): string {
  const { number, month, node, part, sealedAt, previous, digest } = seal;
  return JSON.stringify([number, month, node, part, sealedAt, entries, previous, digest]);
}

export type SealPlace = Pick<Seal, 'number' | 'month' | 'node' | 'part' | 'sealedAt' | 'previous'>;

export function makeSeal(keys: AuditKeys, place: SealPlace, entries: readonly SealedEntry[]): Seal {
  const unsigned = { ...place, digest: chainDigest(place.previous, entries) };
  const signature = keys.sign(sealText(unsigned, entries.length));
  return { ...unsigned, ids: entries.map(({ id }) => id), signature };
}
