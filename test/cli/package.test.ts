import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_PASSWORD, apiOf } from '../support/api.ts';
import { databaseEnvironment, type TestDatabase } from '../support/postgres.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { createStartedDatabase } from '../support/started-database.ts';
import '../support/takes-long.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const NAME = 'svc-identity';

/** A project of others into which `npm pack` and `npm install` have put the service. */
let project: string;
let database: TestDatabase;

beforeAll(async () => {
  database = await createStartedDatabase();
  project = mkdtempSync(join(tmpdir(), 'svc-package-'));
  const packages = join(project, 'node_modules');
  mkdirSync(join(packages, NAME), { recursive: true });
  const args = ['pack', '--json', '--pack-destination', project];
  const said = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', env: PROGRAM_ENVIRONMENT });
  const [{ filename }] = JSON.parse(said.slice(said.indexOf('[')));
  execFileSync('tar', ['-xzf', join(project, filename), '-C', join(packages, NAME), '--strip-components=1']);
  // What npm would install beside it.
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '.cache') symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  }
});
afterAll(async () => {
  rmSync(project, { recursive: true, force: true });
  await database[Symbol.asyncDispose]();
});

it('brings a bundle of just its sources', () => {
  const bundle = join(project, 'node_modules', NAME, 'bin', 'bundle.js');
  const ask = `import('${bundle}').then(({ findBundle }) => console.log(String(findBundle())))`;
  const found = execFileSync(process.execPath, ['-e', ask], { encoding: 'utf8', env: PROGRAM_ENVIRONMENT });
  expect(found).toContain(`/${NAME}/dist/bundle/`);
});

it('starts from a package of npm: a node with its console, and with scripts in both languages', async () => {
  const child = spawn(process.execPath, [join(project, 'node_modules', NAME, 'bin', 'svc.js'), 'start'], {
    cwd: project,
    env: {
      ...PROGRAM_ENVIRONMENT,
      NODE_COMPILE_CACHE: undefined,
      ...databaseEnvironment(database.url),
      SVC_ADMIN_PASSWORD: ADMIN_PASSWORD,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    const said: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          said.push(line);
          const [, found] = /listening on (http:[^"\s]+)/.exec(line) ?? [];
          if (found !== undefined) resolve(found);
        });
      }
      void ended.then((code) => reject(new Error(`It ended with ${code}:\n${said.join('\n')}`)));
    });
    const api = apiOf(url);
    const evaluate = (type: string, source: string) =>
      api('POST', 'script?_action=eval', { body: { type, source } });
    expect((await evaluate('text/javascript', 'svc.read("info/ping").state')).body).toBe('ACTIVE_READY');
    expect((await evaluate('groovy', '(1..4).collect { it * it }.sum()')).body).toBe(30);
    expect(existsSync(join(project, '.svc', 'keys.json'))).toBe(true);
    const page = await fetch(`${url}/console/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<script type="module"');
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
});
