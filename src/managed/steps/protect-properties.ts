import { equalJson } from '#json/index.ts';
import type { Exchange } from '../exchange.ts';

/** Encrypts and hashes what the type asks for. A value that did not change keeps the envelope it has, unless its seal would tell. */
export async function protectProperties(exchange: Exchange): Promise<void> {
  const { before, object, overwritten, platform, stored, type } = exchange;
  const { crypto } = platform;
  for (const { name, encryption, hashAlgorithm } of type.secrets) {
    const value = object[name] ?? null;
    if (value === null || crypto.isHashed(value) || crypto.isEncrypted(value)) continue;
    const kept = stored?.data[name];
    if (hashAlgorithm !== null) {
      object[name] = await crypto.hash(value, hashAlgorithm);
    } else if (encryption !== null) {
      const { cipher, alias } = encryption;
      const isCurrent =
        kept !== undefined &&
        !overwritten.has(name) &&
        crypto.isUpToDate(kept, cipher, alias) &&
        equalJson(value, before?.[name]);
      object[name] = isCurrent ? kept : await crypto.encrypt(value, cipher, alias);
    }
  }
}
protectProperties.applies = ({ type }: Exchange) => type.secrets.length > 0;
