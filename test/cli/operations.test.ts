import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { asTyped } from '../../src/cli/typed-name.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { atTerminal } from '../support/at-terminal.ts';
import { commandLineOf } from '../support/command-line.ts';
import { callersOf, PASSWORD } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, untilDeadLetter } from '../support/workflow.ts';
import { end, path, service, start, user } from '../unit/workflow/engine/bpmn.ts';
import '../support/takes-long.ts';

let server: TestServer;
const svc = commandLineOf(() => server);
const { createUser } = callersOf(() => server.api);
const NOBODY = { SVC_PASSWORD: '' };

const shown = async (args: readonly string[], environment: Record<string, string> = {}) => {
  const { code, out, err } = await svc([...args, '-o', 'json'], environment);
  expect([code, err], args.join(' ')).toEqual([0, '']);
  return JSON.parse(out);
};
const lines = async (args: readonly string[]) => {
  const { code, out, err } = await svc(args);
  expect([code, err], args.join(' ')).toEqual([0, '']);
  return out.trimEnd().split('\n');
};
const listed = async (args: readonly string[]) =>
  (await lines([...args, '-o', 'json'])).map((line) => JSON.parse(line));

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/schedule-nightly.json': {
        enabled: true,
        type: 'cron',
        schedule: '0 0 2 * * ?',
        invokeService: 'script',
        invokeContext: { script: { type: 'text/javascript', source: '1' } },
      },
      'script/good.js': '1 + 1',
    },
  });
  for (const name of ['ada', 'bea']) await createUser(name);
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('a profile', () => {
  it('keeps a session, for its owner alone, until it is logged out of', async () => {
    const asked = ['login', 'ada', '-o', 'name'];
    expect(await svc(asked, { SVC_PASSWORD: PASSWORD })).toEqual({ code: 0, out: 'default\n', err: '' });
    const file = join(server.project.location, 'home/svc/config.json');
    expect([(await stat(file)).mode & 0o777, await readFile(file, 'utf8')]).toEqual([
      0o600,
      expect.not.stringContaining(PASSWORD),
    ]);
    expect((await svc(['whoami', '-o', 'name'], NOBODY)).out).toBe('ada\n');
    const before = JSON.parse(await readFile(file, 'utf8')).profiles.default.cookie;
    expect((await svc(['logout'], NOBODY)).code).toBe(0);
    expect((await svc(['whoami'], NOBODY)).code).toBe(3);
    expect((await server.api('GET', 'info/login', { user: null, headers: { Cookie: before } })).status).toBe(
      401,
    );
  });

  it('is chosen by name, and lets nobody in elsewhere', async () => {
    await svc(['login', 'bea', '--profile', 'site'], { SVC_PASSWORD: PASSWORD });
    expect((await lines(['profile', 'list', '-o', 'table'])).at(-1)).toMatch(
      /^site +http.* bea +session +true$/,
    );
    await svc(['profile', 'use', 'default']);
    expect((await svc(['whoami', '-o', 'name', '--profile', 'site'], NOBODY)).out).toBe('bea\n');
    const elsewhere = server.url.replace('127.0.0.1', 'localhost');
    expect((await svc(['whoami', '--profile', 'site', '--url', elsewhere], NOBODY)).code).toBe(3);
    expect((await svc(['whoami', '--profile', 'sit'], NOBODY)).err).toContain("Did you mean 'site'?");
    await svc(['profile', 'delete', 'site']);
    expect((await svc(['profile', 'use', 'site'])).code).toBe(2);
  });
});

