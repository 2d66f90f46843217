import { afterAll, beforeAll, expect, test } from 'vitest';
import { countSessions, endSessions } from '../../../src/cluster/node-repository.ts';
import { type Database, openDatabase } from '../../../src/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const NAME = 'svc:1';
let here: TestDatabase;
let elsewhere: TestDatabase;
const databases: Database[] = [];
const open = (place: TestDatabase, applicationName: string) => {
  const database = openDatabase({ url: place.url, poolSize: 2, applicationName });
  databases.push(database);
  return database;
};

beforeAll(async () => {
  [here, elsewhere] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await Promise.all([here, elsewhere].map((place) => place[Symbol.asyncDispose]()));
});

test('a take-over ends the sessions of the dead node, and none of the node of that number in another database', async () => {
  const dead = open(here, NAME);
  const neighbour = open(elsewhere, NAME);
  const pid = async (database: Database) =>
    (await database.pool.query('select pg_backend_pid() as pid')).rows[0].pid;
  await dead.pool.query('select 1');
  const before = await pid(neighbour);
  const { db } = open(here, 'svc:2');
  expect(await countSessions(db, NAME)).toBe(1);
  expect(await endSessions(db, NAME)).toBe(1);
  await expect.poll(() => countSessions(db, NAME)).toBe(0);
  expect(await pid(neighbour)).toBe(before);
});
