import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, type GroupWrite, UnitOfWork } from '#database/index.ts';
import { runs } from '../../support/long.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

interface Row {
  readonly id: number;
}

/** A part of the work: rows that may wait or may not, a look at the database, or parts under a savepoint. */
type Part =
  | { readonly does: 'wait' | 'write' | 'hold' | 'look' }
  | { readonly does: 'keep' | 'undo' | 'fail'; readonly parts: readonly Part[] };

const parts = fc.letrec<{ part: Part; nested: Part }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<Part>({ does: 'wait' }, { does: 'write' }, { does: 'hold' }, { does: 'look' }),
    tie('nested'),
  ),
  nested: fc.record({
    does: fc.constantFrom<'keep' | 'undo' | 'fail'>('keep', 'undo', 'fail'),
    parts: fc.array(tie('part'), { maxLength: 4 }),
  }),
})).part;

class Refusal extends Error {}

describe('work of which parts are undone', () => {
  let database: Database & AsyncDisposable;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    await sql`create table note (id int primary key)`.execute(database.db);
  });
  beforeEach(() => sql`truncate note`.execute(database.db));
  afterAll(() => database?.[Symbol.asyncDispose]());

  const inserting = ({ id }: Row) => sql`insert into note (id) values (${id}) on conflict do nothing`;
  const notes = (more: Pick<GroupWrite<Row>, 'mayWait'>): GroupWrite<Row> => ({
    ...more,
    steps: (rows) => rows.map((row) => ({ statement: inserting(row) })),
    async run(db, rows) {
      for (const row of rows) await inserting(row).execute(db);
      return rows.map(() => true);
    },
  });
  const patient = notes({ mayWait: true });
  const hasty = notes({});

  /** Does the parts, each with the next number. @returns the numbers that should be there afterwards */
  async function perform(work: UnitOfWork, todo: readonly Part[], next: () => number): Promise<number[]> {
    const kept: number[] = [];
    for (const part of todo) {
      if ('parts' in part) {
        let inner: number[] = [];
        const nested = async () => {
          inner = await perform(work, part.parts, next);
          if (part.does === 'fail') throw new Refusal();
        };
        await work
          .savepoint(nested, { keep: part.does === 'keep' || part.does === 'fail' })
          .catch((error) => {
            if (!(error instanceof Refusal)) throw error;
          });
        if (part.does === 'keep') kept.push(...inner);
        continue;
      }
      if (part.does === 'look') {
        const { rows } = await sql<{ count: number }>`select count(*)::int from note`.execute(
          await work.db(),
        );
        expect(rows).toHaveLength(1);
        continue;
      }
      const id = next();
      if (part.does === 'hold') await work.hold({ statement: inserting({ id }) });
      else await work.write(part.does === 'wait' ? patient : hasty, { id });
      work.record({ resource: `note/${id}`, operation: 'create', before: null, after: id });
      kept.push(id);
    }
    return kept;
  }

  it.each([true, false])(
    'keeps just what was not undone, and tells of that (rows may wait: %s)',
    async (mayGroup) => {
      await fc.assert(
        fc.asyncProperty(fc.array(parts, { maxLength: 6 }), async (todo) => {
          await sql`truncate note`.execute(database.db);
          const work = new UnitOfWork(database, { mayGroup });
          let last = 0;
          const kept = await perform(work, todo, () => ++last);
          const told = work.changes.map(({ resource }) => resource);
          await work.commit();
          const { rows } = await sql<Row>`select id from note order by id`.execute(database.db);
          expect(rows.map(({ id }) => id)).toEqual(kept);
          expect(told).toEqual(kept.map((id) => `note/${id}`));
        }),
        { numRuns: runs(300) },
      );
    },
  );

  it('is not stored where something that nobody waited for failed, whatever was made of that', async () => {
    const refused = new Error('not there');
    const check = () => {
      throw refused;
    };
    const failing = { statement: sql`select 1`, check };
    const look = async (work: UnitOfWork) => sql`select 1`.execute(await work.db());
    const work = new UnitOfWork(database);
    await work.write(hasty, { id: 1 });
    const nested = work.savepoint(async () => {
      await work.hold(failing);
      await look(work).catch(() => undefined);
    });
    await expect(nested).rejects.toBe(refused);
    const rehearsed = work.savepoint(() => work.hold(failing), { keep: false });
    await expect(rehearsed).rejects.toBe(refused);
    await work.hold({ statement: inserting({ id: 2 }) });
    await work.commit();
    const other = new UnitOfWork(database);
    await other.hold({ statement: inserting({ id: 3 }) });
    await other.hold(failing);
    await look(other).catch(() => undefined);
    await expect(other.commit()).rejects.toBe(refused);
    await other.rollback();
    const { rows } = await sql<Row>`select id from note order by id`.execute(database.db);
    expect(rows.map(({ id }) => id)).toEqual([1, 2]);
  });
});
