import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findPostgresBinaries } from '../../../src/database/embedded/embedded-binaries.ts';
import {
  FIRST_PASSWORD_FILE,
  getTemplate,
  openTemplateCache,
  prepareCopy,
  takeCopy,
} from '../../../src/database/embedded/embedded-template.ts';
import { choosePostgresUser } from '../../../src/database/embedded/embedded-user.ts';
import '../../support/takes-long.ts';

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

async function makeSmallTemplate(): Promise<string> {
  const template = join(root, 'template');
  await mkdir(join(template, 'base'), { recursive: true });
  await writeFile(join(template, 'base', '1'), 'rows', { mode: 0o600 });
  await chmod(template, 0o700);
  return template;
}

test('a copy that was made beforehand is taken by one, and all others make their own', async () => {
  const template = await makeSmallTemplate();
  await prepareCopy(template);
  const [prepared] = (await readdir(root)).filter((name) => name !== 'template');
  const { ino } = await stat(join(root, prepared!));
  const targets = ['a', 'b', 'c'].map((name) => join(root, name));
  await Promise.all(targets.map((target) => takeCopy(template, target)));
  const taken = await Promise.all(targets.map((target) => stat(target)));
  expect(taken.filter((target) => target.ino === ino)).toHaveLength(1);
  expect(taken.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
  for (const target of targets) expect(await readFile(join(target, 'base', '1'), 'utf8')).toBe('rows');
  expect((await readdir(root)).toSorted()).toEqual(['a', 'b', 'c', 'template']);
});

test('a copy is prepared once, also by several at a time, and nothing is left where that fails', async () => {
  const template = await makeSmallTemplate();
  await Promise.all([prepareCopy(template), prepareCopy(template), prepareCopy(template)]);
  expect(await readdir(root)).toHaveLength(2);
  await prepareCopy(join(root, 'gone'));
  expect(await readdir(root)).toHaveLength(2);
});
