import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { commandLineOf } from '../support/command-line.ts';
import { callersOf, PASSWORD } from '../support/credentials.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

let server: TestServer;
const { createUser } = callersOf(() => server.api);

beforeAll(async () => {
  server = await startTestServer();
  for (const name of ['ada', 'bea', 'cleo']) await createUser(name);
});
afterAll(() => server?.[Symbol.asyncDispose]());

const svc = commandLineOf(() => server);

describe('svc get and query', () => {
  it('list what a filter finds, as a table, JSON, YAML or ids', async () => {
    const asked = ['get', 'user', '--filter', 'userName sw "b" or userName sw "c"', '--sort', '-userName'];
    const fields = ['--fields', 'userName,givenName'];
    expect(await svc([...asked, ...fields, '-o', 'table'])).toEqual({
      code: 0,
      out: 'ID    USERNAME  GIVENNAME\ncleo  cleo      CLEO\nbea   bea       BEA\n',
      err: '',
    });
    expect((await svc([...asked, '-o', 'name'])).out).toBe('cleo\nbea\n');
    expect(
      (await svc([...asked, ...fields])).out
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { _id: 'cleo', _rev: '0', userName: 'cleo', givenName: 'CLEO' },
      { _id: 'bea', _rev: '0', userName: 'bea', givenName: 'BEA' },
    ]);
    expect((await svc(['query', 'user', 'userName eq "bea"', ...fields, '-o', 'yaml'])).out).toBe(
      '- _id: bea\n  _rev: "0"\n  userName: bea\n  givenName: BEA\n',
    );
  });

  it('say that there is more than they show', async () => {
    const asked = ['get', 'user', '--sort', 'userName', '-o', 'name'];
    expect(await svc([...asked, '--limit', '2'])).toEqual({
      code: 0,
      out: 'ada\nbea\n',
      err: 'These are 2, and there are more: --limit <n> or --all shows them.\n',
    });
    expect(await svc([...asked, '--all'])).toEqual({ code: 0, out: 'ada\nbea\ncleo\n', err: '' });
    expect((await svc([...asked, '--limit', '3'])).err).toBe('');
  });

  it('show one object, and let what is stored not steer a terminal', async () => {
    const description = 'red \u001b[31m and \u202e back';
    await server.api('PUT', 'managed/role/sly', { body: { name: 'sly', description } });
    for (const form of ['table', 'json', 'yaml']) {
      const { out } = await svc(['get', 'role', 'sly', '-o', form]);
      expect(out).toContain('red \\u001b[31m and \\u202e back');
    }
    expect(JSON.parse((await svc(['get', 'role', 'sly'])).out)).toMatchObject({ _id: 'sly', description });
  });

  it('ask for any path', async () => {
    expect((await svc(['get', 'config/schedule', 'nothing'])).code).toBe(4);
    expect(JSON.parse((await svc(['get', 'config', 'managed'])).out)).toMatchObject({ _id: 'managed' });
    expect((await svc(['query', 'scheduler/job', 'true'])).code).toBe(0);
  });
});

describe('svc create, patch and delete', () => {
  it('change objects, if nobody else has', async () => {
    const created = await svc(['create', 'role', 'reader', 'name=reader', 'description=a=b', '-o', 'json']);
    expect([created.code, JSON.parse(created.out)]).toMatchObject([0, { _id: 'reader', description: 'a=b' }]);
    expect((await svc(['patch', 'role', 'reader', 'description=May read', '--if-match', '0'])).code).toBe(0);
    const late = await svc(['patch', 'role', 'reader', 'description=late', '--if-match', '0']);
    expect([late.code, late.err]).toEqual([
      5,
      expect.stringMatching(
        /^svc patch: Revision '0' .*\n {2}hint: Read it again: it is at revision '1' now\n {2}id: OBJECT_REVISION\n {2}request: \S+\n$/,
      ),
    ]);
    expect((await svc(['create', 'role', 'reader', 'name=reader'])).code).toBe(5);
    expect(await svc(['delete', 'role', 'reader', '-o', 'name'])).toEqual({
      code: 0,
      out: 'reader\n',
      err: '',
    });
    expect((await svc(['get', 'role', 'reader'])).code).toBe(4);
  });

  it('rehearse', async () => {
    const rehearsed = await svc(['patch', 'user', 'ada', 'sn=Vogl', '--dry-run', '-o', 'table']);
    expect(rehearsed).toMatchObject({ code: 0, out: '~ managed/user/ada\n    /sn  "Nagy" → "Vogl"\n' });
    expect(JSON.parse((await svc(['delete', 'user', 'ada', '--dry-run'])).out)).toMatchObject({
      dryRun: true,
    });
    expect(JSON.parse((await svc(['get', 'user', 'ada'])).out)).toMatchObject({ sn: 'Nagy', _rev: '0' });
  });

  it('take content from files, and what is no text from the command line', async () => {
    const file = join(server.project.location, 'operations.json');
    await writeFile(file, JSON.stringify([{ operation: 'replace', field: '/description', value: 'came' }]));
    await svc(['create', 'role', 'filed', 'name=filed', 'description=goes']);
    const patched = JSON.parse((await svc(['patch', 'role', 'filed', '-f', file])).out);
    expect([patched._rev, patched.description]).toEqual(['1', 'came']);
    const { code, err } = await svc(['create', 'role', 'name:=7']);
    expect([code, err]).toEqual([1, expect.stringContaining('svc create: ')]);
  });
});

