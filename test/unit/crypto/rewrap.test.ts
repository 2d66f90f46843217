import { beforeAll, describe, expect, it } from 'vitest';
import { KeyRing, openCrypto, Rewrapper } from '#crypto/index.ts';
import type { JsonObject } from '#json/index.ts';

const ALIAS = 'svc-sym-default';
const GCM = 'AES/GCM/NoPadding';
const CBC = 'AES/CBC/PKCS5Padding';
const OLD = Buffer.alloc(32, 1).toString('base64');
const NEW = Buffer.alloc(32, 2).toString('base64');
const old = openCrypto({ keyRing: { [ALIAS]: [OLD] } });
const retired = openCrypto({ keyRing: { [ALIAS]: [NEW] } });
const rewrapper = new Rewrapper({ [ALIAS]: [NEW, OLD] });

describe('a rewrapper', () => {
  let sealed: JsonObject;
  let json: string;
  beforeAll(async () => {
    sealed = await old.encrypt({ inner: await old.encrypt('core', null, null) }, null, null);
    json = JSON.stringify(sealed);
  });
  const inString = (text: string) => JSON.stringify(text).slice(1, -1);
  const asEntities = (text: string) => text.replaceAll('"', '&quot;');
  const fromEntities = (text: string) => text.replaceAll('&quot;', '"');
  const unescaped = (text: string) => JSON.parse(`"${text}"`) as string;
  const same = (text: string) => text;

  it.each([
    ['in JSON', same, same],
    ['in a string', inString, unescaped],
    [
      'in a string inside a string',
      (text: string) => inString(inString(text)),
      (text: string) => unescaped(unescaped(text)),
    ],
    ['in an attribute of XML', asEntities, fromEntities],
    ['with line breaks', (text: string) => JSON.stringify(JSON.parse(text), null, 2), same],
  ])(
    'encrypts again what stands %s, and leaves every other character as it is',
    async (_where, write, read) => {
      const [before, after] = ['{ "n": 12345678901234567890.10, "x": "', '" } // end\n'];
      const result = rewrapper.rewrap(before + write(json) + after);
      expect(result).toMatchObject({ sealed: 1, rewrapped: 1, failures: [] });
      expect([result.text.startsWith(before), result.text.endsWith(after)]).toEqual([true, true]);
      const now = JSON.parse(read(result.text.slice(before.length, -after.length)));
      expect(await retired.decrypt(now)).toEqual({ inner: 'core' });
      const again = rewrapper.rewrap(result.text);
      expect([again.text, again.sealed, again.rewrapped]).toEqual([result.text, 1, 0]);
    },
  );

  it('makes the same of the same value in one row', () => {
    const memory = new Map();
    const [first, second] = [json, inString(json)].map((text) => rewrapper.rewrap(text, memory).text);
    expect(unescaped(second!)).toBe(first);
  });

  it('tells of what was sealed and cannot be replaced, and encrypts the rest again', () => {
    const relabelled = json.replace(/"keyId":"\w+"/, '"keyId":"0123456789ab"');
    const asLiteral = (text: string) =>
      text
        .replace(/"(\w+)":/g, '$1: ')
        .replaceAll('"', "'")
        .replaceAll('/', '\\/');
    for (const unwritable of [relabelled, asLiteral(json), json.replace('{"$crypto"', '{"a":1,"$crypto"')]) {
      const { sealed, rewrapped, failures } = rewrapper.rewrap(`decrypt(${unwritable}); ${json}`);
      expect([sealed, rewrapped, failures], unwritable).toEqual([
        2,
        1,
        [expect.stringContaining('written in a way that cannot be replaced')],
      ]);
      expect(new Rewrapper({ [ALIAS]: [OLD] }).rewrap(unwritable)).toMatchObject({ sealed: 1, failures: [] });
    }
  });

  it('finds what Java servers sealed with a MAC however it is written', async () => {
    const java = JSON.stringify(await old.encrypt('x', 'AES/CBC/PKCS5Padding', null)).replaceAll('"', "'");
    expect(rewrapper.rewrap(java).failures).toEqual([expect.stringContaining('encrypt it anew by hand')]);
  });

  const forged = (value: object) => JSON.stringify({ $crypto: { type: 'x-simple-encryption', value } });
  const bytes = (length: number) => Buffer.alloc(length, 7).toString('base64');
  const { id } = new KeyRing({ [ALIAS]: [OLD] }).current(ALIAS);

  it.each([
    ['names the type and a cipher', "{$crypto: {type: 'x-simple-encryption', value: {cipher: 'AES'}}}"],
    ['names a key that nobody has', forged({ cipher: GCM, key: 'nobody', keyId: 'x', iv: '', data: '' })],
    ['names a key of ours', forged({ cipher: GCM, key: ALIAS, keyId: id, iv: bytes(12), data: bytes(40) })],
    ['lacks what envelopes have', forged({ cipher: GCM, key: ALIAS, keyId: id })],
    ['says of a public key', forged({ cipher: GCM, key: { data: 'x' } })],
    [
      'cannot be made a text of',
      forged({
        cipher: CBC,
        key: ALIAS,
        iv: bytes(16),
        data: bytes(16),
        salt: bytes(16),
        mac: bytes(16),
        x: { toString: 1, valueOf: 1 },
      }),
    ],
    ['is broken off', '{"$crypto":{"type":"x-simple-encryption","value":{"cipher":'],
  ])('takes what a user has made up for text, also if it %s', (_what, text) => {
    const written = JSON.stringify({ $crypto: { a: text }, sn: text });
    for (const given of [text, written]) {
      expect(rewrapper.rewrap(given + json)).toMatchObject({ sealed: 1, rewrapped: 1, failures: [] });
      expect(rewrapper.rewrap(given)).toMatchObject({ text: given, sealed: 0, failures: [] });
    }
  });

  it('looks through what was made up to take long in time that grows with its length', () => {
    const work = (size: number) => {
      const iv = `"iv":"${bytes(12)}","data":"${bytes(24)}",`;
      const texts = [
        '{"$crypto":'.repeat(size / 11),
        '{"$crypto" '.repeat(size / 11),
        `{"${'\\'.repeat(size)}"$crypto`,
        iv.repeat(size / iv.length),
        forged({ cipher: GCM, key: 'x'.repeat(size) }),
      ];
      for (const text of texts) expect(rewrapper.rewrap(`x-simple-encryption ${text}`).failures).toEqual([]);
    };
    work(10_000);
    const startedAt = process.cpuUsage();
    work(1_000_000);
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(30_000);
  });

  it('leaves hashes, and texts that only name the type, as they are', async () => {
    const hash = JSON.stringify(await old.hash('x', 'SHA-256'));
    expect(rewrapper.rewrap(`${hash} "x-simple-encryption"`)).toMatchObject({ sealed: 0, failures: [] });
  });
});
