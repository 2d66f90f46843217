import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCrypto, openKeyRing } from '#crypto/index.ts';

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'svc-keys-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

describe('the key ring', () => {
  it('is made at the first start for its owner only, and is the same at the next', async () => {
    await using folder = await temporaryFolder();
    const dataDirectory = join(folder.path, 'not', 'yet', 'there');
    const first = await openKeyRing({ variable: undefined, dataDirectory });
    expect(first.madeFile).toBe(join(dataDirectory, 'keys.json'));
    expect((await stat(first.madeFile!)).mode & 0o777).toBe(0o600);
    const second = await openKeyRing({ variable: '', dataDirectory });
    expect(second).toEqual({ text: first.text, place: first.place });
    const envelope = await openCrypto({ keyRing: first.text }).encrypt('x', null, 'svc-selfservice-key');
    expect(await openCrypto({ keyRing: second.text }).decrypt(envelope)).toBe('x');
  });

  it('is one for all nodes that start at once in one data directory', async () => {
    await using folder = await temporaryFolder();
    const opened = await Promise.all(
      Array.from({ length: 8 }, () => openKeyRing({ variable: undefined, dataDirectory: folder.path })),
    );
    expect(new Set(opened.map(({ text }) => JSON.stringify(text))).size).toBe(1);
    expect(opened.filter(({ madeFile }) => madeFile !== undefined)).toHaveLength(1);
  });

  it('comes from SVC_KEYS when it is set, and no file is made then', async () => {
    await using folder = await temporaryFolder();
    const key = Buffer.alloc(32, 7).toString('base64');
    const { text } = await openKeyRing({
      variable: `{"svc-sym-default":["${key}"]}`,
      dataDirectory: folder.path,
    });
    expect(text).toEqual({ 'svc-sym-default': [key] });
    await expect(readFile(join(folder.path, 'keys.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([
    ['no JSON', 'svc-sym-default=SECRETSECRET', 'is not JSON'],
    ['a short key', '{"svc-sym-default":["U0VDUkVU"]}', 'must be 16, 24, 32 bytes in Base64'],
    ['no key', '{"svc-sym-default":[]}', 'needs at least one key'],
    ['a list', '["U0VDUkVU"]', 'expected record'],
  ])('that is %s keeps the server from starting, and shows no key', async (_what, variable, message) => {
    await using folder = await temporaryFolder();
    const opening = openKeyRing({ variable, dataDirectory: folder.path });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toThrow('SVC_KEYS');
    await expect(opening).rejects.not.toThrow('U0VDUkVU');
    await expect(opening).rejects.not.toThrow('SECRETSECRET');
  });

  it('is empty where no file can be made, and encryption says what to do', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'file'), '');
    const opened = await openKeyRing({ variable: undefined, dataDirectory: join(folder.path, 'file') });
    expect(opened).toMatchObject({
      text: {},
      missing: expect.stringContaining('keys.json cannot be written'),
    });
    await expect(openCrypto({ keyRing: opened.text }).encrypt('x', null, null)).rejects.toMatchObject({
      detail: { id: 'CRYPTO_NO_KEY_RING', hint: expect.stringContaining('SVC_KEYS') },
    });
  });

  it('in a file that is broken names the file', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'keys.json'), '{');
    await expect(openKeyRing({ variable: undefined, dataDirectory: folder.path })).rejects.toThrow(
      join(folder.path, 'keys.json'),
    );
  });
});
