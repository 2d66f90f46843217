import { createCipheriv, createHmac, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCrypto, Rewrapper } from '#crypto/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { encryptForPair, PAIR_CIPHERS } from '../../support/for-key-pair.ts';

const newest = randomBytes(32);
const older = randomBytes(32);
const legacy = randomBytes(16);
const text = (key: Buffer) => key.toString('base64');
const keyRing = {
  'svc-sym-default': [text(newest)],
  legacy: [text(newest), text(legacy)],
  tiny: [text(legacy)],
};
const crypto = openCrypto({ keyRing });

const inside = (envelope: JsonObject) => (envelope as { $crypto: { value: JsonObject } }).$crypto.value;

describe('an encrypted value', () => {
  it('comes back as it was, whatever JSON it is, under both ciphers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.constantFrom(null, 'AES/CBC/PKCS5Padding', 'aes/gcm/nopadding'),
        async (value, cipher) => {
          const given = JSON.parse(JSON.stringify(value)) as JsonValue;
          const envelope = await crypto.encrypt(given, cipher, null);
          expect(crypto.isEncrypted(envelope)).toBe(true);
          expect(await crypto.decrypt(envelope)).toEqual(given);
        },
      ),
    );
  });

  it('is AES-256-GCM under the default key unless said otherwise, and differs each time', async () => {
    const envelope = await crypto.encrypt('secret', null, null);
    expect(envelope).toEqual({
      $crypto: {
        type: 'x-simple-encryption',
        value: {
          cipher: 'AES/GCM/NoPadding',
          key: 'svc-sym-default',
          keyId: expect.stringMatching(/^[0-9a-f]{12}$/),
          iv: expect.any(String),
          data: expect.any(String),
        },
      },
    });
    expect(JSON.stringify(envelope)).not.toContain('secret');
    expect(await crypto.encrypt('secret', null, null)).not.toEqual(envelope);
  });

  it.each(['cipher', 'key', 'keyId', 'iv', 'data'])('is refused when its %s was changed', async (member) => {
    const value = inside(await crypto.encrypt('secret', null, 'legacy'));
    const changed: Record<string, string> = {
      cipher: 'AES/CBC/PKCS5Padding',
      key: 'svc-sym-default',
      keyId:
        inside(await crypto.encrypt('x', null, 'svc-sym-default'))['keyId'] === value['keyId'] ? 'gone' : '',
      iv: randomBytes(12).toString('base64'),
      data: randomBytes(30).toString('base64'),
    };
    const envelope = {
      $crypto: { type: 'x-simple-encryption', value: { ...value, [member]: changed[member]! } },
    };
    await expect(crypto.decrypt(envelope)).rejects.toMatchObject({ code: 500 });
  });

  it.each(['cipher', 'key', 'keyId', 'iv', 'data', 'salt', 'mac'])(
    'under CBC is refused when its %s was changed',
    async (member) => {
      const value = inside(await crypto.encrypt('secret', 'AES/CBC/PKCS5Padding', 'legacy'));
      const changed = { ...value, [member]: randomBytes(16).toString('base64') };
      const envelope = { $crypto: { type: 'x-simple-encryption', value: changed } };
      await expect(crypto.decrypt(envelope)).rejects.toMatchObject({ code: 500 });
    },
  );

  it('is found at any depth, and hashes stay as they are', async () => {
    const hash = await crypto.hash('x', 'SHA-256');
    const nested = await crypto.encrypt({ inner: await crypto.encrypt(1, null, null) }, null, null);
    expect(await crypto.decrypt({ list: [nested], hash, plain: 'p' })).toEqual({
      list: [{ inner: 1 }],
      hash,
      plain: 'p',
    });
  });
});

describe('an envelope of a Java server', () => {
  it('of the older form, without MAC, is read with any key of its alias', async () => {
    const iv = randomBytes(16);
    const cipher = createCipheriv('aes-128-cbc', legacy, iv);
    const data = Buffer.concat([cipher.update('"Passw0rd"'), cipher.final()]);
    const value = {
      cipher: 'AES/CBC/PKCS5Padding',
      key: 'legacy',
      iv: iv.toString('base64'),
      data: data.toString('base64'),
    };
    expect(await crypto.decrypt({ $crypto: { type: 'x-simple-encryption', value } })).toBe('Passw0rd');
  });

  it('of the newer form, with salt and MAC, is read and its MAC is checked', async () => {
    const salt = randomBytes(16);
    const derive = (info: string, length: number) =>
      Buffer.from(hkdfSync('sha256', legacy, salt, info, length));
    const iv = randomBytes(16);
    const cipher = createCipheriv('aes-128-cbc', derive('AES', 16), iv);
    const value: Record<string, string> = {
      iv: iv.toString('base64'),
      data: Buffer.concat([cipher.update('{"a":[1]}'), cipher.final()]).toString('base64'),
      cipher: 'AES/CBC/PKCS5Padding',
      salt: salt.toString('base64'),
      key: 'legacy',
    };
    const hmac = createHmac('sha256', derive('HmacSHA256', 32));
    for (const name of ['cipher', 'data', 'iv', 'key', 'salt']) hmac.update(name + value[name]);
    const mac = hmac.digest().subarray(0, 16).toString('base64');
    const envelope = (members: JsonObject) => ({ $crypto: { type: 'x-simple-encryption', value: members } });
    expect(await crypto.decrypt(envelope({ ...value, mac }))).toEqual({ a: [1] });
    await expect(
      crypto.decrypt(envelope({ ...value, mac: Buffer.alloc(16).toString('base64') })),
    ).rejects.toMatchObject({ detail: { id: 'CRYPTO_DAMAGED' } });
  });

  it.each([
    [
      'a wrapped session key',
      { cipher: 'AES/CBC/PKCS5Padding', key: { cipher: 'RSA', key: 'a', data: 'x' }, data: '' },
    ],
    ['an unknown cipher', { cipher: 'DESede', key: 'legacy', data: '' }],
  ])('with %s is refused and says so', async (_what, value) => {
    await expect(crypto.decrypt({ $crypto: { type: 'x-simple-encryption', value } })).rejects.toMatchObject({
      code: 500,
      detail: { id: 'CRYPTO_UNSUPPORTED_ENVELOPE' },
    });
  });
});

