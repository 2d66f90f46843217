import { describe, expect, it } from 'vitest';
import { counted, databaseWait, inTime, withDatabaseWait } from '#database/pool/database-wait.ts';

const never = () => new Promise<never>(() => {});
const passing = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const failure = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe('the time that a request waits for the database', () => {
  it('ends, whatever it waits for', async () => {
    const error = await withDatabaseWait(20, () => failure(inTime(counted(never()))));
    expect(error).toMatchObject({ code: 503, detail: { id: 'DB_SLOW' } });
  });

  it('is that of all statements together, of which several may be under way', async () => {
    await withDatabaseWait(60_000, async () => {
      await Promise.all([counted(passing(150)), counted(passing(160))]);
      await counted(passing(150));
      expect(databaseWait()?.leftMs).toBeLessThan(59_720);
    });
  });

  it('is not used up by other work, nor by answers that come at once', async () => {
    await withDatabaseWait(60_000, async () => {
      for (let n = 0; n < 5; n++) await counted(Promise.resolve());
      await inTime(passing(200));
      expect(databaseWait()?.openMs).toBe(0);
      expect(databaseWait()?.leftMs).toBeGreaterThan(59_850);
    });
  });

  it('is nothing to what the server does of its own accord, nor to what goes on when the answer is given', async () => {
    expect(databaseWait()).toBeUndefined();
    expect(await inTime(counted(Promise.resolve(7)))).toBe(7);
    const left = await withDatabaseWait(10, async () => databaseWait());
    left?.count(never());
    await passing(20);
    expect(left?.failure).toBeUndefined();
  });
});
