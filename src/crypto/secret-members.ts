import { equalJson, type JsonValue, type Pointer, placesOfSecrets, withoutPasswords } from '#json/index.ts';
import { isEnvelope } from './envelope.ts';
import { isSeal, sealOf } from './seal.ts';

/** Where something stands that nobody is shown: what is encrypted, and what is a secret by its name or by itself. */
export function secretMembers(content: JsonValue): Pointer[] {
  return placesOfSecrets(content, isEnvelope);
}

/** What stands in place of a secret: of a text with passwords in it all but these, else a seal. */
export function standInOf(secret: JsonValue): JsonValue {
  return blanked(secret) ?? sealOf(secret);
}

/** Whether it stands for a secret that is stored, and is none itself. */
export function isStandIn(value: JsonValue): boolean {
  return isSeal(value) || (blanked(value) !== undefined && equalJson(standInOf(value), value));
}

function blanked(value: JsonValue): string | undefined {
  return typeof value === 'string' ? withoutPasswords(value) : undefined;
}
