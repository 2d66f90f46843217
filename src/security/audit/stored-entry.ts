import { canonicalText, type JsonValue } from '#json/index.ts';
import type { AuditKeys, SignatureCheck } from './audit-keys.ts';
import { type SignedEntry, signedText } from './signed-entry.ts';

/** An entry as it is read again, from the database or from an export. */
export interface StoredEntry extends Omit<SignedEntry, 'node' | 'signature' | 'content'> {
  readonly node: string | null;
  /** Null of entries that nobody signed. */
  readonly signature: string | null;
  /** An object, where the server has written it. Absent from an export of other topics. */
  readonly event?: JsonValue;
}

export type EntryCheck = SignatureCheck | 'unsigned' | 'withheld';

/** What stays of an entry that was looked at: it may have been large, and a seal covers many. */
export interface CheckedEntry extends Pick<StoredEntry, 'id' | 'topic' | 'recordedAt' | 'signature'> {
  readonly check: EntryCheck;
}

export function checkEntry(keys: AuditKeys, { signature, event, node, ...entry }: StoredEntry): EntryCheck {
  if (signature === null) return 'unsigned';
  if (event === undefined) return 'withheld';
  const content = contentOf(event);
  if (content === undefined) return 'wrong';
  return keys.check(signedText({ ...entry, node: node ?? '', content }), signature);
}

/** Undefined of JSON that is deeper than any that the server writes, and than the stack. */
function contentOf(event: JsonValue): string | undefined {
  try {
    return canonicalText(event);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
