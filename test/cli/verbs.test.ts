import { spawn } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { merge } from '../../src/cli/remote/edit.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { commandLineOf } from '../support/command-line.ts';
import { callersOf } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile } from '../support/workflow.ts';
import { end, path, start, user } from '../unit/workflow/engine/bpmn.ts';
import '../support/takes-long.ts';

let server: TestServer;
const svc = commandLineOf(() => server);
const { createUser } = callersOf(() => server.api);

const lines = async (args: readonly string[], environment: Record<string, string> = {}) => {
  const { code, out, err } = await svc(args, environment);
  expect([code, err], args.join(' ')).toEqual([0, '']);
  return out.trimEnd().split('\n');
};
const listed = async (args: readonly string[]) =>
  (await lines([...args, '-o', 'json'])).map((line) => JSON.parse(line));
const set = (id: string, field: string, value: unknown) =>
  server.api('PATCH', `managed/user/${id}`, { body: [{ operation: 'replace', field, value }] });
const read = async (path: string) => (await server.api('GET', path)).body;

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/schedule-nightly.json': {
        enabled: true,
        type: 'cron',
        schedule: '0 0 2 * * ?',
        timeZone: 'UTC',
        invokeService: 'script',
        invokeContext: { script: { type: 'text/javascript', source: '1' } },
      },
    },
  });
  for (const name of ['ada', 'bea']) await createUser(name);
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('svc get --watch', () => {
  /** Changes something until whoever watches has seen enough of it. */
  const while_ = async <T>(watching: Promise<T>, change: () => Promise<unknown>): Promise<T> => {
    await expect
      .poll(() => change().then(() => Promise.race([watching, null])), { timeout: 20_000 })
      .not.toBeNull();
    return watching;
  };

  it('lists, and goes on with what changes among what a filter finds', async () => {
    const asked = ['get', 'user', '--filter', 'userName sw "b"', '--fields', 'city', '-w', '--changes', '2'];
    let count = 0;
    const { code, out } = await while_(svc([...asked, '-o', 'json']), async () => {
      count += 1;
      await set('ada', '/city', `Elsewhere ${count}`);
      await set('bea', '/city', `Bern ${count}`);
    });
    const shown = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    // It lists again where the node says that something may have been missed.
    expect(shown.length).toBeGreaterThanOrEqual(3);
    expect(new Set(shown.map(({ _id }) => _id))).toEqual(new Set(['bea']));
    expect(shown.at(-1).city).toMatch(/^Bern/);
    expect(shown.at(-2)._rev).not.toBe(shown.at(-1)._rev);
  });

  it('tells what is gone', async () => {
    const watching = svc(['get', 'user', '-w', '--changes', '3', '-o', 'table', '--fields', 'userName']);
    const { out } = await while_(watching, async () => {
      await createUser('short');
      await server.api('DELETE', 'managed/user/short');
    });
    expect(out).toMatch(/^short {2}\(deleted\)$/m);
  });

  it.each([
    [['get', 'audit/activity', '-w'], 'no events tell of audit/activity'],
    [['get', 'user', '--changes', '2'], '--changes goes with --watch'],
    [['get', 'user', '-w', '--changes', '0'], "'0' is no number for --changes"],
  ])('%j is refused', async (args, words) => {
    expect(await svc(args)).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  });
});

describe('svc why', () => {
  it('asks the node that is named of schedules and of roles of users, and the database where one is named', async () => {
    const told = await svc(['why', 'schedule', 'nightly', '--at', '2020-01-01T02:00:00Z', '-o', 'table']);
    expect([told.code, told.err, told.out.split('\n')[0]]).toEqual([
      0,
      '',
      // It is not persisted.
      expect.stringMatching(/^Schedule nightly in the memory of node \S+ at 2020-01-01T02:00:00.000Z$/),
    ]);
    expect(JSON.parse((await svc(['why', 'user', 'ada', '-o', 'json'])).out)).toMatchObject({ _id: 'ada' });
    await server.api('PUT', 'managed/role/walker', { body: { name: 'the walker', description: 'Walks' } });
    await svc(['grant', 'walker', 'ada']);
    const has = await svc(['why', 'user', 'ada', 'has', 'role', 'the walker', '-o', 'table']);
    expect(has.out).toMatch(/^User ada has managed\/role\/walker\n[\s\S]*by svc-admin/);
    await svc(['revoke', 'walker', 'ada']);
    expect(await svc(['why', 'schedule', 'nigthly'])).toMatchObject({ code: 4 });
    expect(await svc(['why', 'user', 'ada', 'as', 'ever'])).toMatchObject({ code: 2 });
    const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    expect((await svc(['why', 'schedule', 'nightly'], nowhere)).code).toBe(1);
    expect((await svc(['why', 'schedule', 'nightly', '--url', server.url], nowhere)).code).toBe(0);
  });
});

