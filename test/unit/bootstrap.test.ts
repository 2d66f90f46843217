import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import '../support/takes-long.ts';

const bin = join(import.meta.dirname, '../../bin');

let project: string;
const running: ChildProcess[] = [];

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-bootstrap-'));
  await mkdir(join(project, 'bin'));
  await mkdir(join(project, 'src'));
  await mkdir(join(project, 'fake'));
  for (const name of ['bootstrap.js', 'build-console.js', 'builds.js', 'bundle.js']) {
    await cp(join(bin, name), join(project, 'bin', name));
  }
  await writeFile(join(project, 'package.json'), '{ "name": "tiny", "type": "module" }');
  await writeLock('1.0.0');
  await writeFile(
    join(project, 'src', 'main.ts'),
    'const args: string[] = process.argv.slice(2);\nconsole.log("started", ...args);',
  );
  await fakeNpm(installScript());
});

afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  await rm(project, { recursive: true, force: true, maxRetries: 5 });
});

function writeLock(version: string): Promise<void> {
  const packages = {
    '': { name: 'tiny' },
    'node_modules/some': { version, integrity: `sha512-${version}` },
    'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['plan9'] },
    'node_modules/tested': { version: '1.0.0', dev: true },
  };
  return writeFile(join(project, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
}

/** An npm that takes notes of how it was called and installs a Node. */
function installScript(): string {
  return `
    echo "$* NODE_ENV=$NODE_ENV omit=$npm_config_omit$NPM_CONFIG_OMIT registry=$npm_config_registry" >> calls
    echo "npm says something"
    rm -rf node_modules && mkdir -p node_modules/.bin
    ln -s '${process.execPath}' node_modules/.bin/node`;
}

async function fakeNpm(script: string): Promise<void> {
  const path = join(project, 'fake', 'npm');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

/** npm's own record of what it installed. */
function writeRecord(
  version: string,
  others: Record<string, unknown> = { 'node_modules/tested': { version: '1.0.0' } },
) {
  const packages = { 'node_modules/some': { version, integrity: `sha512-${version}` }, ...others };
  return writeFile(join(project, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
}

async function installByHand(): Promise<void> {
  await mkdir(join(project, 'node_modules', '.bin'), { recursive: true });
  await symlink(process.execPath, join(project, 'node_modules', '.bin', 'node'));
}

function start(args: string[], environment: Record<string, string> = {}): ChildProcess {
  const path = `${join(project, 'fake')}${delimiter}${process.env['PATH']}`;
  const env = { HOME: process.env['HOME'], PATH: path, ...environment };
  const child = spawn(process.execPath, [join(project, 'bin', 'bootstrap.js'), ...args], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  return child;
}

async function run(args: string[], environment: Record<string, string> = {}) {
  const child = start(args, environment);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, lines: output.split('\n').filter((line) => line !== '') };
}

async function calls(): Promise<string[]> {
  const text = await readFile(join(project, 'calls'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

describe('the first start', () => {
  test('installs the packages, says so in one line, and hands over with the arguments', async () => {
    const { code, lines } = await run(['svc', 'start', '--port', '0']);
    expect(lines.toSorted()).toEqual(['Installing packages (npm ci), once …', 'started start --port 0']);
    expect(code).toBe(0);
    expect(await calls()).toHaveLength(1);
  });

  test('of two at once installs once, and both start', async () => {
    await fakeNpm(`sleep 0.3\n${installScript()}`);
    const outcomes = await Promise.all([run(['svc', 'a']), run(['svc', 'b']), run(['svc', 'c'])]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(outcomes.flatMap(({ lines }) => lines).filter((line) => line.startsWith('started'))).toHaveLength(
      3,
    );
    expect(await calls()).toHaveLength(1);
  });

  test('is not held up by an installation that was killed', async () => {
    const left = join(project, '.svc-installing');
    await mkdir(left);
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(left, longAgo, longAgo);
    const outcomes = await Promise.all([run(['svc']), run(['svc'])]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(await calls()).toHaveLength(1);
  });

  test('shows what npm said, and only then, when it fails', async () => {
    await fakeNpm('echo "the registry is on fire" >&2; exit 7');
    const { code, lines } = await run(['svc']);
    expect(code).toBe(1);
    expect(lines).toContain('the registry is on fire');
    expect(lines).toContain('npm ci failed with exit code 7');
    await fakeNpm(installScript());
    expect((await run(['svc'])).code).toBe(0);
  });

  test('says so when there is no npm', async () => {
    await rm(join(project, 'fake', 'npm'));
    expect((await run(['svc'], { PATH: '/nowhere' })).lines.join()).toContain('npm cannot be run');
  });

  test('takes the Node at hand where no package has one for the platform', async () => {
    await fakeNpm('echo called >> calls; mkdir -p node_modules');
    expect(await run(['svc'])).toEqual({
      code: 0,
      lines: ['Installing packages (npm ci), once …', 'started'],
    });
    expect(await run(['svc'])).toEqual({ code: 0, lines: ['started'] });
  });

  test('installs development packages although an outer npm leaves them out, unless in production', async () => {
    const outer = { npm_config_omit: 'dev', NPM_CONFIG_OMIT: 'dev', npm_config_registry: 'http://registry' };
    await run(['svc'], outer);
    await rm(join(project, 'node_modules'), { recursive: true });
    await run(['svc'], { NODE_ENV: 'production' });
    const [first, second] = await calls();
    expect(first).toBe('ci --no-audit --no-fund --include=dev NODE_ENV= omit= registry=http://registry');
    expect(second).toBe('ci --no-audit --no-fund NODE_ENV=production omit= registry=');
  });

  test('uses a temporary npm cache when the own one cannot be written to', async () => {
    const complaint =
      'echo "npm error code EACCES"; echo "npm error path /home/x/.npm/_cacache/tmp"; exit 243';
    await fakeNpm(`case "$*" in *--cache*) ;; *) ${complaint};; esac\n${installScript()}`);
    const { code, lines } = await run(['svc']);
    expect(code).toBe(0);
    expect(lines).toHaveLength(2);
    expect((await calls())[0]).toMatch(/--cache \S*svc-npm-/);
  });
});

describe('a later start', () => {
  test('does not install again, and says nothing', async () => {
    await run(['svc']);
    expect((await run(['svc'])).lines).toEqual(['started']);
    expect(await calls()).toHaveLength(1);
  });

  test('installs again when the lock file has changed', async () => {
    await run(['svc']);
    await writeLock('2.0.0');
    expect((await run(['svc'])).lines).toContain('Installing packages (npm ci), they are out of date …');
    expect(await calls()).toHaveLength(2);
  });

  test('accepts packages that were installed by hand from this lock file', async () => {
    await installByHand();
    await writeRecord('1.0.0');
    expect((await run(['svc'])).lines).toEqual(['started']);
    await rm(join(project, 'node_modules', '.package-lock.json'));
    expect((await run(['svc'])).lines).toEqual(['started']);
    expect(await calls()).toEqual([]);
  });

  test('accepts packages that were brought up to date by hand since', async () => {
    await run(['svc']);
    await writeLock('2.0.0');
    await writeRecord('2.0.0');
    expect((await run(['svc'])).lines).toEqual(['started']);
    expect(await calls()).toHaveLength(1);
  });

  test('does not accept those of another lock file or an unfinished installation', async () => {
    await installByHand();
    await run(['svc']);
    expect(await calls()).toHaveLength(1);
    for (const record of [
      () => writeRecord('0.9.0'),
      () =>
        writeRecord('1.0.0', {
          'node_modules/tested': { version: '1.0.0' },
          'node_modules/stray': { version: '1.0.0' },
        }),
      () => writeRecord('1.0.0', {}),
    ]) {
      const before = (await calls()).length;
      await rm(join(project, 'node_modules', '.svc-installed'));
      await record();
      await run(['svc']);
      expect(await calls()).toHaveLength(before + 1);
    }
  });
});

describe('the program that takes over', () => {
  beforeEach(async () => {
    await installByHand();
    await writeRecord('1.0.0');
  });

  async function runFile(text: string): Promise<ChildProcess> {
    await writeFile(join(project, 'file.ts'), text);
    return start(['node', 'file.ts']);
  }

  test('has its exit code handed on', async () => {
    expect(await once(await runFile('process.exit(42)'), 'close')).toEqual([42, null]);
  });

  test('has its death by a signal handed on as 128 and the signal', async () => {
    expect(await once(await runFile('process.kill(process.pid, "SIGKILL")'), 'close')).toEqual([137, null]);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('gets %s', async (signal) => {
    const child = await runFile(
      `process.once('${signal}', () => process.exit(3)); setInterval(() => {}, 1000); console.log('ready');`,
    );
    await once(child.stdout!, 'data');
    const closed = once(child, 'close');
    child.kill(signal);
    expect(await closed).toEqual([3, null]);
  });

  test('is stopped when npm and its shell end, which do not pass signals on', async () => {
    const text = `process.once('SIGTERM', () => { console.log('stopped'); process.exit(0); });
      setInterval(() => {}, 1000); console.log('ready');`;
    await writeFile(join(project, 'file.ts'), text);
    const command = `'${process.execPath}' bin/bootstrap.js node file.ts; true`;
    const env = { ...process.env, npm_lifecycle_event: 'start' };
    const shell = spawn('/bin/sh', ['-c', command], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(shell);
    let said = '';
    shell.stdout.on('data', (data) => {
      said += data;
    });
    await once(shell.stdout, 'data');
    const ended = once(shell.stdout, 'end');
    shell.kill('SIGKILL');
    await ended;
    expect(said).toBe('ready\nstopped\n');
  });

  test('finds the packaged Node first on its path', async () => {
    const child = await runFile('console.log(process.env.PATH.split(":")[0])');
    expect(String((await once(child.stdout!, 'data'))[0]).trim()).toBe(join(project, 'node_modules', '.bin'));
  });

  test('is named when it is missing because development packages were left out', async () => {
    const { code, lines } = await run(['vitest', 'run']);
    expect(lines.join()).toMatch(
      /vitest\.mjs is missing: development packages were left out.*npm ci --include=dev/,
    );
    expect(code).toBe(1);
  });

  test('must be one of those known', async () => {
    expect(await run(['dance'])).toEqual({
      code: 1,
      lines: ["Unknown command 'dance': use svc, vitest, check, bench or node"],
    });
    expect((await run(['node'])).code).toBe(1);
  });
});

describe('the check', () => {
  async function fakeTool(path: string, code: number): Promise<void> {
    const file = join(project, 'node_modules', path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, `console.log('${path}', ...process.argv.slice(2)); process.exit(${code});`);
  }

  test('runs the four tools in order, one line each, and stops at the first that fails', async () => {
    await installByHand();
    await writeRecord('1.0.0');
    await fakeTool('@biomejs/biome/bin/biome', 0);
    await fakeTool('typescript/bin/tsc', 0);
    await fakeTool('dependency-cruiser/bin/dependency-cruiser.mjs', 5);
    await fakeTool('vitest/vitest.mjs', 0);
    const failed = await run(['check']);
    expect(failed.code).toBe(5);
    expect(failed.lines.join('\n')).toMatch(/✗ directions \(\d+\.\d s\)$/);
    expect(failed.lines.join()).not.toContain('vitest');
    await fakeTool('dependency-cruiser/bin/dependency-cruiser.mjs', 0);
    const passed = await run(['check']);
    expect(passed.code).toBe(0);
    expect(
      passed.lines.filter((line) => line.startsWith('✓')).map((line) => line.replace(/ \(.*/, '')),
    ).toEqual(['✓ format and lint', '✓ types', '✓ types of the console', '✓ directions', '✓ tests']);
    expect(passed.lines).toContain('vitest/vitest.mjs run');
  });
});
