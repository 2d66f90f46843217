import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { hashPassword, openCrypto } from '#crypto/index.ts';
import { isQuickHash, matchesPassword, takesHash } from '#crypto/password-hash.ts';

const crypto = openCrypto({ keyRing: {} });

describe('a password hash', () => {
  it('matches its password and no other, letters beyond ASCII included', async () => {
    const hash = await hashPassword('Grüße 🙂');
    expect(await matchesPassword('Grüße 🙂', hash)).toBe(true);
    expect(await matchesPassword('Grüße', hash)).toBe(false);
    expect(await matchesPassword('', hash)).toBe(false);
  });

  it('is another one each time', async () => {
    expect(await hashPassword('x')).not.toEqual(await hashPassword('x'));
  });

  it.each([
    undefined,
    null,
    'x',
    {},
    { $crypto: { type: 'salted-hash', value: { algorithm: 'CRC32', data: 'x' } } },
    { $crypto: { type: 'salted-hash', value: { algorithm: 'SHA-256', data: '' } } },
    {
      $crypto: {
        type: 'salted-hash',
        value: {
          algorithm: 'SCRYPT',
          cost: 3,
          blockSize: 8,
          parallelization: 1,
          salt: 'AA==',
          data: 'AAAAAAAAAAAAAAAAAAAAAA==',
        },
      },
    },
    {
      $crypto: {
        type: 'salted-hash',
        value: { algorithm: 'ARGON2ID', memory: 1e12, passes: 1, parallelism: 1, salt: 'AA==', data: 'AA==' },
      },
    },
  ])('that is %j matches nothing', async (stored) => {
    expect(await matchesPassword('x', stored as never)).toBe(false);
  });
});

describe('what a stored hash asks for', () => {
  const argon2 = { algorithm: 'ARGON2ID', memory: 19_456, passes: 2, parallelism: 1 };
  const scrypt = { algorithm: 'SCRYPT', cost: 131_072, blockSize: 8, parallelization: 1 };
  const pbkdf2 = { algorithm: 'PBKDF2-SHA512', iterations: 210_000 };

  it.each([
    [argon2, true],
    [{ ...argon2, memory: 65_536, passes: 3, parallelism: 4 }, true],
    [{ ...argon2, memory: 262_144, passes: 5 }, false],
    [scrypt, true],
    [{ ...scrypt, parallelization: 2 }, true],
    [{ ...scrypt, cost: 262_144, blockSize: 16 }, false],
    [{ ...scrypt, parallelization: 8 }, false],
    [pbkdf2, true],
    [{ ...pbkdf2, iterations: 3_000_001 }, false],
    [{ algorithm: 'PBKDF2-SHA1', iterations: 10_000_000 }, false],
    [{ algorithm: 'CRC32' }, false],
  ])('is bounded, since anybody has it compared with a guess: %j', (value, isTaken) => {
    expect(takesHash(value)).toBe(isTaken);
  });

  it.each([
    [argon2, false],
    [{ ...argon2, memory: 7_168, passes: 5 }, false],
    [{ ...argon2, memory: 4_096 }, true],
    [scrypt, false],
    [{ ...scrypt, cost: 8_192 }, true],
    [pbkdf2, false],
    [{ ...pbkdf2, iterations: 27_500 }, true],
    [{ algorithm: 'SHA-256', data: 'AAAA' }, true],
  ])('is told to be quick beside ours where it is: %j', (value, isQuick) => {
    expect(isQuickHash({ $crypto: { type: 'salted-hash', value } })).toBe(isQuick);
  });

  it('is told to be quick of what is encrypted, or nothing that is compared', () => {
    expect(isQuickHash({ $crypto: { type: 'x-simple-encryption', value: {} } })).toBe(true);
    expect(isQuickHash('plain')).toBe(true);
  });
});

describe('svc.hash', () => {
  it.each([null, 'ARGON2ID', 'SCRYPT', 'PBKDF2', 'SHA-256', 'SHA-384', 'SHA-512', 'sha-256'])(
    'with algorithm %s makes what matches',
    async (algorithm) => {
      const hash = await crypto.hash('Grüße', algorithm);
      expect(crypto.isHashed(hash)).toBe(true);
      expect(hash).toMatchObject({
        $crypto: { type: 'salted-hash', value: { algorithm: (algorithm ?? 'ARGON2ID').toUpperCase() } },
      });
      expect(await crypto.matches('Grüße', hash)).toBe(true);
      expect(await crypto.matches('Grüsse', hash)).toBe(false);
    },
  );

  it('takes other values by their JSON text', async () => {
    expect(await crypto.matches('{"a":1}', await crypto.hash({ a: 1 }, 'SHA-256'))).toBe(true);
  });

  it.each([
    ['SHA-257', "Did you mean 'SHA-256'?"],
    ['MD5', 'Use one of'],
  ])('refuses %s', async (algorithm, hint) => {
    await expect(crypto.hash('x', algorithm)).rejects.toMatchObject({
      code: 400,
      detail: { id: 'CRYPTO_UNKNOWN_ALGORITHM', hint: expect.stringContaining(hint) },
    });
  });
});

describe('a hash that a Java server made', () => {
  const legacy = (algorithm: string, digest: string, plain: Buffer) => {
    const salt = Buffer.from('0123456789abcdef');
    const data = Buffer.concat([createHash(digest).update(plain).update(salt).digest(), salt]);
    return { $crypto: { type: 'salted-hash', value: { algorithm, data: data.toString('base64') } } };
  };

  it.each([
    ['MD5', 'md5'],
    ['SHA-1', 'sha1'],
    ['SHA-256', 'sha256'],
    ['SHA-384', 'sha384'],
    ['SHA-512', 'sha512'],
  ])('with %s is verified', async (algorithm, digest) => {
    const hash = legacy(algorithm, digest, Buffer.from('Passw0rd'));
    expect(await crypto.matches('Passw0rd', hash)).toBe(true);
    expect(await crypto.matches('Passw0rt', hash)).toBe(false);
  });

  it('is verified as well where letters beyond ASCII were cut', async () => {
    const password = 'Grüße';
    const cut = legacy('SHA-256', 'sha256', Buffer.from(password).subarray(0, password.length));
    expect(await crypto.matches(password, cut)).toBe(true);
    expect(await crypto.matches('Grün', cut)).toBe(false);
  });

  it('is cut in no hash of ours: a longer password with the same beginning does not match', async () => {
    const ours = await crypto.hash('ü', 'SHA-256');
    expect(await crypto.matches('ü', ours)).toBe(true);
    expect(await crypto.matches('üa', ours)).toBe(false);
  });

  it('keeps nobody else waiting for the threads that files and compression need', async () => {
    let hashed = 0;
    const hashes = Array.from({ length: 12 }, () => hashPassword('x').finally(() => (hashed += 1)));
    await promisify(gzip)(Buffer.alloc(1_000));
    expect(hashed).toBeLessThan(6);
    await Promise.all(hashes);
  });
});
