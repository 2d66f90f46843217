import { hkdfSync } from 'node:crypto';
import { KeyRing, type KeyRingText } from './key-ring.ts';

const BYTES = 32;

/**
 * Secrets of one purpose, made from the keys of an alias, which themselves stay here: that of the key in use first,
 * those of replaced ones after it; none when the ring lacks the alias.
 */
export function deriveSecrets(text: KeyRingText, alias: string, purpose: string): readonly Uint8Array[] {
  const ring = new KeyRing(text);
  if (!ring.aliases.includes(alias)) return [];
  return ring.all(alias).map(({ bytes }) => new Uint8Array(hkdfSync('sha256', bytes, '', purpose, BYTES)));
}