describe('a command that asks a node', () => {
  it('says who somebody is, and tells what is not allowed', async () => {
    const ada = { SVC_USER: 'ada', SVC_PASSWORD: PASSWORD };
    expect((await svc(['whoami', '-o', 'name'], ada)).out).toBe('ada\n');
    expect((await svc(['get', 'user'], ada)).code).toBe(3);
    const { code, err } = await svc(['whoami'], { SVC_PASSWORD: 'wrong' });
    expect([code, err]).toEqual([3, expect.stringContaining('hint: Set SVC_USER and SVC_PASSWORD')]);
  });

  it('tells what somebody may do, with the content that is said or without', async () => {
    const may = async (...args: string[]) => {
      const { code, out } = await svc(['may', ...args, '--as', 'ada', '-o', 'table']);
      return [code, out.replace(/:.*\n/, '')];
    };
    expect(await may('read', 'managed/user/ada')).toEqual([0, 'yes']);
    expect(await may('patch', 'managed/user/ada')).toEqual([0, 'yes, by what is sent']);
    expect(await may('patch', 'managed/user/ada', '--fields', '/givenName, /sn')).toEqual([0, 'yes']);
    expect(await may('patch', 'managed/user/ada', '--fields', '/department')).toEqual([1, 'no']);
    expect(await may('create', 'managed/user', 'userName=eve')).toEqual([1, 'no']);
    expect((await svc(['may', 'reed', 'info/ping'])).err).toContain("Did you mean 'read'?");
  });

  it('gives the body of an error where JSON is asked for', async () => {
    const { code, err, out } = await svc(['get', 'usr', '-o', 'json']);
    expect([code, out]).toEqual([4, '']);
    expect(JSON.parse(err)).toMatchObject({ code: 404, requestId: expect.stringMatching(/\S/) });
  });

  it('says that no node answers', async () => {
    const { code, err } = await svc(['get', 'user'], { SVC_URL: 'http://127.0.0.1:1' });
    expect([code, err]).toEqual([
      6,
      expect.stringMatching(/does not answer: .*\n {2}hint: SVC_URL or --url/),
    ]);
  });

  it.each([
    [['get'], "the <type> is missing; expected 'svc get <type> [<id>]'"],
    [['get', 'user', '--limit', '0'], "'0' is no number of objects"],
    [['get', 'user', '--all', '--limit', '2'], '--all and --limit exclude each other'],
    [['get', 'user', 'ada', '--filter', 'true'], "--filter goes with a list, and not with the id 'ada'"],
    [['get', 'user', '..'], "'..' is no part of a path"],
    [['get', 'user', '-o', 'tabel'], "Did you mean 'table'?"],
    [['get', 'user', '--filtr', 'true'], "Did you mean '--filter'?"],
    [['get', 'user', '--url', 'example.com'], "'example.com' is no URL of a node"],
    [['query', 'user'], 'the <filter> is missing'],
    [['patch', 'user', 'ada'], 'there is nothing to send'],
    [['patch', 'user', 'ada', 'sn'], "'sn' is no name=text"],
    [['create', 'user', 'x', 'age:=old'], "'age:=old' is no JSON"],
    [['create', 'user', '-f', '/nowhere.json'], 'cannot be read (ENOENT)'],
    [['delete', 'user'], 'the <id> is missing'],
    [['get', 'user', '--password', 'x'], "Unknown option '--password'"],
    [['set', 'user', 'sn=Vogl'], 'the <id> is missing'],
    [['schedule', 'lst'], "Did you mean 'list'?"],
    [['schedule', 'show'], "the <id> is missing; expected 'svc schedule show <id>'"],
    [['schedule', 'show', 'nightly', 'daily'], "'daily' is one argument too many"],
    [['schedule', 'pause', 'nightly', '--since', '-1d'], "'svc schedule pause' knows no --since"],
    [['schedule', 'history', '--since', 'soon'], "'soon' is no time"],
    [['api', 'GETT', 'info/login'], "Did you mean 'GET'?"],
    [['apply'], '-f <file> is missing'],
    [['diff', '-f', '/nowhere'], "there is no file or folder '/nowhere'"],
    [['audit', 'list', 'acces'], "Did you mean 'access'?"],
    [['dead-letter', 'retry'], 'expected one <id>, --process <id>, or --every'],
    [['script', 'eval'], 'expected -f <file> or -e <text>'],
    [['profile', 'use', 'nobodys'], "there is no profile 'nobodys'"],
    [['whoami', '--profile', 'nobodys'], "there is no profile 'nobodys'"],
  ])('refuses %j', async (args, words) => {
    const { code, out, err } = await svc(args);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(words)]);
  });

  it('loads nothing of the server, and reads the password from its input', async () => {
    // What a file of the bundle holds stands in its map.
    const probe = `import { readFileSync } from 'node:fs';
      import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) {
        const isBundle = url.includes('/svc-bundle/');
        for (const source of isBundle ? JSON.parse(readFileSync(new URL(url + '.map'))).sources : [url]) {
          const room = /\\/src\\/(\\w+)\\/|\\/node_modules\\/([^/]+)/.exec(source);
          if (room) process.stderr.write((room[1] ?? room[2]) + ' ');
        }
        return next(url, context);
      } });`;
    const child = spawn(
      process.execPath,
      [
        '--import',
        `data:text/javascript,${encodeURIComponent(probe)}`,
        'src/main.ts',
        'whoami',
        '--password-stdin',
        '-o',
        'name',
      ],
      { cwd: ROOT, env: { ...PROGRAM_ENVIRONMENT, SVC_URL: server.url }, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    const said = { out: '', err: '' };
    child.stdout.on('data', (text) => (said.out += text));
    child.stderr.on('data', (text) => (said.err += text));
    child.stdin.end(`${ADMIN_PASSWORD}\n`);
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, said.out]).toEqual([0, 'svc-admin\n']);
    expect([...new Set(said.err.trim().split(' '))].sort()).toEqual(['cli', 'client', 'errors', 'json']);
  });
});