describe('svc apply, diff and export', () => {
  const file = (name: string) => join(server.project.location, name);

  it('make objects what a file says, in any order, and nothing twice', async () => {
    const objects = [
      { _type: 'user', _id: 'bea', roles: [{ _ref: 'managed/role/auditor' }], sn: 'Vogl' },
      { _type: 'managed/role', _id: 'auditor', name: 'auditor', description: 'May read' },
    ];
    await writeFile(file('objects.json'), JSON.stringify(objects));
    const asked = ['-f', file('objects.json'), '-o', 'table'];
    const planned = [
      '~ managed/user/bea',
      '    /sn  "Nagy" → "Vogl"',
      '+ managed/role/auditor',
      '    /name  nothing → "auditor"',
      '    /description  nothing → "May read"',
    ];
    expect(await svc(['diff', ...asked])).toMatchObject({ code: 1, err: '' });
    expect((await svc(['apply', ...asked, '--dry-run'])).out.split('\n').slice(0, 5)).toEqual(planned);
    expect((await svc(['get', 'role', 'auditor'])).code).toBe(4);
    expect((await svc(['apply', ...asked])).out.split('\n').slice(0, 5)).toEqual(planned);
    expect((await server.api('GET', 'managed/user/bea?_fields=sn,roles')).body).toMatchObject({
      sn: 'Vogl',
      roles: [{ _ref: 'managed/role/auditor' }],
    });
    const same = '= managed/user/bea\n= managed/role/auditor\n';
    for (const command of ['diff', 'apply'])
      expect(await svc([command, ...asked])).toEqual({ code: 0, out: same, err: '' });
  });

  it('tell which object is refused, and apply the others', async () => {
    const objects = [
      { _type: 'role', _id: 'bad', name: 7 },
      { _type: 'role', _id: 'good', name: 'good', description: 'g' },
    ];
    await writeFile(file('some.jsonl'), objects.map((object) => JSON.stringify(object)).join('\n'));
    const { code, out, err } = await svc(['apply', '-f', file('some.jsonl'), '-o', 'name']);
    expect([code, out, err]).toEqual([
      1,
      'managed/role/good\n',
      expect.stringMatching(/^✗ managed\/role\/bad {2}/),
    ]);
  });

  it('give back what was exported, which has no secret in it', async () => {
    await lines(['export', 'role', 'user', '-d', file('kept')]);
    const kept = await readFile(file('kept/user.jsonl'), 'utf8');
    expect(kept).toContain('"roles":[{"_ref":"managed/role/auditor"}]');
    expect(kept).not.toMatch(/password|_rev/);
    expect((await svc(['diff', '-f', file('kept')])).code).toBe(0);
    await svc(['set', 'user', 'bea', 'roles:=[]']);
    expect((await svc(['delete', 'role', 'auditor'])).code).toBe(0);
    expect((await svc(['diff', '-f', file('kept')])).code).toBe(1);
    expect(await svc(['apply', '-f', file('kept')])).toMatchObject({ code: 0, err: '' });
    expect((await svc(['diff', '-f', file('kept')])).code).toBe(0);
    const [document] = await listed(['export', 'role', '--filter', 'name eq "auditor"']);
    expect(document).toMatchObject({ _type: 'managed/role', _id: 'auditor', description: 'May read' });
  });
});

describe('svc schedule', () => {
  it('lists, foretells, runs, pauses and resumes, and tells what became of it', async () => {
    expect(await listed(['schedule', 'list', '--filter', '_id eq "nightly"'])).toMatchObject([
      { _id: 'nightly', enabled: true, schedule: '0 0 2 * * ?' },
    ]);
    expect((await shown(['schedule', 'show', 'nightly'])).schedule).toBe('0 0 2 * * ?');
    const next = await listed(['schedule', 'next', 'nightly', '--count', '2']);
    expect(next.map(({ localTime }) => localTime.slice(-8))).toEqual(['02:00:00', '02:00:00']);
    const prague = { TZ: 'Europe/Prague' };
    const local = await svc(['schedule', 'list', '-o', 'table'], prague);
    expect(local.out).toMatch(/T\d\d:\d\d:\d\d\.000\+0[12]:00/);
    const utc = await svc(['schedule', 'list', '-o', 'table', '--utc'], prague);
    expect(utc.out).toMatch(/T\d\d:\d\d:\d\d\.000Z/);
    expect(await shown(['schedule', 'run', 'nightly', '--dry-run'])).toMatchObject({ dryRun: true });
    expect(await shown(['schedule', 'run', 'nightly'])).toHaveProperty('firing');
    await shown(['schedule', 'pause', 'nightly']);
    const asked = { body: { time: next[0]._id } };
    const { body } = await server.api('POST', 'scheduler/job/nightly?_action=why', asked);
    expect(body.outcome).toBe('paused');
    await shown(['schedule', 'resume', 'nightly']);
    const history = await eventually(
      async () => (await svc(['schedule', 'history', 'nightly', '--since', '-1h'])).out,
      (out) => out !== '',
    );
    expect(
      history
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ schedule: 'nightly', outcome: 'manual', failed: false }]);
    expect((await svc(['schedule', 'history', 'nightly', '--failed'])).out).toBe('');
  });
});