describe('svc grant and revoke', () => {
  beforeAll(async () => {
    const assignment = { name: 'desk', description: 'A desk', mapping: 'facility' };
    await server.api('PUT', 'managed/assignment/desk', { body: assignment });
    const assignments = [{ _ref: 'managed/assignment/desk' }];
    await server.api('PUT', 'managed/role/clerk', {
      body: { name: 'the clerk', description: 'Writes', assignments },
    });
  });
  const roles = async (id: string) => await read(`managed/user/${id}?_fields=roles,effectiveRoles`);

  it('tell who gains and loses what, and do it once', async () => {
    const gained =
      '+ managed/user/ada  managed/role/clerk\n    gains managed/role/clerk\n    gains managed/assignment/desk\n';
    const asked = ['grant', 'the clerk', 'ada', '-o', 'table'];
    expect(await svc([...asked, '--dry-run'])).toEqual({ code: 0, out: gained, err: '' });
    expect((await roles('ada')).roles).toEqual([]);
    expect((await svc(asked)).out).toBe(gained);
    expect((await svc(asked)).out).toBe('= managed/user/ada\n');
    expect((await roles('ada')).effectiveRoles).toMatchObject([{ _ref: 'managed/role/clerk' }]);
    expect(await listed(['revoke', 'clerk', 'ada', 'bea'])).toEqual([
      {
        operation: 'revoke',
        role: 'managed/role/clerk',
        user: 'managed/user/ada',
        gains: [],
        loses: ['managed/role/clerk', 'managed/assignment/desk'],
        dryRun: false,
      },
      { operation: 'same', role: 'managed/role/clerk', user: 'managed/user/bea', dryRun: false },
    ]);
    expect((await roles('ada')).roles).toEqual([]);
  });

  it('grant for a time, which is not yet', async () => {
    const asked = ['grant', 'clerk', 'bea', '--from', '2098-01-01', '--until', '2099-01-01', '-o', 'table'];
    expect((await svc(asked)).out).toContain('nothing comes or goes by it now');
    const [granted] = (await roles('bea')).roles;
    expect(granted._refProperties.temporalConstraints).toEqual([
      { duration: '2098-01-01T00:00:00.000Z/2099-01-01T00:00:00.000Z' },
    ]);
    expect((await svc(['revoke', 'clerk', 'bea'])).code).toBe(0);
    expect((await roles('bea')).roles).toEqual([]);
  });

  it('leave to a condition what it gives', async () => {
    const body = { name: 'rule', description: 'By rule', condition: 'userName eq "bea"' };
    await server.api('PUT', 'managed/role/rule', { body });
    const { code, err } = await svc(['revoke', 'rule', 'bea']);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('a condition gives managed/role/rule to managed/user/bea'),
    ]);
    expect(err).toContain('svc why user bea role rule');
  });

  it('give and take what somebody may do at the node', async () => {
    await svc(['grant', '--authz', 'svc-admin', 'bea']);
    const { authzRoles } = await read('managed/user/bea?_fields=authzRoles');
    expect(authzRoles.map(({ _ref }: { _ref: string }) => _ref)).toContain('repo/internal/role/svc-admin');
    expect((await svc(['revoke', '--authz', 'svc-admin', 'bea'])).code).toBe(0);
  });

  it('name who or what there is not', async () => {
    expect((await svc(['grant', 'clrk', 'ada'])).code).toBe(4);
    expect((await svc(['grant', 'clerk', 'nobody'])).code).toBe(4);
    const authz = await svc(['grant', '--authz', 'svc-admin', 'ada', '--until', '2099-01-01']);
    expect([authz.code, authz.err]).toEqual([2, expect.stringContaining('counts always')]);
  });
});

