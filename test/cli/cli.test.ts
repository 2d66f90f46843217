import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it, vi } from 'vitest';
import { misspeltVariables } from '#config/index.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { run } from '../../src/cli/index.ts';
import { readTime } from '../../src/cli/remote/time-argument.ts';
import { asTyped } from '../../src/cli/typed-name.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { startNodeProcess } from '../support/node-process.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { createProject } from '../support/project.ts';
import { processFile } from '../support/workflow.ts';
import '../support/takes-long.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Runs the command line to its end. */
function svc(args: readonly string[], environment: Record<string, string> = {}) {
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = spawn(process.execPath, ['src/main.ts', ...args], {
      cwd: ROOT,
      env: { ...PROGRAM_ENVIRONMENT, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** The same in this process, for what starts nothing: a process of its own costs half a second. */
async function here(args: readonly string[]) {
  let output = '';
  const listen = (text: string) => {
    output += `${text}\n`;
  };
  const spies = (['log', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(listen));
  try {
    return { code: await run(args), output };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe('the command line', () => {
  it('lists its commands', async () => {
    const { code, output } = await svc(['--help']);
    expect(code).toBe(0);
    for (const command of Object.keys(COMMANDS)) {
      expect(output).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
  });

  it.each(Object.keys(COMMANDS))('explains %s with an example', async (command) => {
    const { code, output } = await here([command, '--help']);
    expect(code).toBe(0);
    expect(output).toMatch(/^Usage: svc/);
    expect(output).toMatch(/^Example: /m);
  });

  it('explains a command that help is asked of, too', async () => {
    expect(await here(['help', 'migrate'])).toEqual(await here(['migrate', '--help']));
    expect(await here(['help', 'migrat'])).toMatchObject({
      code: 2,
      output: expect.stringContaining("Did you mean 'migrate'?"),
    });
  });

  it('names every variable of the start contract, the secret ones without a flag', async () => {
    const { output } = await here(['start', '--help']);
    expect(output).toMatch(/^ {2}--port +PORT$/m);
    expect(output).toMatch(/^ +SVC_KEYS$/m);
    expect(output).toMatch(/^ +SVC_ADMIN_PASSWORD$/m);
    expect(output).toMatch(/^ +DATABASE_URL_FILE$/m);
    expect(output).not.toMatch(/--(keys|admin-password|database-url|database-direct-url)/);
  });

  it.each([
    '--database-url=postgres://u:hunter2@db/svc',
    '--admin-password=hunter2',
    '--keys={"hunter2":[]}',
  ])('takes no %s, which everybody on the machine could read, and says what to do', async (flag) => {
    const { code, output } = await here(['start', flag]);
    expect([code, output]).toEqual([2, expect.stringMatching(/Everybody .* set \w+, or \w+_FILE to a file/)]);
    expect(output).not.toContain('hunter2');
  });

  it('takes secrets from files', async () => {
    await using project = await createProject({
      keys: { 'svc-sym-default': [Buffer.alloc(32, 1).toString('base64')] },
    });
    const { code, output } = await svc(['keys', 'list'], { SVC_KEYS_FILE: `${project.location}/keys` });
    expect([code, output]).toEqual([0, expect.stringMatching(/^svc-sym-default .* 256 bits {2}in use/)]);
  });

  it('tells a misspelt command what was meant, and a wrong option that it is wrong', async () => {
    expect(await here(['migrat'])).toEqual({
      code: 2,
      output: "svc: there is no command 'migrat'. Did you mean 'migrate'?\n",
    });
    expect(await here(['start', '--prot', '1'])).toEqual({
      code: 2,
      output: expect.stringMatching(/--prot.*\nDid you mean '--port'\?\n$/s),
    });
    expect((await here([])).code).toBe(2);
  });

  it('migrates, and says beforehand what it would do', async () => {
    await using database = await createTestDatabase();
    const environment = { DATABASE_URL: database.url };
    const before = await svc(['migrate', '--dry-run'], environment);
    expect([before.code, before.output]).toEqual([1, expect.stringMatching(/^would apply 0001_database/m)]);
    const applied = await svc(['migrate'], environment);
    expect([applied.code, applied.output]).toEqual([0, expect.stringMatching(/^applied 0001_database/m)]);
    const after = await svc(['migrate', '--dry-run'], environment);
    expect([after.code, after.output]).toEqual([0, expect.stringMatching(/up to date/)]);
  });

  it('refuses to start with every mistake of the configuration at once', async () => {
    await using project = await createProject({
      'conf/script.json': '{ }',
      'conf/schedule-a.json': '{\n  "invokeSevice": "script"\n}',
      'conf/cluster.json': '{ "instanceId": "a", "enabled": false }',
    });
    const { code, output } = await svc(['start'], {
      SVC_PROJECT: project.location,
      DATABASE_URL: 'postgres://x/x',
    });
    expect(code).toBe(1);
    expect(output).toMatch(/conf\/script.json:1:1 .*ECMAScript.*SCRIPT_NO_ECMASCRIPT/);
    expect(output).toMatch(/conf\/schedule-a.json:2:3 .*invokeSevice.*invokeService.*CONFIG_UNKNOWN_KEY/);
    expect(output).toMatch(/errors. Nothing was started./);
    const checked = await svc(['config-check'], { SVC_PROJECT: project.location });
    expect([checked.code, checked.output]).toEqual([1, expect.stringMatching(/SCRIPT_NO_ECMASCRIPT/)]);
    expect(checked.output).toMatch(/^Warning: conf\/cluster.json:1:\d+ .*"enabled" has no effect/m);
  });

  it('warns of processes in which callers write what no form gives to them', async () => {
    const process = (key: string, inner: string) =>
      processFile(
        key,
        `<startEvent id="s">${inner}</startEvent><userTask id="t"/><endEvent id="e"/>
         <sequenceFlow id="a" sourceRef="s" targetRef="t"/><sequenceFlow id="b" sourceRef="t" targetRef="e"/>`,
      );
    const form = '<extensionElements><flowable:formProperty id="wish"/></extensionElements>';
    await using project = await createProject({
      'conf/workflow.json': { forms: { acceptAny: ['opted', 'optd'] } },
      'workflow/free.bpmn20.xml': process('free', ''),
      'workflow/opted.bpmn20.xml': process('opted', ''),
      'workflow/formed.bpmn20.xml': process('formed', form),
    });
    const { code, output } = await svc(['config-check'], { SVC_PROJECT: project.location });
    expect(code).toBe(0);
    const warnings = output.split('\n').filter((line) => /acceptAny|form properties/.test(line));
    expect(warnings).toEqual([
      expect.stringMatching(/^Warning: free\.bpmn20\.xml: .* at 's', 't' of the process 'free'/),
      expect.stringMatching(/^Warning: workflow\.json: .* any variable of the process 'opted'$/),
      expect.stringMatching(/^Warning: workflow\.json: .* names 'optd'.*; Did you mean 'opted'\?$/),
    ]);
  });

  it('finds what the parts of the server would refuse, with where it stands', async () => {
    await using project = await createProject({
      'conf/authentication.json': { serverAuthContext: { authModules: [] } },
      'conf/managed.json': { objects: [] },
      'conf/script.json': {
        ECMAScript: {},
        sources: {
          default: { directory: '&{launcher.install.location}/bin/defaults/script' },
          all: { directory: '/' },
        },
      },
      'conf/schedule-a.json': { invokeService: 'script', schedule: '0 0 * * *' },
      'conf/schedule-c.json': {
        invokeService: 'script',
        schedule: '0 0 0 * * ?',
        invokeContext: { input: 1 },
      },
      'script/access.js': 'var httpAccessConfig = {\n  configs: [ { ] }\n};',
      'conf/schedule-b.json': {
        invokeService: 'script',
        schedule: '0 0 0 * * ?',
        invokeContext: { script: { type: 'python', source: '1' } },
      },
    });
    const { code, output } = await svc(['config-check'], { SVC_PROJECT: project.location });
    expect([code, output]).toEqual([1, expect.stringMatching(/7 mistakes found/)]);
    expect(output).toMatch(/conf\/script.json:1:\d+ .*'\/' lies outside of the project/);
    expect(output).toMatch(/conf\/authentication.json:\d+:\d+ .*nobody could log in/);
    expect(output).toMatch(/conf\/schedule-a.json:\d+:\d+ .*has 5 fields .*Unix cron/);
    expect(output).toMatch(/conf\/schedule-c.json:\d+:\d+ .*invokeContext has no 'script'/);
    expect(output).toMatch(/conf\/schedule-b.json:\d+:\d+ .*Unknown script type "python"/);
    expect(output).toMatch(/^script\/access.js:2:16 .*Unexpected token/m);
  });

  it('starts without the ECMAScript block of script.json, and tells that scripts are inactive', async () => {
    await using database = await createTestDatabase();
    await using project = await createProject({
      'conf/script.json': '{ }',
      'conf/managed.json': {
        objects: [
          { name: 'plain' },
          { name: 'hooked', onCreate: { type: 'text/javascript', source: 'object.x = 1' } },
        ],
      },
    });
    await using node = await startNodeProcess({
      name: 'inactive',
      databaseUrl: database.url,
      project: project.location,
    });
    await node.logged(({ msg }) => msg.includes('SCRIPT_NO_ECMASCRIPT'));
    const ready = await fetch(`${node.url}/health/ready`);
    const { parts } = (await ready.json()) as { parts: Record<string, { state: string; detail?: string }> };
    expect(ready.status).toBe(503);
    expect(parts['scripts']).toEqual({ state: 'down', detail: expect.stringContaining('"ECMAScript"') });
    expect(parts['database']?.state).toBe('up');

    expect((await node.api('POST', 'managed/plain', { body: {} })).status).toBe(201);
    const script = { body: { type: 'text/javascript', source: '1' } };
    expect((await node.api('POST', 'script?_action=eval', script)).status).toBe(503);
    expect((await node.api('POST', 'managed/hooked', { body: {} })).status).toBe(503);

    await project.write('conf/script.json', { ECMAScript: {} });
    await node.logged(({ kind, msg }) => kind === 'config.changed' && msg.includes('script'));
    expect((await node.api('POST', 'script?_action=eval', script)).body).toBe(1);
    expect((await fetch(`${node.url}/health/ready`)).status).toBe(200);

    await project.write('conf/script.json', '{ "properties": {} }');
    await node.logged(({ kind }) => kind === 'config.refused');
    expect((await node.api('POST', 'script?_action=eval', script)).body).toBe(1);
  });

  it('refuses wrong settings by their names', async () => {
    const { code, output } = await svc(['start'], { PORT: 'eighty', SVC_ROLES: 'api,wroker' });
    expect(code).toBe(1);
    expect(output).toMatch(/PORT/);
    expect(output).toMatch(/SVC_ROLES/);
    expect(output).toMatch(/2 errors/);
  });

  it('tells what is wrong with a database that it cannot use, and no password', async () => {
    const nobody = new URL(inject('databaseServerUrl'));
    nobody.pathname = '/svc_no_such_database';
    const [missing, closed] = await Promise.all([
      svc(['migrate'], { DATABASE_URL: nobody.href }),
      svc(['keys', 'rotate'], { DATABASE_URL: 'postgres://svc:s3cret@127.0.0.1:1/svc' }),
    ]);
    expect([missing.code, closed.code]).toEqual([1, 1]);
    expect(missing.output).toMatch(
      /^Postgres refuses: .*"svc_no_such_database" does not exist — .*make the database/m,
    );
    expect(closed.output).toMatch(
      /^Postgres cannot be reached: connect ECONNREFUSED 127.0.0.1:1 — .*DATABASE_URL/m,
    );
    expect(closed.output).not.toMatch(/s3cret|\bat .*\.ts/);
  });

  it('refuses to run on an older schema unless it may upgrade it', async () => {
    await using database = await createSchemaDatabase();
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("insert into schema_version values ('9999_newer', 'everything is different')");
    await client.end();
    const refused = await svc(['start'], { DATABASE_URL: database.url });
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(/9999_newer.*everything is different.*DB_SCHEMA_TOO_NEW/);
  });

  it('shows of a command the options that it reads, and what counts without them', async () => {
    const { output } = await here(['why', '--help']);
    expect(output).toMatch(/^ {2}--data-dir +SVC_DATA_DIR: .*; \.svc in the project$/m);
    expect(output).not.toMatch(/--(port|body-limit|rate-limit)/);
    expect((await here(['start', '--help'])).output).toMatch(/--port +PORT\n +where it listens; 8080$/m);
  });

  it('names commands as this one was typed, in help and in hints', async () => {
    vi.stubEnv('TYPED_SVC', 'npx svc');
    try {
      expect((await here(['migrate', '--help'])).output).toMatch(/^Usage: npx svc migrate \[options\]/);
      expect((await here(['why', 'thing', '7'])).output).toContain('svc why: ');
      expect((await here(['why', 'thing', '7'])).output).toContain("expected 'npx svc why schedule <id>");
    } finally {
      vi.unstubAllEnvs();
    }
    expect(asTyped("run 'svc migrate', or start with --migrate", './bin/svc.js')).toBe(
      "run './bin/svc.js migrate', or start with --migrate",
    );
    const child = spawn(process.execPath, ['bin/svc.js', 'keys', 'nope'], {
      cwd: ROOT,
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    await once(child, 'close');
    expect(said).toContain("expected './bin/svc.js keys list'");
  });

  it('lists keys, and makes none by that', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-keys-'));
    vi.stubEnv('SVC_DATA_DIR', folder);
    try {
      const { code, output } = await here(['keys', 'list']);
      expect([code, output]).toEqual([
        1,
        expect.stringContaining(`there is no ${join(folder, 'keys.json')}`),
      ]);
      expect(await readdir(folder)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true });
    }
  });

  it('tells its version', async () => {
    expect(await here(['--version'])).toEqual({
      code: 0,
      output: expect.stringMatching(/^svc \d+\.\d+\.\d+, Node \d+.*, schema \d{4}/),
    });
  });

  it('names what is missing, or is no time, when it is asked why', async () => {
    const asked = async (...args: string[]) => (await here(['why', ...args])).output;
    expect(await asked()).toMatch(/it is not said of what/);
    expect(await asked('thing', 'x')).toMatch(
      /nothing is known of a 'thing'. There are schedule, user, process/,
    );
    expect(await asked('proces', 'x')).toMatch(/nothing is known of a 'proces'. Did you mean 'process'\?/);
    expect(await asked('schedule')).toMatch(/the id of the schedule is missing/);
    expect(await asked('user', 'ada', 'auditor')).toMatch(/'auditor' says nothing/);
    expect(await asked('schedule', 'x', '--at', 'soon')).toMatch(/'soon' is no time/);
  });

  it.each([
    ['-10m', '2026-08-02T11:50:00'],
    ['02:00', '2026-08-02T02:00:00'],
    ['13:00', '2026-08-01T13:00:00'],
    ['yesterday', '2026-08-01T12:00:00'],
    ['yesterday 02:00', '2026-08-01T02:00:00'],
    ['2026-07-01T00:00:00', '2026-07-01T00:00:00'],
  ])('understands the time %s', (text, expected) => {
    expect(readTime(text, Date.parse('2026-08-02T12:00:00'))).toBe(Date.parse(expected));
  });

  it('understands no time on a day that there is not', () => {
    expect(readTime('2026-02-31T00:00:00', Date.parse('2026-08-02T12:00:00'))).toBeNaN();
  });

  it('says of a schedule that the database cannot know where it is', async () => {
    await using database = await createSchemaDatabase();
    await using project = await createProject({
      'conf/schedule-idle.json': {
        enabled: false,
        schedule: '0 0 0 * * ?',
        timeZone: 'UTC',
        invokeService: 'script',
        invokeContext: { script: { type: 'text/javascript', source: '1' } },
      },
    });
    const environment = { SVC_PROJECT: project.location, DATABASE_URL: database.url };
    const idle = await svc(['why', 'schedule', 'idle'], environment);
    expect([idle.code, idle.output]).toEqual([1, expect.stringMatching(/in the memory of nodes.*disabled/)]);
    const misspelt = await svc(['why', 'schedule', 'idel', '--at', '-10m'], environment);
    expect(misspelt.output).toMatch(/There is no schedule 'idel'. Did you mean 'idle'\?/);
  });

  it('tells why also where the embedded database is down, as no node runs', { timeout: 60_000 }, async () => {
    await using project = await createProject();
    const SVC_DATA_DIR = join(project.location, '.svc');
    const environment = { SVC_PROJECT: project.location, SVC_DATA_DIR };
    const asked = () => svc(['why', 'schedule', 'nobody-knows'], environment);
    expect((await asked()).output).toMatch(/There is no embedded database: start a node first/);
    expect((await svc(['migrate'], environment)).code).toBe(0);
    const { code, output } = await asked();
    expect([code, output]).toEqual([1, expect.stringMatching(/^svc why: .*'nobody-knows'/)]);
  });

  it('says what to set when a node lets it in to nothing', async () => {
    await using node = createServer((_request, response) => {
      response
        .writeHead(401, { 'Content-Type': 'application/json' })
        .end('{"code":401,"message":"Access Denied"}');
    }).listen(0, '127.0.0.1');
    await once(node, 'listening');
    const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
    for (const args of [['list'], ['run', 'x']]) {
      const { code, output } = await here(['scan', ...args, '--url', url]);
      expect([code, output]).toEqual([3, expect.stringContaining('hint: Set SVC_USER and SVC_PASSWORD')]);
    }
  });

  it.each([
    [{ SVC_LOGLEVEL: 'debug' }, ["SVC_LOGLEVEL is no setting of this server. Did you mean 'SVC_LOG_LEVEL'?"]],
    [{ SVC_LOG_LEVEL: 'debug', SVC_MAIL_SERVER: 'x', SVC_KEYS_FILE: 'y', SVC_PASSWORD: 'z' }, []],
  ])('knows of %j what is misspelt', (environment, said) => {
    expect(misspeltVariables(environment)).toEqual(said);
  });

  it('reports a node that does not answer', async () => {
    const { code, output } = await svc(['health', '--url', 'http://127.0.0.1:1']);
    expect([code, output]).toEqual([1, expect.stringMatching(/127.0.0.1:1/)]);
    const named = await svc(['health'], { SVC_URL: 'http://127.0.0.1:2/' });
    expect([named.code, named.output]).toEqual([1, expect.stringMatching(/127.0.0.1:2\/health/)]);
  });
});