describe('svc process, task and dead-letter', () => {
  const deploy = async (key: string, content: string) => {
    const file = join(server.project.location, `${key}.bpmn20.xml`);
    await writeFile(file, processFile(key, content));
    return shown(['process', 'deploy', file]);
  };

  it('deploy a process, start it, and bring it to its end', async () => {
    const { definitions } = await deploy('asking', start() + user('ask') + end() + path('s', 'ask', 'e'));
    expect(definitions).toHaveLength(1);
    const { _id } = await shown(['process', 'start', 'asking', 'who=ada', 'n:=3']);
    expect((await shown(['process', 'show', _id])).processVariables).toMatchObject({ who: 'ada', n: 3 });
    expect(await listed(['process', 'list', '--key', 'asking'])).toMatchObject([{ _id }]);
    expect(await listed(['process', 'list', '--definitions', '--key', 'asking'])).toHaveLength(1);
    const [task] = await listed(['task', 'list', '--process', _id]);
    const heads = async (...args: string[]) => (await svc([...args, '-o', 'table'])).out.split('\n')[0];
    expect(await heads('task', 'list')).toMatch(/^ID +NAME +ASSIGNEE +CREATETIME/);
    expect(await heads('task', 'list', '--fields', 'priority')).toMatch(/^ID +PRIORITY$/);
    expect(await heads('process', 'list')).toMatch(/^ID +PROCESSDEFINITIONKEY +BUSINESSKEY +STARTUSERID/);
    expect(await heads('process', 'list', '--definitions')).toMatch(/^ID +KEY +VERSION/);
    expect(await heads('node', 'list')).toMatch(/^ID +STATE +READY +ROLES/);
    expect((await svc(['why', 'process', _id, '-o', 'table'])).out).toContain(
      `waits for 'ask' (${task._id}), which nobody has`,
    );
    await shown(['task', 'claim', task._id, 'ada']);
    expect((await svc(['why', 'task', task._id, '-o', 'table'])).out).toContain('which ada has');
    await shown(['task', 'complete', task._id, 'answer=yes']);
    expect((await shown(['process', 'show', _id])).endTime).not.toBeNull();
    expect((await svc(['why', 'process', _id, '-o', 'table'])).out).toContain('\nended ');
    const other = await shown(['process', 'start', 'asking']);
    await shown(['process', 'cancel', other._id]);
    expect(await svc(['process', 'list', '--key', 'asking'])).toEqual({ code: 0, out: '', err: '' });
  });

  it('try again what failed for good', async () => {
    const fails = service('risky', `$${"{svc.read('managed/user/'.concat(who)).sn}"}`, {
      'flowable:async': true,
    });
    await deploy('failing', start() + fails + end() + path('s', 'risky', 'e'));
    const { _id } = await shown(['process', 'start', 'failing']);
    await untilDeadLetter(server, _id);
    const [letter] = await listed(['dead-letter', 'list', '--process', _id]);
    expect((await svc(['why', 'process', _id, '-o', 'table'])).out).toContain(
      `failed for good in job ${letter._id}`,
    );
    const again = await svc(['dead-letter', 'retry', '--process', _id, '-o', 'json']);
    const { _id: operation, ...retried } = JSON.parse(again.out);
    expect([again.code, retried]).toMatchObject([0, { state: 'COMPLETED', progress: { successes: 1 } }]);
    expect(await listed(['operation', 'list', '--filter', `_id eq "${operation}"`])).toMatchObject([
      { act: 'action', action: 'retry', resource: 'workflow/job/deadletter' },
    ]);
    expect(await shown(['operation', 'show', operation])).toMatchObject({ progress: { total: 1 } });
    const ended = await svc(['operation', 'cancel', operation]);
    expect([ended.code, ended.out]).toEqual([1, `operation ${operation} has ended already\n`]);
    expect((await svc(['operation', 'watch', operation])).out).toMatch(/100 % {2}1\/1 .*retry workflow/);
    expect(await svc(['operation', 'failures', operation])).toMatchObject({ code: 0, out: '' });
    // It has failed again.
    await untilDeadLetter(server, _id);
    await server.api('PATCH', `workflow/processinstance/${_id}`, {
      body: [{ operation: 'add', field: '/processVariables/who', value: 'ada' }],
    });
    expect(await lines(['dead-letter', 'retry', letter._id])).toEqual([`${letter._id}  completed`]);
  });
});

