import { createPrivateKey } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openCrypto } from '#crypto/index.ts';
import { run } from '../../src/cli/index.ts';
import { encryptForPair } from '../support/for-key-pair.ts';
import { createProject, type TestProject } from '../support/project.ts';

const KEYSTORE = join(import.meta.dirname, '../fixtures/keystores/keystore.p12');
const OLD = 'hZAIrDUQlOrQ9SiUD3iOEQ==';

describe('svc import keys', () => {
  let place: TestProject;
  beforeAll(async () => {
    place = await createProject();
    await writeFile(join(place.location, 'password'), 'changeit\n');
    await writeFile(join(place.location, 'other'), 'another\n');
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const ring = async () =>
    JSON.parse(await readFile(join(place.location, '.svc/keys.json'), 'utf8')) as Record<string, string[]>;

  async function take(passwordFile: string, ...more: string[]) {
    let output = '';
    const note = (text: string) => {
      output += `${text}\n`;
    };
    const listen = vi.spyOn(console, 'log').mockImplementation(note);
    const complaint = vi.spyOn(console, 'error').mockImplementation(note);
    vi.stubEnv('SVC_PROJECT', place.location);
    vi.stubEnv('SVC_DATA_DIR', join(place.location, '.svc'));
    try {
      const password = ['--password-file', join(place.location, passwordFile)];
      return { code: await run(['import', 'keys', KEYSTORE, ...password, ...more]), output };
    } finally {
      listen.mockRestore();
      complaint.mockRestore();
      vi.unstubAllEnvs();
    }
  }

  it('takes nothing by another password, and says so', async () => {
    const { code, output } = await take('other');
    expect([code, output]).toEqual([1, expect.stringMatching(/another password|cannot be read/)]);
    await expect(stat(join(place.location, '.svc/keys.json'))).rejects.toThrow(/ENOENT/);
  });

  it('puts each key for encryption behind a new one, under its alias, and shows none', async () => {
    const { code, output } = await take('password');
    expect(code).toBe(0);
    const { 'openidm-sym-default': keys = [], ...others } = await ring();
    expect(keys).toEqual([expect.any(String), OLD]);
    expect(Buffer.from(keys[0] ?? '', 'base64').length).toBe(32);
    expect(Object.keys(others)).toContain('openidm-selfservice-key');
    expect(Object.keys(others)).not.toContain('openidm-jwtsessionhmac-key');
    expect(output).toMatch(/added .*openidm-localhost: its private key/);
    for (const key of [...keys, ...(others['openidm-localhost'] ?? [''])]) expect(output).not.toContain(key);
  });

  it('brings the private key that password plugins encrypt for, which encrypts nothing', async () => {
    const { 'openidm-localhost': pair = [] } = await ring();
    expect(pair).toHaveLength(1);
    const crypto = openCrypto({ keyRing: await ring() });
    const key = createPrivateKey({ key: Buffer.from(pair[0] ?? '', 'base64'), format: 'der', type: 'pkcs8' });
    expect(await crypto.decrypt(encryptForPair('Old-Secret-1', 'openidm-localhost', key))).toBe(
      'Old-Secret-1',
    );
    await expect(crypto.encrypt('x', null, 'openidm-localhost')).rejects.toMatchObject({
      detail: { id: 'CRYPTO_UNKNOWN_ALIAS' },
    });
  });

  it('changes nothing a second time', async () => {
    const before = await ring();
    const { code, output } = await take('password');
    expect([code, output]).toEqual([0, expect.stringMatching(/known .*openidm-sym-default/)]);
    expect(await ring()).toEqual(before);
  });
});
