import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLineOf } from '../support/command-line.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });

describe('svc sync, queue and link', () => {
  let server: TestServer;
  const svc = commandLineOf(() => server);
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': { objects: [{ name: 'person' }, { name: 'badge' }] },
        'conf/sync.json': {
          mappings: [
            {
              name: 'person_badge',
              source: 'managed/person',
              target: 'managed/badge',
              properties: [
                {
                  source: 'name',
                  target: 'name',
                  transform: script('if (source === "bad") throw "no"; source'),
                },
              ],
            },
          ],
        },
      },
    });
    for (const name of ['ada', 'bea', 'bad']) {
      await server.api('PUT', `managed/person/${name}`, { body: { name } });
    }
    for (const id of ['one', 'two']) await server.api('PUT', `managed/badge/${id}`, { body: {} });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const told = async (args: readonly string[]) => {
    const { code, out, err } = await svc([...args, '-o', 'json']);
    expect([code, err], args.join(' ')).toEqual([0, '']);
    // A list is a line for each, an answer is written over several.
    const texts = out.startsWith('{\n') ? [out] : out.split('\n').filter((line) => line !== '');
    return texts.map((text) => JSON.parse(text));
  };

  it('bring one object in line, or say why not', async () => {
    await server.database.pool.query(
      "update managed_object set data = '{\"name\": \"other\"}' where type = 'badge' and data->>'name' = 'ada'",
    );
    const [rehearsed] = await told(['sync', 'once', 'person_badge', 'ada', '--dry-run']);
    expect(rehearsed).toMatchObject({
      dryRun: true,
      changes: [expect.objectContaining({ operation: 'update' })],
    });
    const once = await svc(['sync', 'once', 'person_badge', 'ada', '-o', 'table']);
    expect([once.code, once.out]).toEqual([0, expect.stringMatching(/ada .*CONFIRMED +UPDATE .*SUCCESSFUL/)]);
    const badges = await server.api('GET', 'managed/badge?_queryFilter=name+eq+"ada"');
    expect(badges.body.result).toHaveLength(1);
    const failed = await svc(['sync', 'once', 'person_badge', 'bad', '-o', 'table']);
    expect([failed.code, failed.out]).toEqual([1, expect.stringMatching(/ABSENT +CREATE .*FAILED\n.*no/)]);
    const unknown = await svc(['sync', 'once', 'person_bage', 'ada']);
    expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining("Did you mean 'person_badge'?")]);
  });

  it('show what waits, and have it tried again, or forget it', async () => {
    await server.database.pool.query('update sync_outbox set is_dead = true, attempt = 5');
    expect(await told(['queue', 'list', '-m', 'person_badge', '--state', 'dead'])).toMatchObject([
      { sourceId: 'bad', state: 'dead' },
    ]);
    expect(await told(['queue', 'retry', '-m', 'person_badge', '--source', 'bad'])).toMatchObject([
      { retried: 1 },
    ]);
    expect(await told(['queue', 'list', '--state', 'dead'])).toEqual([]);
    await server.database.pool.query('update sync_outbox set is_dead = true');
    expect(await told(['queue', 'drop', '-m', 'person_badge', '--yes'])).toMatchObject([{ dropped: 1 }]);
    expect(await told(['queue', 'list'])).toEqual([]);
    expect(await told(['sync', 'all', 'person_badge'])).toMatchObject([{ queued: 3 }]);
  });

  it('mend links', async () => {
    await server.api('PUT', 'managed/person/eva?_dryRun=true', { body: {} });
    const [made] = await told(['link', 'add', 'person_badge', 'eva', 'one']);
    expect(made).toMatchObject({ linkQualifier: 'default', firstId: 'eva', secondId: 'one' });
    await told(['link', 'move', 'person_badge', 'eva', 'two']);
    expect(await told(['link', 'list', 'person_badge', 'two'])).toMatchObject([
      { firstId: 'eva', secondId: 'two' },
    ]);
    await told(['link', 'remove', 'person_badge', 'eva', '--yes']);
    expect(await told(['link', 'list', 'person_badge', 'two'])).toEqual([]);
    const { code, err } = await svc(['link', 'remove', 'person_badge', 'eva', '--yes']);
    expect([code, err]).toEqual([2, expect.stringContaining("there is no link of 'eva' by 'person_badge'")]);
  });
});
