import {
  cloneJson,
  formatPointer,
  getAt,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
  partAt,
  setAt,
} from '#json/index.ts';
import type { Crypto } from './crypto.ts';
import { isEnvelope } from './envelope.ts';
import { secretMembers } from './secret-members.ts';

/** JSON with members of it encrypted, and the JSON pointers at which they stand. */
export interface SealedMembers<T extends JsonObject> {
  readonly content: T;
  readonly places: readonly string[];
}

/** @param alias of the key; null for the default */
export async function sealMembers<T extends JsonObject>(
  crypto: Pick<Crypto, 'encrypt'>,
  plain: T,
  pointers: readonly Pointer[] = plainSecrets(plain),
  alias: string | null = null,
): Promise<SealedMembers<T>> {
  const content = pointers.length === 0 ? plain : cloneJson(plain);
  for (const pointer of pointers) {
    setAt(content, pointer, await crypto.encrypt(partAt(plain, pointer), null, alias));
  }
  return { content, places: pointers.map((pointer) => formatPointer(pointer)) };
}

/** Opens the members, as they were before. @throws ResourceError where a key is missing */
export async function openMembers<T extends JsonObject>(
  crypto: Pick<Crypto, 'decrypt'>,
  { content, places }: SealedMembers<T>,
): Promise<T> {
  const opened = places.length === 0 ? content : cloneJson(content);
  for (const pointer of places.map((place) => parsePointer(place))) {
    const value = getAt(opened, pointer);
    if (value !== undefined) setAt(opened, pointer, await crypto.decrypt(value));
  }
  return opened;
}

/** Where secrets stand that are not encrypted. What is encrypted already stays as it is: whoever reads it decrypts it. */
export function plainSecrets(content: JsonValue): readonly Pointer[] {
  return secretMembers(content).filter((pointer) => !isEnvelope(partAt(content, pointer)));
}