describe('what operators ask', () => {
  it('of nodes, errors and paths', async () => {
    const [node] = await listed(['node', 'list']);
    expect((await shown(['node', 'drain', node._id, '--dry-run'])).changes).toHaveLength(1);
    expect((await svc(['node', 'drain', 'nobody'])).code).toBe(4);
    expect((await svc(['explain', 'OBJECT_REVISION', '-o', 'table'])).out).toMatch(
      /^OBJECT_REVISION {2}\(412\)\n/,
    );
    expect((await svc(['explain', 'OBJECT_REVISON'])).err).toContain("Did you mean 'OBJECT_REVISION'?");
    expect(await shown(['explain', 'user.mail'])).toMatchObject({ title: 'E-mail', isProtected: true });
    expect((await shown(['explain', 'scheduler.threadPool'])).properties).toContain('threadCount');
    expect(await svc(['explain', 'user.mial'])).toMatchObject({
      code: 4,
      err: expect.stringContaining("Did you mean 'mail'?"),
    });
    expect(await shown(['api', 'GET', '/svc/managed/user/ada?_fields=sn'])).toMatchObject({ sn: 'Nagy' });
    const made = await shown(['api', 'put', 'managed/role/raw', 'name=raw', 'description=By hand']);
    expect(made._id).toBe('raw');
  });

  it('of a project folder, before its files are there', async () => {
    const folder = join(server.project.location, 'planned');
    for (const name of ['conf', 'script', 'workflow']) await mkdir(join(folder, name), { recursive: true });
    const schedule = { enabled: false, schedule: '0 0 2 * * ?', invokeService: 'script' };
    const write = (name: string, content: unknown) =>
      writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    const { _id, _rev, ...same } = (await server.api('GET', 'config/script')).body;
    await write('conf/script.json', same);
    expect(await svc(['plan', folder, '-o', 'table'])).toMatchObject({
      code: 0,
      out: '0 new, 0 changed, 1 the same, 0 refused\n',
    });
    await write('conf/schedule-planned.json', {
      ...schedule,
      invokeContext: { script: { type: 'text/javascript', source: '1' } },
    });
    await write('conf/schedule-wrong.json', { ...schedule, schedule: 'never' });
    await write('conf/policy.json', '{');
    await write('script/planned.js', '1');
    await write('script/wrong.js', 'var a = ;');
    await write('workflow/planned.bpmn20.xml', processFile('planned', '<startEvent id="s"/>'));
    const { code, out } = await svc(['plan', folder, '-o', 'json']);
    const planned = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const outcomes = Object.fromEntries(
      planned.map(({ resource, outcome }) => [resource.split('/').at(-1), outcome]),
    );
    expect([code, outcomes]).toEqual([
      1,
      {
        script: 'same',
        planned: 'new',
        wrong: 'refused',
        policy: 'refused',
        'planned.js': 'new',
        'wrong.js': 'refused',
        'planned.bpmn20.xml': 'new',
      },
    ]);
    expect((await svc(['get', 'scheduler/job', 'planned'])).code).toBe(4);
    expect((await svc(['plan', join(folder, 'conf')])).code).toBe(2);
    // At a terminal it tells which file it is at, and leaves nothing of that behind.
    const shownAt = await atTerminal(`plan ${folder} -o table`, {
      SVC_URL: server.url,
      SVC_PASSWORD: ADMIN_PASSWORD,
    });
    expect(shownAt).toContain('\r\x1b[K1/7  ');
    expect(shownAt).toContain('\r\x1b[K7/7  ');
    expect(shownAt.split('\r\x1b[K').at(-1)).toMatch(/^3 new, 0 changed, 1 the same, 3 refused\s*$/m);
  });

  it('of the audit, which takes a change back', async () => {
    await svc(['set', 'user', 'ada', 'city=Bern']);
    const asked = ['audit', 'list', 'activity', '--object', 'managed/user/ada', '--since', '-1h'];
    const [entry] = await listed(asked);
    expect(entry).toMatchObject({ userId: 'svc-admin', objectId: 'managed/user/ada', operation: 'PATCH' });
    const tree = await svc(['audit', 'tree', entry.transactionId, '-o', 'table']);
    expect(tree.out).toContain('managed/user/ada');
    expect(await shown(['undo', entry._id, '--dry-run'])).toMatchObject({ dryRun: true });
    await shown(['undo', entry.transactionId, '--transaction']);
    expect((await shown(['get', 'user', 'ada'])).city).toBeUndefined();
  });

  it('of scripts, which keep nothing unless it is said', async () => {
    const create = "svc.create('managed/role', 'tried', {name: 'tried', description: 'Tried'}).name + n";
    const asked = ['script', 'eval', '-e', create, '--bind', '{"n": 7}'];
    expect(await shown(asked)).toMatchObject({ dryRun: true, result: 'tried7' });
    expect((await svc(['get', 'role', 'tried'])).code).toBe(4);
    expect((await svc([...asked, '--real'])).out).toBe('"tried7"\n');
    expect((await svc(['get', 'role', 'tried'])).code).toBe(0);
    const folder = join(server.project.location, 'script');
    const { out } = await svc(['script', 'check', join(folder, 'good.js')]);
    expect(out).toBe('1 script, all of them compile\n');
    await writeFile(join(folder, 'bad.js'), 'var a = (;');
    const bad = await svc(['script', 'check', folder]);
    expect([bad.code, bad.out]).toEqual([
      1,
      expect.stringMatching(/^✗ .*bad\.js {2}.*\n.* 1 with a mistake\n$/s),
    ]);
  });

  it('for keys of programs', async () => {
    const { key } = await shown([
      'api-key',
      'create',
      'reports',
      '--roles',
      'svc-authorized',
      '--expires',
      '2099-01-01',
    ]);
    const asProgram = { SVC_PASSWORD: '', SVC_API_KEY: key };
    expect((await svc(['whoami', '-o', 'name'], asProgram)).out).toBe('reports\n');
    expect(await listed(['api-key', 'list'])).toMatchObject([{ _id: 'reports' }]);
    await shown(['api-key', 'revoke', 'reports']);
    expect((await svc(['whoami'], asProgram)).code).toBe(3);
  });

  it('about what happens', async () => {
    const heard = svc(['events', 'object:user', '--limit', '1', '-o', 'table']);
    await expect
      .poll(() =>
        server
          .api('PATCH', 'managed/user/bea', {
            body: [{ operation: 'replace', field: '/city', value: String(Math.random()) }],
          })
          .then(() => Promise.race([heard, null])),
      )
      .not.toBeNull();
    expect(await heard).toEqual({
      code: 0,
      out: expect.stringMatching(/ {2}managed\/user\/bea\n$/),
      err: '',
    });
  });
});

