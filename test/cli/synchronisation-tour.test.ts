import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { commandLineOf } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PAGE = readFileSync(new URL('../../docs/synchronisation.md', import.meta.url), 'utf8');
const COMMAND = /svccurl (?:-X (\w+) )?"\$SVC\/([^"]+)"(?: -d '([^']*)')?/g;

describe('the tour of docs/synchronisation.md', () => {
  let server: TestServer;
  const svc = commandLineOf(() => server);
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('runs as it stands, and is answered as it says', async () => {
    const tour = PAGE.slice(PAGE.indexOf('## A tour'), PAGE.indexOf('## What happens'));
    const blocks = [...tour.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    const answers = [];
    for (const [, method = 'GET', path = '', body] of blocks.flatMap((block) => [
      ...block.matchAll(COMMAND),
    ])) {
      const answer = await server.api(method, path, body === undefined ? {} : { body });
      expect([path, answer.status < 300]).toEqual([path, true]);
      answers.push(answer.body);
    }
    expect(answers).toHaveLength(9);
    const [, , rehearsed, , accounts, why, , after] = answers;
    expect(rehearsed.changes).toContainEqual(
      expect.objectContaining({ operation: 'create', after: expect.objectContaining({ login: 'zoe' }) }),
    );
    expect(accounts.result).toMatchObject([{ _rev: '0', login: 'zoe', mail: 'zoe@example.com' }]);
    const [, shown = '{}'] = /```json\n(\{"resource"[\s\S]*?)```/.exec(tour) ?? [];
    const [told] = JSON.parse(shown).mappings;
    const [mapping] = why.mappings;
    expect(Object.keys(mapping)).toEqual(Object.keys(told));
    const known = ({ at: _, transactionId: __, ...attribute }: JsonObject) => attribute;
    expect(mapping.attributes.map(known)).toEqual(expect.arrayContaining(told.attributes.map(known)));
    expect(Object.keys(mapping.attributes[0])).toEqual(Object.keys(told.attributes[0]));
    expect(mapping.why).toMatch(/^Its situation was ABSENT, so CREATE was done at /);
    expect(after.mappings).toMatchObject([{ outcome: 'none' }]);
  });

  it('goes on with a reconciliation', async () => {
    const section = PAGE.slice(PAGE.indexOf('## Reconciliation'), PAGE.indexOf('## By name'));
    const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    const commands = blocks.flatMap((block) => [...block.matchAll(COMMAND)]);
    // Those who were there before the mapping was.
    await server.database.pool.query(`
      delete from managed_object where type = 'user';
      insert into managed_object (type, id, data)
      select 'user', id, jsonb_build_object('userName', id, 'mail', id || '@example.com', 'accountStatus', 'active')
      from unnest('{avo,bmo,cso}'::text[]) id`);
    let run = '';
    const answers = [];
    for (const [, method = 'GET', path = '', body] of commands) {
      const asked = path.replace('$RUN', run);
      const { status, body: answer } = await server.api(method, asked, body === undefined ? {} : { body });
      expect([asked, status, answer.message]).toEqual([asked, status < 300 ? status : 200, undefined]);
      // What is approved is the first plan.
      if (run === '' && answer.state === 'SUCCESS') run = answer._id;
      answers.push(answer);
    }
    expect(answers).toHaveLength(6);
    const [, shown = ''] = [...section.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    const [first, , last, ...more] = JSON.parse(shown).result.map(
      ({ _id, ...entry }: { _id: string }) => entry,
    );
    expect(more).toEqual([]);
    const found = answers[2].result.map(({ _id, _rev, ...entry }: { _id: string; _rev: string }) => entry);
    expect(found).toHaveLength(4);
    expect([found[0], found[3]]).toEqual([first, last]);
    const approved = await eventually(
      async () => (await server.api('GET', `recon/${run}`)).body,
      ({ state }) => state !== 'ACTIVE',
    );
    expect(approved).toMatchObject({ state: 'SUCCESS', entrySummary: { applied: 3 } });
    const again = await svc(['recon', 'plan', 'user_account', '-o', 'table']);
    expect([again.code, again.err]).toEqual([0, '']);
    expect(again.out).toMatch(/^svc recon approve [0-9a-f-]{36}\nplan completed\n/);
    expect(again.out).toMatch(/CONFIRMED +UPDATE +counted +3\n/);
    const cancelled = await svc(['recon', 'cancel', run]);
    expect([cancelled.code, cancelled.out]).toEqual([1, `recon ${run} has ended already\n`]);
  });

  it('is told by svc, too', async () => {
    await server.api('PUT', 'managed/user/yan', {
      body: { userName: 'yan', givenName: 'Yan', sn: 'Li', mail: 'yan@example.com' },
    });
    const { code, out, err } = await svc(['why', 'object', 'managed/user/yan', '-o', 'table']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^managed\/user\/yan\nuser_account {2}to managed\/account\//);
    expect(out).toMatch(/\/mail +properties\/1 of \/mail, revision 0, by svc-admin at 20\S+ \(\S+\)\n/);
    const unknown = await svc(['why', 'object', 'managed/user/yan', '--mapping', 'user_acount']);
    expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining("Did you mean 'user_account'?")]);
  });
});