describe('svc edit', () => {
  /** An editor that does each step in turn: [what, by what], or a program of its own. */
  const editor = async (...steps: string[]) => {
    const file = join(server.project.location, `editor-${Math.random().toString(36).slice(2)}.mjs`);
    await writeFile(
      file,
      `import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
      const [file] = process.argv.slice(2);
      const at = existsSync('${file}.seen') ? readFileSync('${file}.seen', 'utf8').split('\\0').length - 1 : 0;
      let text = readFileSync(file, 'utf8');
      appendFileSync('${file}.seen', text + '\\0');
      const steps = [${steps.map((step) => `async () => { ${step} }`).join(', ')}];
      await steps[Math.min(at, steps.length - 1)]();
      writeFileSync(file, text);`,
    );
    await chmod(file, 0o700);
    return {
      env: { VISUAL: '', EDITOR: `"${process.execPath}" ${file}` },
      seen: async () => (await readFile(`${file}.seen`, 'utf8')).split('\0').slice(0, -1),
    };
  };
  /** As somebody else does meanwhile. */
  const meanwhile = (field: string, value: string) =>
    `await fetch('${server.url}/svc/managed/user/ada', { method: 'PATCH', headers: { 'Content-Type': 'application/json',
      'X-Svc-Username': 'svc-admin', 'X-Svc-Password': process.env.SVC_PASSWORD },
      body: '[{"operation":"replace","field":"${field}","value":"${value}"}]' });`;

  it('shows no secret and nothing derived, and sets what was changed', async () => {
    const { env, seen } = await editor(`text = text.replace('sn: Nagy', 'sn: Vogl') + 'country: Chile\\n';`);
    const { code, out } = await svc(['edit', 'user', 'ada', '-o', 'table'], env);
    expect([code, out]).toEqual([0, expect.stringContaining('    /sn  "Nagy" → "Vogl"\n')]);
    expect(await read('managed/user/ada')).toMatchObject({ sn: 'Vogl', country: 'Chile', givenName: 'ADA' });
    const [text = ''] = await seen();
    expect(text).toMatch(/^# managed\/user\/ada at revision \d+; /);
    expect(text).not.toMatch(/password|effectiveRoles|_rev/);
  });

  it('changes nothing where nothing was edited, or it is rehearsed', async () => {
    const before = await read('managed/user/ada');
    const idle = await svc(['edit', 'user', 'ada'], (await editor('')).env);
    expect([idle.code, idle.err]).toEqual([0, 'Nothing was changed.\n']);
    const { env } = await editor(`text = text.replace(/sn: .*/, 'sn: Other');`);
    expect((await svc(['edit', 'user', 'ada', '--dry-run', '-o', 'table'], env)).out).toContain('"Other"');
    expect(await read('managed/user/ada')).toEqual(before);
  });

  it('keeps what somebody else has changed meanwhile elsewhere', async () => {
    const { env } = await editor(`${meanwhile('/city', 'Genf')} text = text.replace(/sn: .*/, 'sn: Mine');`);
    const { code, err } = await svc(['edit', 'user', 'ada', '-o', 'table'], env);
    expect([code, err]).toEqual([0, expect.stringContaining('what else was changed stays')]);
    expect(await read('managed/user/ada')).toMatchObject({ sn: 'Mine', city: 'Genf' });
  });

  it('shows both where the same was changed, and has one decide', async () => {
    const { env, seen } = await editor(
      `${meanwhile('/sn', 'Theirs')} text = text.replace(/sn: .*/, 'sn: Ours').replace(/city: .*/, 'city: Thun');`,
      `text = text.replace(/sn: .*/, 'sn: Both');`,
    );
    expect((await svc(['edit', 'user', 'ada', '-o', 'table'], env)).code).toBe(0);
    expect(await read('managed/user/ada')).toMatchObject({ sn: 'Both', city: 'Thun' });
    const [, second = ''] = await seen();
    expect(second).toContain('# sn was changed by somebody else, too: it is "Theirs"; you had "Ours"\n');
    expect(second).toMatch(/^sn: Theirs$/m);
    expect(second).toMatch(/^city: Thun$/m);
  });

  it('keeps a text that is refused', async () => {
    const { env } = await editor(`text = text.replace(/mail: .*/, 'mail: nowhere');`);
    const { code, err } = await svc(['edit', 'user', 'ada'], env);
    const [, file = ''] = /kept in (\S+)/.exec(err) ?? [];
    expect([code, await readFile(file, 'utf8')]).toEqual([1, expect.stringContaining('mail: nowhere')]);
    const broken = await svc(['edit', 'user', 'ada'], (await editor(`text = 'sn: [';`)).env);
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('is no YAML')]);
    const gone = await svc(['edit', 'user', 'ada'], { VISUAL: '', EDITOR: '/nowhere/vi' });
    expect([gone.code, gone.err]).toEqual([
      2,
      expect.stringContaining("the editor '/nowhere/vi' cannot be started"),
    ]);
    expect((await svc(['edit', 'scheduler/job', 'nightly'], env)).code).toBe(2);
  });

  it('writes configurations, too', async () => {
    const { env } = await editor(`text = text.replace('0 0 2 * * ?', '0 0 3 * * ?');`);
    expect((await svc(['edit', 'config/schedule', 'nightly', '-o', 'table'], env)).code).toBe(0);
    expect((await read('config/schedule/nightly')).schedule).toBe('0 0 3 * * ?');
  });

  it('merges property by property', () => {
    const base = { a: 1, b: 1, c: 1, d: 1 };
    expect(merge(base, { a: 2, b: 1, c: 1, e: 5 }, { a: 1, b: 3, c: 1, d: 1 })).toEqual({
      content: { a: 2, b: 3, c: 1, e: 5 },
      conflicts: [],
    });
    expect(merge(base, { ...base, a: 2 }, { ...base, a: 2 })).toEqual({
      content: { ...base, a: 2 },
      conflicts: [],
    });
    expect(merge(base, { b: 1, c: 1, d: 1 }, { ...base, a: 3 }).conflicts).toEqual([
      'a was changed by somebody else, too: it is 3; you had nothing',
    ]);
  });
});

