import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readKeystore } from '../../../src/crypto/keystore/read-keystore.ts';
import '../../support/takes-long.ts';

const read = (name: string) => readFile(join(import.meta.dirname, '../../fixtures/keystores', name));

/** Made by keytool of Java 17 with the password `changeit`; the keys are what Java itself reads. */
const STORES: [name: string, keys: Record<string, string>, publicKey: string][] = [
  [
    'keystore.jceks',
    {
      'openidm-sym-default': 'wNXllXBUDBRoeZDabt14gA==',
      'openidm-selfservice-key': 'e5WN4z1VPHF+39xKutz5o/zyJBfbFemjZdlW/jTuoGE=',
    },
    'xCNSctQ2KfbzAMRF0Tv8FbT3CLfP8Tg2HYpTS0tw5sW+QM+MYanWvZe88/NYT8DS',
  ],
  [
    'keystore.p12',
    {
      'openidm-sym-default': 'hZAIrDUQlOrQ9SiUD3iOEQ==',
      'openidm-selfservice-key': 'FjaMe33CHUZlbSNmC+Iy7aKdgnadF3WgIVT8bNKhkvY=',
    },
    'moSJRsr26oIyKxGO17Fun2ebNGCUMx+hGmIckNgNw9X5lC2vUiR40/aqIjARX24l',
  ],
];

describe.each(STORES)('%s, which Java has written', (name, keys, publicKey) => {
  it('has the keys that Java reads in it', async () => {
    const found = readKeystore(await read(name), 'changeit');
    const secret = found.filter(({ algorithm }) => algorithm === 'AES');
    expect(Object.fromEntries(secret.map(({ alias, bytes }) => [alias, bytes?.toString('base64')]))).toEqual(
      keys,
    );
    const pair = found.find(({ alias }) => alias === 'openidm-localhost');
    expect(pair?.algorithm).toBe('RSA');
    const key = createPrivateKey({ key: pair?.bytes ?? Buffer.alloc(0), format: 'der', type: 'pkcs8' });
    // The beginning of the modulus of its certificate, as openssl shows it.
    const shown = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
    expect(shown.replaceAll('\n', '')).toContain(publicKey);
  });

  it('is not opened by another password', async () => {
    const file = await read(name);
    for (const password of ['', 'changeIt', 'x'.repeat(1_000)]) {
      expect(() => readKeystore(file, password)).toThrow(/another password/);
    }
  });

  it('is refused, and nothing else, when it is damaged anywhere or broken off', async () => {
    const file = await read(name);
    for (let at = 0; at < file.length; at += 97) {
      const damaged = Buffer.from(file);
      damaged[at] = damaged.readUInt8(at) ^ 0x5a;
      expect(outcome(damaged)).toBe('KeystoreError');
      expect(outcome(file.subarray(0, at))).toBe('KeystoreError');
    }
  });
});

it('a keystore is refused that nobody vouches for, and one that has no end', async () => {
  const file = await read('keystore.p12');
  // Its last member is the checksum; what is left is a sequence that is shorter by that.
  const lengthOf = (from: number) => file.readUInt16BE(from + 2);
  const version = 4;
  const contents = version + 3;
  const end = contents + 4 + lengthOf(contents);
  const unchecked = Buffer.from(file.subarray(0, end));
  unchecked.writeUInt16BE(end - 4, 2);
  expect(() => readKeystore(unchecked, 'changeit')).toThrow(/has no checksum/);
  expect(() => readKeystore(Buffer.alloc(5_000_000, 0x30), 'changeit')).toThrow(/may have|no keystore/);
});

function outcome(file: Buffer): string {
  try {
    readKeystore(file, 'changeit');
    return 'read';
  } catch (error) {
    return error instanceof Error ? error.constructor.name : 'nothing';
  }
}
