import { type Crypto, isEnvelope, openMembers, sealMembers } from '#crypto/index.ts';
import { isObject, type JsonObject, type JsonValue, partAt } from '#json/index.ts';
import type { ConfigOverride } from './config-override-repository.ts';
import { secretPlaces } from './config-secrets.ts';

/** The secrets of configurations that are set through `/config`, wherever they stand: encrypted in the database, and nowhere else. */
export interface OverrideSeals {
  /** The content as it is stored. What is encrypted already stays, and is for whoever uses it to open. */
  seal(id: string, content: JsonObject): Promise<Pick<ConfigOverride, 'content' | 'sealed'>>;
  /** The override as it was sent. @throws ResourceError where a key is missing */
  open(override: ConfigOverride): Promise<ConfigOverride>;
}

export function overrideSeals(
  crypto: Pick<Crypto, 'encrypt' | 'decrypt'>,
  alias: () => string,
): OverrideSeals {
  return {
    async seal(id, content) {
      const sealed = await sealMembers(crypto, content, plainSecrets(id, content), alias());
      const { places } = sealed;
      return { content: textOf(sealed.content), sealed: places.length === 0 ? null : [...places] };
    },
    async open(override) {
      if (override.sealed === null || override.content === null) return override;
      const stored: JsonObject = JSON.parse(override.content);
      const content = await openMembers(crypto, { content: stored, places: override.sealed });
      return { ...override, content: textOf(content), sealed: null };
    },
  };
}

/** The content of an override in whose text a secret can be read: a version that did not encrypt it has stored it. */
export function readableContent({ id, content, sealed }: ConfigOverride): JsonObject | undefined {
  if (sealed !== null || content === null) return undefined;
  const value: JsonValue = JSON.parse(content);
  return isObject(value) && plainSecrets(id, value).length > 0 ? value : undefined;
}

/** The order of keys has a meaning in some files. */
function textOf(content: JsonObject): string {
  return JSON.stringify(content, null, 2);
}

function plainSecrets(id: string, content: JsonObject) {
  return secretPlaces(id, content).filter((place) => !isEnvelope(partAt(content, place)));
}