describe('svc logs', () => {
  const says = (text: string) =>
    server.api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: `logger.warn('${text}')` },
    });

  it('shows the last lines, from a level on and of one request', async () => {
    const { headers } = await says('said one');
    await says('said two');
    await server.observed('script.logged', ({ message }) => message === 'said two');
    const found = await listed(['logs', '--level', 'warn', '--filter', 'msg sw "said"']);
    expect(found.map(({ msg }) => msg)).toEqual(['said one', 'said two']);
    const id = headers.get('X-Request-Id') ?? '';
    expect((await lines(['logs', '--request', id, '-o', 'table'])).join()).toMatch(
      /^[\d:.]{12} WARN {2}said one .*$/,
    );
    expect((await lines(['why', 'request', id, '-o', 'table'])).at(-1)).toContain('said one');
    const changed = await set('ada', '/city', 'Olten');
    const caused = await lines(['why', 'request', changed.headers.get('X-Request-Id') ?? '', '-o', 'table']);
    expect(caused.slice(0, 2)).toEqual([
      changed.headers.get('X-Request-Id'),
      expect.stringMatching(/ activity {2}svc-admin {2}PATCH {2}managed\/user\/ada$/),
    ]);
    expect((await svc(['logs', '--node', 'another'])).err).toContain('--url names a node itself');
    expect((await svc(['logs', '--level', 'wran'])).err).toContain("Did you mean 'warn'?");
    expect((await svc(['why', 'request', 'nothing'])).code).toBe(4);
  });

  it('follows what is said, until it is ended', async () => {
    const child = spawn(
      process.execPath,
      ['src/main.ts', 'logs', '--follow', '--filter', 'msg sw "heard"', '-o', 'table'],
      {
        cwd: new URL('../../', import.meta.url).pathname,
        env: { ...PROGRAM_ENVIRONMENT, SVC_URL: server.url, SVC_PASSWORD: ADMIN_PASSWORD },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    let out = '';
    child.stdout.on('data', (text) => (out += text));
    try {
      let count = 0;
      await expect
        .poll(() => says(`heard ${++count}`).then(() => out.split('\n').length), {
          timeout: 30_000,
          interval: 500,
        })
        .toBeGreaterThan(3);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
    const numbers = [...out.matchAll(/heard (\d+)/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
    expect(numbers.at(-1)).toBe((numbers[0] ?? 0) + numbers.length - 1);
  });
});

describe('svc schedule calendar', () => {
  it('says when all fire, in the order of time', async () => {
    const asked = ['schedule', 'calendar', '--from', '2027-03-27', '--days', '2'];
    expect((await lines([...asked, '-o', 'table'])).slice(0, 2)).toEqual([
      expect.stringMatching(/^ID +AT +TOOKMS +WORDS$/),
      expect.stringMatching(/^nightly +2027-03-27T0[23]:00:00.000Z +/),
    ]);
    const [calendar] = [JSON.parse((await svc([...asked, 'nightly', '-o', 'json'])).out)];
    expect(calendar.schedules).toMatchObject([{ _id: 'nightly' }]);
    expect((await svc(['schedules', 'calendar', '--days', '40'])).code).toBe(1);
  });
});

describe('svc process replay and migrate', () => {
  const version = (...ids: string[]) =>
    processFile('moving', start() + ids.map((id) => user(id)).join('') + end() + path('s', ...ids, 'e'));
  const deploy = async (content: string) => {
    const file = join(server.project.location, 'moving.bpmn20.xml');
    await writeFile(file, content);
    expect((await svc(['process', 'deploy', file])).code).toBe(0);
  };
  const begin = async (key: string) =>
    JSON.parse((await svc(['process', 'start', 'moving', '--business-key', key])).out)._id;

  it('show the plan first, and move what can move', async () => {
    await deploy(version('a'));
    const [one, other] = [await begin('k1'), await begin('k2')];
    await deploy(version('b'));
    const blocked = await svc(['process', 'migrate', 'moving', '--plan', '-o', 'table']);
    expect([blocked.code, blocked.out]).toEqual([
      1,
      expect.stringMatching(/: 2 instances, 0 can, 2 cannot\n/),
    ]);
    const planned = ['process', 'migrate', 'moving', 'a=b', '-o', 'table'];
    expect((await svc([...planned, '--plan'])).out).toMatch(
      /2 instances, 2 can, 0 cannot\nID +TO +INSTANCES +CAN\na +b +2 +yes\n/,
    );
    expect((await svc(planned)).err).toContain('--yes does it');
    const first = await svc([...planned, '--business-key', 'k1', '--yes']);
    expect([first.code, first.out]).toEqual([
      0,
      expect.stringMatching(new RegExp(`1 instances, 1 can.*\\n${one}\\n$`, 's')),
    ]);
    expect((await svc([...planned, '--yes', '-o', 'name'])).out).toBe(`${other}\n`);
    expect((await svc([...planned, '--yes'])).err).toContain("no other version of 'moving' has instances");
    expect((await svc(['process', 'migrate', 'moving', '--from', '7'])).err).toContain(
      'has no version 7; it has 1, 2',
    );
    const shown = await svc(['process', 'replay', one, '-o', 'table']);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/started by svc-admin\n[\s\S]*→ a\n[\s\S]*migrate by svc-admin/);
    expect(JSON.parse((await svc(['process', 'replay', one])).out).activities).toHaveLength(3);
  });
});

describe('svc why node', () => {
  it('tells how it is', async () => {
    const [node] = await listed(['nodes', 'list']);
    await eventually(
      async () => (await svc(['why', 'node', node._id, '-o', 'table'])).out,
      (out) => out.startsWith(`Node ${node._id}: working\n`),
    );
    expect((await svc(['why', 'node', 'nobody'])).code).toBe(4);
  });
});
