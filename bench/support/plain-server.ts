/** What a server costs that does nothing besides: Hono with one body for all, or with one statement a request. */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { openDatabase } from '#database/index.ts';
import { answerParent } from './child.ts';

export type PlainServerKind = 'static' | 'secure' | 'pg' | 'kysely';

export interface PlainServerTask {
  readonly kind: PlainServerKind;
  /** For `static`, and for `secure`, which sends the headers of our answers with it. */
  readonly body: string;
}

interface UserRow {
  readonly id: string;
  readonly rev: number;
  readonly data: object;
}

const database = openDatabase({ url: process.env['BENCH_DATABASE_URL']!, prepares: true });

answerParent(async ({ kind, body }: PlainServerTask): Promise<string> => {
  const app = new Hono();
  if (kind === 'static') {
    app.all('/svc/*', (hono) => hono.body(body, 200, { 'Content-Type': 'application/json;charset=UTF-8' }));
  } else if (kind === 'secure') {
    app.use(secureHeaders(), requestId());
    app.get('/svc/x', (hono) => hono.body(body, 200, { 'Content-Type': 'application/json;charset=UTF-8' }));
  } else {
    const find = kind === 'pg' ? findWithPg : findWithKysely;
    app.get('/svc/managed/user/:id', async (hono) => {
      const { id, rev, data } = await find(hono.req.param('id'));
      return hono.json({ _id: id, _rev: String(rev), ...data });
    });
    app.get('/svc/managed/user', async (hono) => {
      const userName = /"(.*)"/.exec(hono.req.query('_queryFilter') ?? '')?.[1];
      const users = await searchWithPg(userName);
      return hono.json({
        result: users.map(({ id, rev, data }) => ({ _id: id, _rev: String(rev), ...data })),
      });
    });
    app.get('/svc/managed/plain', async (hono) => hono.json({ result: await listExpandedWithPg() }));
    const insert = kind === 'pg' ? insertWithPg : insertWithKysely;
    app.post('/svc/managed/user', async (hono) => {
      const id = randomUUID();
      const data = await hono.req.json();
      await insert(id, data);
      return hono.json({ _id: id, _rev: '0', ...data }, 201);
    });
  }
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) =>
      resolve(`http://127.0.0.1:${port}`),
    );
  });
});

async function findWithPg(id: string): Promise<UserRow> {
  const { rows } = await database.pool.query<UserRow>({
    name: 'find-user',
    text: 'select id, rev, data from managed_object where type = $1 and id = $2',
    values: ['user', id],
  });
  return rows[0]!;
}

async function findWithKysely(id: string): Promise<UserRow> {
  return database.db
    .selectFrom('managed_object')
    .select(['id', 'rev', 'data'])
    .where('type', '=', 'user')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** What our server asks when the filter is `userName eq …`. */
async function searchWithPg(userName: string | undefined): Promise<UserRow[]> {
  const { rows } = await database.pool.query<UserRow>({
    name: 'search-user',
    text: `select id, rev, data from managed_object where type = 'user'
           and ((data ->> 'userName') collate "C") = $1 and jsonb_typeof(data -> 'userName') = 'string'
           order by id collate "C" limit 21`,
    values: [userName],
  });
  return rows;
}

/** A page of users with all members of their roles and managers, written by hand as one statement. */
async function listExpandedWithPg(): Promise<object[]> {
  const edges = (property: string, type: string) => `
    (select jsonb_agg(jsonb_build_object('_ref', e.target_collection || '/' || e.target_id, '_id', o.id,
                                         '_rev', o.rev::text) || o.data)
     from relationship_end e
     join managed_object o on o.type = '${type}' and o.id = e.target_id
     where e.owner_collection = 'managed/plain' and e.owner_id = u.id and e.owner_property = '${property}')`;
  const { rows } = await database.pool.query<UserRow & { roles: object[]; manager: object[] }>({
    name: 'list-expanded',
    text: `select id, rev, data, ${edges('roles', 'plain-role')} as roles, ${edges('manager', 'plain')} as manager
           from managed_object u where type = 'plain' order by id collate "C" limit 20`,
  });
  return rows.map(({ id, rev, data, roles, manager }) => ({
    _id: id,
    _rev: String(rev),
    ...data,
    roles,
    manager: manager?.[0] ?? null,
  }));
}

async function insertWithPg(id: string, data: object): Promise<void> {
  await database.pool.query({
    name: 'insert-user',
    text: "insert into managed_object (type, id, data) values ('user', $1, $2)",
    values: [id, JSON.stringify(data)],
  });
}

async function insertWithKysely(id: string, data: object): Promise<void> {
  await database.db
    .insertInto('managed_object')
    .values({ type: 'user', id, data: JSON.stringify(data) as never })
    .execute();
}
