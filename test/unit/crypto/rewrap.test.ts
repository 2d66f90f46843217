import { beforeAll, describe, expect, it } from 'vitest';
import { openCrypto, Rewrapper } from '#crypto/index.ts';
import type { JsonObject } from '#json/index.ts';

const ALIAS = 'svc-sym-default';
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

  it('tells of what it cannot read, and encrypts the rest again', () => {
    const literal = `decrypt({$crypto: {type: 'x-simple-encryption', value: {cipher: 'AES'}}}) `;
    const lost = json.replace(/"keyId":"\w+"/, '"keyId":"0123456789ab"');
    const { rewrapped, failures } = rewrapper.rewrap(literal + json + lost);
    expect([rewrapped, failures]).toEqual([
      1,
      [
        'an encrypted value at character 26 is written in a way that cannot be read',
        expect.stringContaining('which the key ring of this node lacks'),
      ],
    ]);
  });

  it('leaves hashes, and texts that only name the type, as they are', async () => {
    const hash = JSON.stringify(await old.hash('x', 'SHA-256'));
    expect(rewrapper.rewrap(`${hash} "x-simple-encryption"`)).toMatchObject({ sealed: 0, failures: [] });
  });
});
