import { readFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { run } from '../../src/cli/index.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { startTestServer } from '../support/server.ts';

const shipped = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

it('the shipped scan forgets the personal data of those who left more than a year ago, once, also from the command line', async () => {
  const files = Object.fromEntries(
    await Promise.all(
      ['conf/schedule-forget-leavers.json', 'script/forget-leavers.js'].map(
        async (path) => [path, await shipped(path)] as const,
      ),
    ),
  );
  await using server = await startTestServer({ files });
  const { api } = server;
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const person = (id: string, body: object) =>
    api('PUT', `managed/user/${id}`, {
      body: {
        userName: id,
        givenName: id,
        sn: 'Test',
        mail: `${id}@example.com`,
        telephoneNumber: '+1 555',
        city: 'Springfield',
        ...body,
      },
    });
  await person('gone', { accountStatus: 'inactive', endDate: day(400) });
  await person('whenever', { accountStatus: 'inactive', endDate: '' });
  await person('recent', { accountStatus: 'inactive', endDate: day(100) });
  await person('active', { accountStatus: 'active', endDate: day(400) });

  const scan = async () => {
    const { body } = await api(
      'POST',
      'taskscanner?_action=execute&name=schedule/forget-leavers&waitForCompletion=true',
    );
    return (await api('GET', `taskscanner/${body._id}`)).body.progress;
  };
  expect(await scan()).toMatchObject({ state: 'COMPLETED', total: 1, successes: 1 });
  const user = async (id: string) => (await api('GET', `managed/user/${id}`)).body;
  const gone = await user('gone');
  expect([gone.telephoneNumber, gone.city, gone.mail]).toEqual([undefined, undefined, 'gone@example.com']);
  expect(gone.housekeeping.forgotten).toMatch(/^\d{4}-/);
  expect((await user('recent')).city).toBe('Springfield');
  expect((await user('active')).city).toBe('Springfield');
  expect(await scan()).toMatchObject({ total: 0 });

  await person('old', { accountStatus: 'inactive', endDate: '2001-12-31' });
  vi.stubEnv('SVC_PASSWORD', ADMIN_PASSWORD);
  const said: string[] = [];
  const listen = (text: string) => void said.push(text);
  vi.spyOn(console, 'log').mockImplementation(listen);
  vi.spyOn(console, 'error').mockImplementation(listen);
  const svc = (...args: string[]) => run(['scan', ...args, '--url', server.url]);
  expect(await svc('run', 'forget-leavers', '--watch')).toBe(0);
  expect(said.at(-1)).toMatch(/^█{30} 100 % {2}1\/1 {2}completed after 0:\d\d {2}schedule\/forget-leavers$/);
  expect((await user('old')).city).toBeUndefined();
  expect(await svc('list')).toBe(0);
  const id = /^[0-9a-f-]{36}/.exec(said.at(-1)!)![0];
  expect(await svc('cancel', id)).toBe(1);
  expect(said.at(-1)).toBe(`scan ${id} has ended already`);
  expect(await svc('run', 'forget-lovers')).toBe(1);
  expect(said.at(-1)).toContain("The configuration 'schedule/forget-lovers' cannot be read");
  expect(await svc('stop', id)).toBe(2);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
