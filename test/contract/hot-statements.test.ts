import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import { explanation, HOT, hotStatement, LOOK } from '../../bench/support/hot-statements.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';

const TABLES = {
  'firing-claim': 'scheduler_due',
  'firing-start': 'scheduler_run',
  'firing-completion': 'scheduler_run',
  'job-claim': 'work_job',
  'job-dues': 'work_job',
  'job-completion': 'work_job',
};

test('each hot statement can be explained as the product sends it, with values of its database', async () => {
  await using database = await createMigratedDatabase();
  await database.db.connection().execute(async (db) => {
    const ask = async (query: RawBuilder<unknown>) =>
      (await query.execute(db)).rows as Record<string, unknown>[];
    await ask(
      sql`insert into cluster_node (name, epoch, state, roles) values ('a', 1, 'running', '{worker}')`,
    );
    const [found] = await ask(sql.raw(LOOK));
    expect(found).toMatchObject({ node: expect.any(Number), epoch: 1, nodes: `{${found!['node']}}` });
    const plans = Object.entries(HOT).map(async ([name, make]) => [name, await hotStatement(make)] as const);
    for (const [name, statement] of await Promise.all(plans)) {
      const values = statement.values.map((value) =>
        sql.lit('column' in value ? String(found![value.column]) : value.literal),
      );
      await ask(sql.raw(`prepare hot as ${statement.text}`));
      const plan = await ask(sql`explain (analyze) execute hot(${sql.join(values)})`);
      await ask(sql`deallocate hot`);
      expect([name, JSON.stringify(plan)]).toEqual([
        name,
        expect.stringContaining(` on ${TABLES[name as keyof typeof TABLES]}`),
      ]);
      expect(explanation(statement)).toContain(`prepare hot as ${statement.text};`);
    }
  });
});
