import pg from 'pg';
import { databaseCpu } from './database-cpu.ts';
import { threadCpuMicroseconds } from './processor.ts';

/** Of one request, in microseconds of a processor. */
export type RequestCost = Readonly<Record<'main thread' | 'node' | 'Postgres', number>>;

export interface CostMeter extends AsyncDisposable {
  /** What each of the requests that `ask` sends costs a node and the database. Does not depend on what else the machine does. */
  measure(pid: number, ask: () => Promise<{ readonly requests: number }>): Promise<RequestCost>;
}

/** Observes the server of a database from another one of its databases, so that it does not count itself. */
export async function openCostMeter(databaseUrl: string): Promise<CostMeter> {
  const elsewhere = new URL(databaseUrl);
  const database = elsewhere.pathname.slice(1);
  elsewhere.pathname = '/postgres';
  const observer = new pg.Client({ connectionString: elsewhere.href });
  await observer.connect();
  return {
    async measure(pid, ask) {
      const before = threadCpuMicroseconds(pid);
      const { result, microseconds } = await databaseCpu(observer, database, ask);
      const after = threadCpuMicroseconds(pid);
      return {
        'main thread': (after.main - before.main) / result.requests,
        node: (after.all - before.all) / result.requests,
        Postgres: microseconds / result.requests,
      };
    },
    [Symbol.asyncDispose]: () => observer.end(),
  };
}
