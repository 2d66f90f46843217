import { definitionOf } from '#config/index.ts';
import { type Crypto, secretMembers } from '#crypto/index.ts';
import {
  cloneJson,
  getAt,
  holdsReference,
  isObject,
  isSecretValue,
  type JsonObject,
  type Pointer,
  parsePointer,
  setAt,
} from '#json/index.ts';

/** Where secrets stand, by the id of a configuration or of its factory. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  'datasource.jdbc': ['/password'],
  workflow: ['/engine/password', '/mail/password'],
  'external.email': ['/auth/password'],
  'provisioner.openicf': ['credentials', 'password', 'trustStorePassword'].map(
    (name) => `/configurationProperties/${name}`,
  ),
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
    if (value === undefined || value === null || holdsReference(value) || crypto.isEncrypted(value)) continue;
    setAt(protectedContent, pointer, await crypto.encrypt(value, null, alias));
  }
  return protectedContent;
}

function encryptedPlaces(id: string, content: JsonObject): Pointer[] {
  const name = definitionOf(id);
  const listed = name === 'endpoint' && Array.isArray(content['encrypt']) ? content['encrypt'] : [];
  const known = SECRETS[name.replace(/-.*$/, '')] ?? [];
  return [...known, ...listed.map(String), ...staticPasswords(name, content)].map(parsePointer);
}

/** Where the passwords stand of users that the configuration itself has. */
function staticPasswords(name: string, content: JsonObject): string[] {
  const modules =
    name === 'authentication' ? getAt(content, ['serverAuthContext', 'authModules']) : undefined;
  if (!Array.isArray(modules)) return [];
  return modules.flatMap((module, index) =>
    isObject(module) && module['name'] === 'STATIC_USER'
      ? [`/serverAuthContext/authModules/${index}/properties/password`]
      : [],
  );
}

/** Where something stands that nobody is shown: what is encrypted, or is to be, and what is a secret wherever it stands. */
export function secretPlaces(id: string, content: JsonObject): readonly Pointer[] {
  const places = encryptedPlaces(id, content).filter((pointer) => isSecretValue(getAt(content, pointer)));
  return [...places, ...secretMembers(content)];
}
