import { CBC, decryptCbc } from './cbc-cipher.ts';
import { gcmPlain } from './gcm-cipher.ts';
import { type Key, KeyRing } from './key-ring.ts';

/** What a key of ours has sealed. */
export interface Genuine {
  readonly key: Key;
  readonly plain: Buffer;
}

/** The members of an envelope that are bytes, in whatever notation: a name, some punctuation, Base64. */
const BYTES = /\b(iv|data|salt|mac)\b[^\w+/]{1,20}([A-Za-z0-9+/]{16,}={0,2})/g;
/** So many of them may stand between two of one envelope. */
const REACH = 3;
const ESCAPED = /(?<!\\)\\+u00([0-9a-f]{2})|&#x([0-9a-f]{2});|&#(\d{2,3});/gi;

/**
 * What keys of the ring have sealed in a text that cannot be read as an envelope. Anybody may write what looks like an
 * encrypted value; that one of our keys authenticates it is what nobody else can bring about. Each `iv` is tried with the
 * members nearest to it, so the cost is in proportion to the text.
 */
export function findGenuine(text: string, keys: KeyRing): readonly Genuine[] {
  const members = [...inPlainNotation(text).matchAll(BYTES)].map(([, name, bytes = '']) => ({ name, bytes }));
  return members.flatMap(({ name, bytes: iv }, at) => {
    if (name !== 'iv') return [];
    const near = (wanted: string) =>
      [
        members.slice(Math.max(0, at - REACH), at).findLast((member) => member.name === wanted),
        members.slice(at + 1, at + 1 + REACH).find((member) => member.name === wanted),
      ].flatMap((member) => member?.bytes ?? []);
    const signed = near('salt').flatMap((salt) => near('mac').map((mac) => ({ salt, mac })));
    return near('data').flatMap((data) =>
      keys.everyKey.flatMap((key) => {
        const plain =
          gcmPlain(Buffer.from(iv, 'base64'), Buffer.from(data, 'base64'), key) ??
          signed
            .map((members) => cbcPlain({ iv, data, ...members }, key))
            .find((found) => found !== undefined);
        return plain === undefined ? [] : [{ key, plain }];
      }),
    );
  });
}

function inPlainNotation(text: string): string {
  return text
    .replace(ESCAPED, (_all, json?: string, hexadecimal = '', decimal?: string) =>
      String.fromCharCode(decimal === undefined ? Number.parseInt(json ?? hexadecimal, 16) : Number(decimal)),
    )
    .replace(/(?<!\\)\\+\//g, '/')
    .replaceAll('&quot;', '"');
}

/**
 * The plain text of a value with a MAC, as we or the Java servers write it, which name no key id. Without one it
 * proves nothing.
 */
function cbcPlain(members: Record<'iv' | 'data' | 'salt' | 'mac', string>, key: Key): Buffer | undefined {
  const value = { cipher: CBC, key: key.alias, ...members };
  const only = new KeyRing({ [key.alias]: [key.bytes.toString('base64')] });
  const accept = () => true;
  return (
    decryptCbc({ ...value, keyId: key.id }, key.alias, only, accept) ??
    decryptCbc(value, key.alias, only, accept)
  );
}