describe('docs/client.md', () => {
  it('shows commands that work when they are pasted', async () => {
    const text = await readFile(new URL('../../docs/client.md', import.meta.url), 'utf8');
    const typed = [...text.matchAll(/^\.\/bin\/svc\.js (.*)$/gm)].map(([, line = '']) => line);
    expect(typed.length).toBeGreaterThan(10);
    const folder = server.project.location;
    for (const [, name = '', content = ''] of text.matchAll(/^```yaml\n# (\S+)\n([\s\S]*?)```/gm)) {
      await writeFile(join(folder, name), content);
    }
    for (const line of typed) {
      const [command = ''] = line.replace(/ (roles\/|people\.yaml)/, ` ${folder}/$1`).split(' && ');
      const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
        ([, a, b, c]) => a ?? b ?? c ?? '',
      );
      expect(await svc(words), line).toMatchObject({ code: 0, err: '' });
    }
  });
});

describe('completion', () => {
  it('is printed for each shell, and for no other', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await svc(['completion', shell])).out).toContain('__complete');
    expect((await svc(['completion', 'csh'])).code).toBe(2);
  });

  it('and hints know the name of each command', () => {
    for (const name of Object.keys(COMMANDS)) expect(asTyped(`svc ${name}`, './svc')).toBe(`./svc ${name}`);
  });
});
