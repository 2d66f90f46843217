import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import { POISON_PRELOAD } from '../support/poison.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
/** What it stores for one of all takes its node down. */
const deadly = {
  type: 'text/javascript',
  source: `if (source.sn === 'Deadly') svc.create('managed/trap', null, { poison: 'deadly' });`,
};
const MAPPING = {
  name: 'person_file',
  source: 'managed/person',
  target: 'system/file/person',
  // Nobody waits for it whose answer would go with the node.
  queuedSync: { enabled: true },
  onCreate: deadly,
  properties: [
    { source: 'login', target: 'id' },
    { source: 'sn', target: 'last' },
  ],
};
const PEOPLE = ['ann', 'bea', 'cid', 'dag'];
const OTHERS = ['ann,Moe', 'cid,Moe', 'dag,Moe'];

describe('an object that ends its node each time', () => {
  let test: TestDatabase;
  let database: Database;
  let project: TestProject;

  beforeEach(async () => {
    test = await createSchemaDatabase();
    database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'test' });
  });
  afterEach(async () => {
    await database.close();
    await project[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  const settle = async (enableSync: boolean) => {
    project = await createProject({
      'conf/managed.json': { objects: [{ name: 'person' }, { name: 'trap' }] },
      'conf/sync.json': { mappings: [{ ...MAPPING, enableSync }] },
      'conf/provisioner.openicf-file.json': {
        name: 'file',
        connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
        configurationProperties: { csvFile: 'data/people.csv', headerUid: 'id' },
        objectTypes: { person: { nativeType: '__ACCOUNT__', properties: { id: text, last: text } } },
      },
      'data/people.csv': 'id,last\n',
    });
  };
  const start = (name: string) =>
    startNodeProcess({
      name,
      databaseUrl: test.url,
      project: project.location,
      environment: { NODE_OPTIONS: POISON_PRELOAD, SVC_TEST_POISONABLE: 'yes' },
    });
  const people = async ({ api }: NodeProcess) => {
    for (const login of PEOPLE) {
      const sn = login === 'bea' ? 'Deadly' : 'Moe';
      expect((await api('PUT', `managed/person/${login}`, { body: { login, sn } })).status).toBe(201);
    }
  };
  /** Starts one node after the other, until what is waited for is there. @returns the last node, and how many have ended before */
  const outlive = async (first: NodeProcess, isThere: () => Promise<boolean>) => {
    let node: NodeProcess | undefined = first;
    for (let ends = 0; ; ) {
      if (node !== undefined && (await isThere())) return { node, ends };
      const next = delay(25).then(() => 'later' as const);
      if (node !== undefined && (await Promise.race([node.ended, next])) === 'later') continue;
      ends += 1;
      // One that dies of it before it listens is the next one.
      node = await start(`n${ends}`).catch(() => undefined);
    }
  };
  const found = async (statement: string) => (await sql.raw(statement).execute(database.db)).rows.length > 0;
  const lines = async () =>
    (await readFile(`${project.location}/data/people.csv`, 'utf8')).trim().split('\n').slice(1).sort();

  it('is given up by its queue, shown there, and holds up no other', async () => {
    await settle(true);
    const first = await start('n0');
    await people(first);
    const { node, ends } = await outlive(first, () =>
      found(`select from sync_outbox where is_dead and source_id = 'bea' and error ->> 'id' = 'SYNC_POISON'`),
    );
    await using _ = node;
    expect(ends).toBe(5);
    // What was asked of the file before a node has ended stays there.
    await eventually(lines, (rows) => OTHERS.every((other) => rows.includes(other)));
    const { body } = await node.api('GET', 'sync/queue?_queryFilter=true');
    expect(body.result).toMatchObject([{ sourceId: 'bea', state: 'dead', error: { id: 'SYNC_POISON' } }]);
    // Mended, it is delivered.
    await node.api('PATCH', 'managed/person/bea', {
      body: [{ operation: 'replace', field: '/sn', value: 'Lie' }],
    });
    await eventually(lines, (rows) => rows.includes('bea,Lie'));
  });

  it('is given up by its reconciliation, which does everything else', async () => {
    await settle(false);
    const first = await start('n0');
    await people(first);
    const { _id } = (await first.api('POST', 'recon?_action=recon&mapping=person_file', { body: {} })).body;
    const { node, ends } = await outlive(first, () =>
      found(`select from recon_run where id = '${_id}' and state <> 'ACTIVE'`),
    );
    await using _ = node;
    // Once before anybody knows that it is to be counted, and once more where a node ends before it has counted.
    expect([4, 5]).toContain(ends);
    expect(await lines()).toEqual(expect.arrayContaining(OTHERS));
    expect((await node.api('GET', `recon/${_id}`)).body).toMatchObject({
      state: 'SUCCESS',
      statusSummary: { SUCCESS: 3, FAILURE: 1 },
    });
    const { body } = await node.api('GET', `recon/${_id}/entry?_queryFilter=state+eq+"failed"`);
    expect(body.result).toMatchObject([{ sourceId: 'bea', error: { id: 'RECON_POISON' } }]);
  });
});
