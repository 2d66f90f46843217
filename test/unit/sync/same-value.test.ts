import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openCrypto } from '#crypto/index.ts';
import type { JsonValue } from '#json/index.ts';
import { isSameValue } from '#sync/same-value.ts';

const to = (id: string, said?: Record<string, JsonValue>): JsonValue => ({
  _ref: `managed/role/${id}`,
  ...(said === undefined ? {} : { _refProperties: said }),
});

describe('a value of a target', () => {
  const crypto = openCrypto({ keyRing: { 'svc-sym-default': [randomBytes(32).toString('base64')] } });

  // What is wanted, what there is, whether that is the same.
  const table: readonly [JsonValue, JsonValue, boolean][] = [
    [[to('a'), to('b')], [to('b'), to('a', { _id: '1' })], true],
    [[to('a'), to('a')], [to('a'), to('b')], false],
    [[to('a'), to('b')], [to('a'), to('a')], false],
    [[to('a'), to('a', { kind: 'lead' })], [to('a', { kind: 'lead' }), to('a')], true],
    [[to('a', { kind: 'lead' })], [to('a')], false],
    [[to('a'), 'plain'], ['plain', to('a')], true],
    [[to('a'), { b: 1, c: 2 }], [{ c: 2, b: 1 }, to('a')], true],
    [['a', 'b'], ['b', 'a'], false],
    [null, [], false],
  ];

  it.each(table)('%j over %j need not be written: %s', async (wanted, existing, isSame) => {
    expect(await isSameValue(crypto, wanted, existing)).toBe(isSame);
  });

  it('that is a hash is compared with the same text once', async () => {
    let asked = 0;
    const counting = {
      isHashed: (value: JsonValue) => crypto.isHashed(value),
      decrypt: (value: JsonValue) => crypto.decrypt(value),
      matches: (text: string, hash: JsonValue) => {
        asked += 1;
        return crypto.matches(text, hash);
      },
    };
    const hash = await crypto.hash('Sesame-Open-1', 'SHA-256');
    const sealed = await crypto.encrypt('Sesame-Open-1', null, null);
    const other = await crypto.encrypt('Sesame-Shut-1', null, null);
    const isSame = (wanted: JsonValue) => isSameValue(counting as unknown as typeof crypto, wanted, hash);
    expect([await isSame(sealed), await isSame(sealed), asked]).toEqual([true, true, 1]);
    expect([await isSame(other), await isSame(other), asked]).toEqual([false, false, 3]);
  });
});
