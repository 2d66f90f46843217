import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findPostgresBinaries } from '../../../src/database/embedded/embedded-binaries.ts';
import {
  FIRST_PASSWORD_FILE,
  getTemplate,
  openTemplateCache,
} from '../../../src/database/embedded/embedded-template.ts';
import { choosePostgresUser } from '../../../src/database/embedded/embedded-user.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-template-'));
  await chmod(root, 0o711);
  vi.stubEnv('TMPDIR', root);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

test('a template is made once, also when several ask at the same time', async () => {
  const binaries = await findPostgresBinaries();
  const user = await choosePostgresUser(join(root, 'nothing'), [root, binaries.postgres]);
  const messages: string[] = [];
  const ask = () => getTemplate(binaries, root, user, (message) => messages.push(message));
  const [left, right] = await Promise.all([ask(), ask()]);
  expect(left).toBe(right);
  const made = messages.length;
  expect(await ask()).toBe(left);
  expect(messages).toHaveLength(made);
  expect(await readdir(root)).toHaveLength(1);
  expect((await readFile(join(left, FIRST_PASSWORD_FILE), 'utf8')).length).toBeGreaterThan(30);
  expect((await stat(left)).mode & 0o777).toBe(0o700);
});

test('templates lie beside the packages, and in the temporary folder where that is closed', async () => {
  const binaries = await findPostgresBinaries();
  const home = (place: string) => ({ ...binaries, home: join(place, 'node_modules', 'postgres') });
  expect(await openTemplateCache(home(root))).toBe(join(root, 'node_modules', '.cache', 'svc-postgres'));
  expect(await openTemplateCache(home('/dev/null'))).toBe(join(root, `svc-postgres-${process.getuid?.()}`));
});

test('a template folder that others may write to is not trusted', async () => {
  const binaries = { ...(await findPostgresBinaries()), home: join(root, 'node_modules', 'postgres') };
  const cache = await openTemplateCache(binaries);
  await chmod(cache, 0o777);
  expect(await openTemplateCache(binaries)).not.toBe(cache);
});
