import { equalJson, isObject, type JsonValue, type Pointer } from '#json/index.ts';
import { isEnvelope } from './envelope.ts';
import { isSeal, sealOf } from './seal.ts';

/** What is a secret wherever it stands, by how the name of its member ends. */
const ENDING = /(?:password|passwd|passphrase|secret|pwd|api[-_]?key|private[-_]?key)$/i;

/** By the whole name: many other names end in such words, such as `userCredential`, which names a property. */
const WHOLE =
  /^(?:(?:access|api|auth|bearer|refresh)?[-_]?token|credentials?|(?:proxy[-_]?)?authorization)$/i;

export function isSecretMember(name: string): boolean {
  return ENDING.test(name) || WHOLE.test(name);
}

/** With the name and the password of a user in it. */
const URL_OF_USER = /^([a-z][a-z0-9+.:-]*:\/\/[^\s/?#:@]*:)([^\s/?#]+)(@[^\s]*)$/i;
const BLANK = '***';

/** Where something stands that nobody is shown: what is encrypted, texts with the name of a secret, and URLs with a password. */
export function secretMembers(content: JsonValue): Pointer[] {
  const places: Pointer[] = [];
  visit(content, []);
  return places;

  function visit(value: JsonValue, pointer: Pointer): void {
    const isNamed = typeof value === 'string' && isSecretMember(String(pointer.at(-1) ?? ''));
    if (isEnvelope(value) || (isNamed && isSecretValue(value)) || holdsPassword(value)) places.push(pointer);
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, [...pointer, String(index)]);
    } else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, [...pointer, key]);
    }
  }
}

/** References such as `&{mail.password}` are none, because they hold no secret themselves. */
export function isSecretValue(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && !isReference(value);
}

export function isReference(value: unknown): boolean {
  return typeof value === 'string' && /&\{[^{}]+\}/.test(value);
}

/** What stands in place of a secret: of a URL all but the password, else a seal. */
export function standInOf(secret: JsonValue): JsonValue {
  return holdsPassword(secret) ? String(secret).replace(URL_OF_USER, `$1${BLANK}$3`) : sealOf(secret);
}

/** Whether it stands for a secret that is stored, and is none itself. */
export function isStandIn(value: JsonValue): boolean {
  return isSeal(value) || (holdsPassword(value) && equalJson(standInOf(value), value));
}

function holdsPassword(value: JsonValue): boolean {
  const password = typeof value === 'string' ? URL_OF_USER.exec(value)?.[2] : undefined;
  return password !== undefined && !isReference(password);
}