describe('what was encrypted for a pair of keys', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pair = text(privateKey.export({ type: 'pkcs8', format: 'der' }));
  const withPair = openCrypto({ keyRing: { ...keyRing, host: [pair] } });

  it.each(PAIR_CIPHERS)('is opened by its private key, under %s', async (cipher) => {
    const sent = encryptForPair({ a: ['ä'] }, 'host', privateKey, cipher);
    expect(await withPair.decrypt({ deep: sent })).toEqual({ deep: { a: ['ä'] } });
  });

  it('is not opened without it, under another name, or when it was changed, and nothing tells which it was', async () => {
    const sent = encryptForPair('secret', 'host', privateKey);
    const value = inside(sent);
    const damaged = { ...value, data: text(randomBytes(16)) };
    const wrapped = { ...(value['key'] as JsonObject), data: text(randomBytes(256)) };
    for (const [opener, given] of [
      [crypto, value],
      [withPair, damaged],
      [withPair, { ...value, key: wrapped }],
      [withPair, { ...value, key: { ...(value['key'] as JsonObject), key: 'legacy' } }],
      [withPair, { ...value, key: { ...(value['key'] as JsonObject), cipher: 'RSA/ECB/NoPadding' } }],
    ] as const) {
      await expect(
        opener.decrypt({ $crypto: { type: 'x-simple-encryption', value: given } }),
      ).rejects.toMatchObject({ message: 'A value encrypted with a public key cannot be read' });
    }
  });

  it('stays as it is when values are encrypted anew', () => {
    const stored = JSON.stringify({ password: encryptForPair('secret', 'host', privateKey) });
    const { text: rewrapped, sealed, failures } = new Rewrapper({ ...keyRing, host: [pair] }).rewrap(stored);
    expect([rewrapped, sealed, failures]).toEqual([stored, 0, []]);
  });
});

describe('keys', () => {
  it('that were replaced still decrypt, and their envelopes are known to be out of date', async () => {
    const before = openCrypto({ keyRing: { 'svc-sym-default': [text(older)] } });
    const after = openCrypto({ keyRing: { 'svc-sym-default': [text(newest), text(older)] } });
    const envelope = await before.encrypt('kept', null, null);
    expect(await after.decrypt(envelope)).toBe('kept');
    expect(before.isUpToDate(envelope, null, null)).toBe(true);
    expect(after.isUpToDate(envelope, null, null)).toBe(false);
    expect(before.isUpToDate(envelope, 'AES/CBC/PKCS5Padding', null)).toBe(false);
    expect(before.isUpToDate('plain', null, null)).toBe(false);
  });

  it('that a node lacks are named, with what to do', async () => {
    const other = openCrypto({ keyRing: { 'svc-sym-default': [text(older)] } });
    const envelope = await crypto.encrypt('x', null, null);
    await expect(other.decrypt(envelope)).rejects.toMatchObject({
      code: 500,
      detail: { id: 'CRYPTO_UNKNOWN_KEY', hint: expect.stringContaining('SVC_KEYS') },
    });
    await expect(crypto.encrypt('x', null, 'svc-sym-defalt')).rejects.toMatchObject({
      message: "The key ring of this node has no key 'svc-sym-defalt'",
      detail: { hint: expect.stringContaining("Did you mean 'svc-sym-default'?") },
    });
  });

  it('of 16 bytes encrypt nothing by default', async () => {
    await expect(crypto.encrypt('x', null, 'tiny')).rejects.toMatchObject({
      detail: { id: 'CRYPTO_KEY_LENGTH' },
    });
    const envelope = await crypto.encrypt('x', 'AES/CBC/PKCS5Padding', 'tiny');
    expect(await crypto.decrypt(envelope)).toBe('x');
  });

  it('are asked for with a known cipher', async () => {
    for (const cipher of [
      'ROT13',
      'AES/ECB/PKCS5Padding',
      'DES/CBC/PKCS5Padding',
      'RC4',
      'RSA/ECB/PKCS1Padding',
    ]) {
      await expect(crypto.encrypt('x', cipher, null)).rejects.toMatchObject({
        code: 400,
        detail: { id: 'CRYPTO_UNKNOWN_CIPHER' },
      });
    }
  });
});

describe('what is no envelope', () => {
  it.each([null, 1, 'x', [], {}, { $crypto: null }, { $crypto: { type: 'x-simple-encryption' } }])(
    '%j is neither encrypted nor hashed',
    (value) => {
      expect(crypto.isEncrypted(value as JsonValue)).toBe(false);
      expect(crypto.isHashed(value as JsonValue)).toBe(false);
    },
  );

  it('a hash is not encrypted, and the other way round', async () => {
    expect(crypto.isEncrypted(await crypto.hash('x', null))).toBe(false);
    expect(crypto.isHashed(await crypto.encrypt('x', null, null))).toBe(false);
  });
});
