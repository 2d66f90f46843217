import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readKeystore } from '../../../src/crypto/keystore/read-keystore.ts';

const read = (name: string) => readFile(join(import.meta.dirname, '../../fixtures/keystores', name));

/** Made by keytool of Java 17 with the password `changeit`; the keys are what Java itself reads. */
const STORES: [name: string, keys: Record<string, string>][] = [
  [
    'keystore.jceks',
    {
      'openidm-sym-default': 'wNXllXBUDBRoeZDabt14gA==',
      'openidm-selfservice-key': 'e5WN4z1VPHF+39xKutz5o/zyJBfbFemjZdlW/jTuoGE=',
    },
  ],
  [
    'keystore.p12',
    {
      'openidm-sym-default': 'hZAIrDUQlOrQ9SiUD3iOEQ==',
      'openidm-selfservice-key': 'FjaMe33CHUZlbSNmC+Iy7aKdgnadF3WgIVT8bNKhkvY=',
    },
  ],
];

describe.each(STORES)('%s, which Java has written', (name, keys) => {
  it('has the keys that Java reads in it', async () => {
    const found = readKeystore(await read(name), 'changeit');
    const secret = found.filter(({ algorithm }) => algorithm === 'AES');
    expect(Object.fromEntries(secret.map(({ alias, bytes }) => [alias, bytes?.toString('base64')]))).toEqual(
      keys,
    );
    expect(found.map(({ alias }) => alias)).toContain('openidm-localhost');
    expect(found.find(({ alias }) => alias === 'openidm-localhost')?.bytes).toBeUndefined();
  });

  it('is not opened by another password', async () => {
    const file = await read(name);
    for (const password of ['', 'changeIt', 'x'.repeat(1_000)]) {
      expect(() => readKeystore(file, password)).toThrow(/another password|cannot be read/);
    }
  });

  it('is refused, and nothing else, when it is damaged anywhere or broken off', async () => {
    const file = await read(name);
    for (let at = 0; at < file.length; at += 97) {
      const damaged = Buffer.from(file);
      damaged[at] = damaged.readUInt8(at) ^ 0x5a;
      const told = outcome(damaged);
      expect(told === 'read' || told === 'KeystoreError').toBe(true);
      expect(['read', 'KeystoreError']).toContain(outcome(file.subarray(0, at)));
    }
  });
});

function outcome(file: Buffer): string {
  try {
    readKeystore(file, 'changeit');
    return 'read';
  } catch (error) {
    return error instanceof Error ? error.constructor.name : 'nothing';
  }
}
