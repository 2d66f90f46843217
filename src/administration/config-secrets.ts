import { type Crypto, isEnvelope } from '#crypto/index.ts';
import {
  cloneJson,
  getAt,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
  setAt,
} from '#json/index.ts';

/** Where secrets stand, by the id of a configuration or of its factory. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  'datasource.jdbc': ['/password'],
  workflow: ['/engine/password', '/mail/password'],
  'external.email': ['/auth/password'],
  identityProvider: ['/client_secret', '/clientSecret'],
};

/**
 * Encrypts the secrets of a configuration that are still plain: those at known places, and for an endpoint those that
 * its `encrypt` list names, under the key `alias`. References such as `&{mail.password}` stay, because they hold no secret themselves.
 */
export async function protectSecrets(
  crypto: Crypto,
  alias: string,
  id: string,
  content: JsonObject,
): Promise<JsonObject> {
  const protectedContent = cloneJson(content);
  for (const pointer of encryptedPlaces(id, content)) {
    const value = getAt(protectedContent, pointer);
    if (value === undefined || value === null || isReference(value) || crypto.isEncrypted(value)) continue;
    setAt(protectedContent, pointer, await crypto.encrypt(value, null, alias));
  }
  return protectedContent;
}

function encryptedPlaces(id: string, content: JsonObject): Pointer[] {
  const name = id.split('/', 1)[0]!;
  const listed = name === 'endpoint' && Array.isArray(content['encrypt']) ? content['encrypt'] : [];
  const known = SECRETS[name.replace(/-.*$/, '')] ?? [];
  return [...known, ...listed.map(String), ...providerSecrets(name, content)].map(parsePointer);
}

/** Client secrets of the authentication modules that have some. */
function providerSecrets(name: string, content: JsonObject): string[] {
  const modules = name === 'authentication' ? content['modules'] : undefined;
  if (!Array.isArray(modules)) return [];
  return modules.flatMap((module, index) =>
    isObject(module) && module['clientSecret'] !== undefined ? [`/modules/${index}/clientSecret`] : [],
  );
}

function isReference(value: unknown): boolean {
  return typeof value === 'string' && /&\{[^}]+\}/.test(value);
}

/** What is a secret wherever it stands, by the name of its member. */
const SECRET_KEY = /(?:password|passwd|passphrase|secret)$/i;

/** Where something stands that nobody is shown: what is encrypted, or is to be, and texts with the name of a secret. */
export function secretPlaces(id: string, content: JsonObject): readonly Pointer[] {
  const places = encryptedPlaces(id, content).filter((pointer) => isSecret(getAt(content, pointer)));
  visit(content, []);
  return places;

  function visit(value: JsonValue, pointer: Pointer): void {
    const isNamed = typeof value === 'string' && SECRET_KEY.test(String(pointer.at(-1) ?? ''));
    if (isEnvelope(value) || (isNamed && isSecret(value))) places.push(pointer);
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, [...pointer, String(index)]);
    } else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, [...pointer, key]);
    }
  }
}

function isSecret(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && !isReference(value);
}
