import { symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptSources } from '../../../src/script/script-sources.ts';
import { createProject, type TestProject } from '../../support/project.ts';

describe('script sources', () => {
  let project: TestProject;
  let now = 0;

  beforeAll(async () => {
    project = await createProject({
      'low/both.js': 'low',
      'low/only-low.js': 'only low',
      'high/both.js': 'high',
      'high/sub/deep.js': 'deep',
      'secret.js': 'secret',
      'high/conf.json': '{}',
      'high/notes': 'hidden',
      'high/notes.txt': 'hidden',
      'high/.env': 'PASSWORD=hidden',
      'high/.svc/keys.json': '["hidden"]',
      'high/sub/.hidden.js': 'hidden',
    });
    await symlink('../secret.js', join(project.location, 'high/away.js'));
    await symlink('../low/only-low.js', join(project.location, 'high/near.js'));
  });
  afterAll(() => project[Symbol.asyncDispose]());

  const sources = (recheckMs = -1) =>
    new ScriptSources(
      ['low', 'high'].map((name) => ({ name, directory: join(project.location, name) })),
      recheckMs,
      () => now,
    );

  it('declared later hide those declared earlier', async () => {
    expect((await sources().get('both.js')).text).toBe('high');
    expect((await sources().get('only-low.js')).text).toBe('only low');
    expect((await sources().get('sub/deep.js')).text).toBe('deep');
  });

  it('are kept up to a bound, and looked at again beyond it', async () => {
    const kept = sources();
    const text = async (path: string) => (await kept.get(path)).text;
    await project.write('high/first.js', 'first');
    expect(await text('first.js')).toBe('first');
    await project.write('high/first.js', 'second');
    expect(await text('first.js')).toBe('first');
    await project.write('high/large.js', ' '.repeat(20_000_000));
    for (const path of ['large.js', './large.js']) await text(path);
    expect(await text('first.js')).toBe('second');
  });

  it.each([
    '../secret.js',
    '/etc/passwd',
    'sub/../../secret.js',
    'a\0.js',
    '',
    '.',
    'sub',
    '.env',
    '.svc/keys.json',
    'sub/.hidden.js',
    './.env',
  ])('give nothing for %j', async (path) => {
    await expect(sources().get(path)).rejects.toMatchObject({
      code: 404,
      detail: { hint: 'Looked in high, low' },
    });
  });

  it.each(['conf.json', 'notes', 'notes.txt', 'away.js'])(
    'have no %s, which is no script of theirs',
    async (path) => {
      await expect(sources().get(path)).rejects.toMatchObject({ code: 404 });
    },
  );

  it('follow links among each other', async () => {
    expect((await sources().get('near.js')).text).toBe('only low');
  });

  it('mind the case of a name', async () => {
    await expect(sources().get('BOTH.js')).rejects.toMatchObject({ code: 404 });
  });

  it('look at a file again only after the recompile interval', async () => {
    const watched = sources(1000);
    await project.write('high/changing.js', 'one');
    now = 10_000;
    expect((await watched.get('changing.js')).text).toBe('one');
    await project.write('high/changing.js', 'two');
    await utimes(join(project.location, 'high/changing.js'), 1, 1);
    now = 10_999;
    expect((await watched.get('changing.js')).text).toBe('one');
    now = 11_000;
    expect((await watched.get('changing.js')).text).toBe('two');
  });

  it('without an interval never look again', async () => {
    const frozen = sources(-1);
    await project.write('high/frozen.js', 'one');
    expect((await frozen.get('frozen.js')).text).toBe('one');
    await project.write('high/frozen.js', 'two');
    now += 1e9;
    expect((await frozen.get('frozen.js')).text).toBe('one');
    frozen.forget();
    expect((await frozen.get('frozen.js')).text).toBe('two');
  });

  it('may have an interval of its own for each kind of file', async () => {
    await project.write('high/own.js', 'one');
    await project.write('high/own.groovy', 'one');
    const own = new ScriptSources(
      [{ name: 'high', directory: join(project.location, 'high') }],
      (path) => (path.endsWith('.js') ? 0 : -1),
      () => now,
    );
    expect([(await own.get('own.js')).text, (await own.get('own.groovy')).text]).toEqual(['one', 'one']);
    for (const file of ['own.js', 'own.groovy']) {
      await project.write(`high/${file}`, 'two');
      await utimes(join(project.location, 'high', file), 5, 5);
    }
    expect([(await own.get('own.js')).text, (await own.get('own.groovy')).text]).toEqual(['two', 'one']);
  });

  it('look at a file again when its revision label is another one', async () => {
    const labelled = sources(-1);
    await project.write('high/labelled.js', 'one');
    expect((await labelled.get('labelled.js', { revision: 'a' })).text).toBe('one');
    await project.write('high/labelled.js', 'two');
    expect((await labelled.get('labelled.js', { revision: 'a' })).text).toBe('one');
    expect((await labelled.get('labelled.js', { revision: 'b' })).text).toBe('two');
  });

  it('take the dots of a name for folders when there is no such file', async () => {
    const named = sources();
    expect((await named.find('sub.deep', { extension: '.js' }))?.text).toBe('deep');
    expect((await named.find('both', { extension: '.js' }))?.text).toBe('high');
    expect(await named.find('sub.deep')).toBeUndefined();
    expect(await named.find('..secret', { extension: '.js' })).toBeUndefined();
  });
});
