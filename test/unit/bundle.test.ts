import { execFile } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import '../support/takes-long.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What finds, makes and loads a bundle; all else of the project is tiny. */
const REAL = [
  'bin/builds.js',
  'bin/bundle.js',
  'src/main.ts',
  'src/quick-start.ts',
  'src/bundle-places.ts',
  'workers/script-thread.ts',
];

let project: string;

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-bundle-'));
  for (const file of REAL) {
    await mkdir(join(project, dirname(file)), { recursive: true });
    await cp(join(ROOT, file), join(project, file));
  }
  await mkdir(join(project, 'node_modules/greeting'), { recursive: true });
  await symlink(join(ROOT, 'node_modules/rolldown'), join(project, 'node_modules/rolldown'));
  await write('package.json', '{ "name": "tiny", "type": "module", "imports": { "#*": "./src/*" } }');
  await write(
    'node_modules/greeting/package.json',
    '{ "name": "greeting", "version": "1.0.0", "main": "it.js" }',
  );
  await write('node_modules/greeting/it.js', 'module.exports = "hello";');
  await write('src/cli/beside.txt', 'what lies beside it');
  await write('src/word.ts', 'export const word: string = "source…";');
  await write(
    'src/cli/index.ts',
    `import { readFileSync } from 'node:fs';
    import { join } from 'node:path';
    import { Worker } from 'node:worker_threads';
    import greeting from 'greeting';
    import { word } from '#word.ts';

    export async function run([what]: string[]): Promise<number> {
      const from = { url: new URL('beside.txt', import.meta.url), path: join(import.meta.dirname, 'beside.txt') };
      if (what === 'beside') console.log(readFileSync(from.url, 'utf8') + ', ' + readFileSync(from.path, 'utf8'));
      else if (what === 'stack') console.log(new Error('unexpected').stack);
      else if (what === 'thread') await new Promise((end) => threadOf(import.meta.url).once('exit', end));
      else console.log(greeting, word);
      return 0;
    }

    function threadOf(place: string): Worker {
      return new Worker(new URL('../../workers/script-thread.ts', place));
    }`,
  );
  await write('src/app.ts', 'export {};');
  await write('workers/http-application.ts', 'export {};');
  await write(
    'workers/script-application.ts',
    "import { word } from '#word.ts';\nexport const runScriptThread = () => console.log('thread', word);",
  );
});

afterEach(() => rm(project, { recursive: true, force: true, maxRetries: 5 }));

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(project, file)), { recursive: true });
  await writeFile(join(project, file), text);
}

async function node(...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project, env });
  return stdout.trimEnd();
}

const run = (what = '') => node('src/main.ts', what);
const makeBundle = () => node('bin/bundle.js');
const home = () => join(project, 'node_modules/.cache/svc-bundle');

async function bundles(): Promise<readonly string[]> {
  return (await readdir(home())).filter((name) => name !== 'current.json');
}

/** From here on it can be seen whether the bundle runs. */
async function markBundle(): Promise<void> {
  const { hash } = JSON.parse(await readFile(join(home(), 'current.json'), 'utf8')) as { hash: string };
  const folder = join(home(), hash);
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.js')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.replace('source', 'bundle'));
  }
}

describe('the bundle', () => {
  test('runs instead of the sources once it is made, in threads, too', async () => {
    expect(await run()).toBe('hello source…');
    await makeBundle();
    expect(await run()).toBe('hello source…');
    await markBundle();
    expect(await run()).toBe('hello bundle…');
    expect(await run('thread')).toBe('thread bundle…');
  });

  test('never runs when a source says something else, not even in as many bytes at the same time', async () => {
    await makeBundle();
    await markBundle();
    const file = join(project, 'src/word.ts');
    const { atime, mtime } = await stat(file);
    await write('src/word.ts', 'export const word: string = "edited…";');
    await utimes(file, atime, mtime);
    expect(await run()).toBe('hello edited…');
    await makeBundle();
    expect(await run()).toBe('hello edited…');
  });

  test('does not run with another version of a package that it holds', async () => {
    await makeBundle();
    await write('node_modules/greeting/it.js', 'module.exports = "good day";');
    await write(
      'node_modules/greeting/package.json',
      '{ "name": "greeting", "version": "1.1.0", "main": "it.js" }',
    );
    expect(await run()).toBe('good day source…');
  });

  test('does not run when a file that it was made of is gone, and nothing else runs in its place', async () => {
    await makeBundle();
    await rm(join(project, 'src/word.ts'));
    await expect(run()).rejects.toThrow(/word\.ts/);
  });

  test('finds the files that lie beside a module', async () => {
    await makeBundle();
    expect(await run('beside')).toBe('what lies beside it, what lies beside it');
  });

  test('names the sources in stacks', async () => {
    const told = (await run('stack')).split('\n').slice(0, 2);
    await makeBundle();
    await markBundle();
    expect((await run('stack')).split('\n').slice(0, 2).join()).toMatch(
      /^Error: unexpected,\s+at run \(file:\/\/\S+\/src\/cli\/index\.ts:10:\d+\)$/,
    );
    expect(told.join()).toMatch(/index\.ts:10:\d+\)$/);
  });

  test('is made once, and by whoever comes first', async () => {
    await Promise.all([makeBundle(), makeBundle(), makeBundle()]);
    const [first, ...others] = await bundles();
    expect(others).toEqual([]);
    const { ino } = await stat(join(home(), first!));
    await makeBundle();
    expect((await stat(join(home(), first!))).ino).toBe(ino);
  });

  test('is one of the four that are kept', async () => {
    for (const word of 'abcdef') {
      await write('src/word.ts', `export const word: string = "source ${word}";`);
      await makeBundle();
    }
    expect(await bundles()).toHaveLength(4);
    await markBundle();
    expect(await run()).toBe('hello bundle f');
  });
});
