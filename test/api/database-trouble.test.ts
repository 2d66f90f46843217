import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('when the database cannot do its part', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            { name: 'plain' },
            {
              name: 'hooked',
              onCreate: {
                type: 'text/javascript',
                source: `try { svc.create('managed/echo', null, { of: object.key }) }
                         catch (e) { throw { code: 418, message: 'something of my own' } }`,
              },
            },
            { name: 'echo' },
          ],
        },
      },
    });
    await sql`create sequence trouble_count`.execute(server.database.db);
  });
  afterEach(async () => {
    await sql`drop function trouble cascade`.execute(server.database.db);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Writes of objects of the type fail with the state, for the first `times`. */
  async function makeTrouble(type: string, state: string, times: number): Promise<void> {
    const { db } = server.database;
    await sql`select setval('trouble_count', 1, false)`.execute(db);
    await sql
      .raw(
        `create function trouble() returns trigger language plpgsql as $$ begin
           if nextval('trouble_count') <= ${times} then
             raise exception using errcode = '${state}', message = 'no';
           end if;
           return null;
         end $$;
         create trigger trouble after insert on managed_object
           for each row when (new.type = '${type}') execute function trouble()`,
      )
      .execute(db);
  }

  const count = async (type: string) => {
    const { rows } = await sql`select 1 from managed_object where type = ${type}`.execute(server.database.db);
    return rows.length;
  };

  test.each([
    ['25006', 'read-only'],
    ['53100', 'full'],
  ])('a %s (%s) is a 503 that says that nothing was changed', async (state) => {
    await makeTrouble('plain', state, 1_000);
    const { status, headers, body } = await server.api('POST', 'managed/plain', { body: {} });
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body.message).toMatch(/takes no changes at the moment \(no\); nothing was changed/);
    expect(await count('plain')).toBe(0);
  });

  test('a conflict runs the whole request again, whatever a script makes of it', async () => {
    await makeTrouble('echo', '40P01', 2);
    const { status } = await server.api('POST', 'managed/hooked', { body: { key: 'k' } });
    expect(status).toBe(201);
    expect([await count('hooked'), await count('echo')]).toEqual([1, 1]);
  });
});
