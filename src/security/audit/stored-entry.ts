import type { JsonObject } from '#json/index.ts';
import type { AuditKeys, SignatureCheck } from './audit-keys.ts';
import type { Seal } from './seal.ts';
import { canonicalText, type SignedEntry, signedText } from './signed-entry.ts';

/** An entry as it is read again, from the database or from an export. */
export interface StoredEntry extends Omit<SignedEntry, 'node' | 'signature' | 'content'> {
  readonly node: string | null;
  /** Null of entries that nobody signed. */
  readonly signature: string | null;
  /** Absent from an export of other topics. */
  readonly event?: JsonObject;
}

/** A seal, and what there is of the entries that it covers. */
export interface Segment {
  readonly seal: Seal;
  /** As they were found, by id: none, one, or by some accident or attack several. */
  readonly entries: ReadonlyMap<string, readonly StoredEntry[]>;
}

export type EntryCheck = SignatureCheck | 'unsigned' | 'withheld';

export function checkEntry(keys: AuditKeys, { signature, event, node, ...entry }: StoredEntry): EntryCheck {
  if (signature === null) return 'unsigned';
  if (event === undefined) return 'withheld';
  return keys.check(signedText({ ...entry, node: node ?? '', content: canonicalText(event) }), signature);
}
