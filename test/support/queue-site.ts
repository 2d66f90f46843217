import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Database, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { Quarantine } from '#lifecycle/index.ts';
import { type ClaimedJob, type Job, JobPoller, type JobResult, Queue, runJob } from '#queue/index.ts';
import type { WorkerOptions } from '#queue/job.ts';
import { createMigratedDatabase } from './migrated-database.ts';
import { wakesOf } from './queue-wakes.ts';

export const QUICK: WorkerOptions = { concurrency: 4, runsScripts: false, retries: 1, retryDelayMs: 0 };

/** The database runs on this machine. */
export const clock = { now: () => Date.now() };

/** A queue without anything else, and node `a` that may hold its jobs; all of it anew for each test. */
export function queueSite() {
  let database: Database & AsyncDisposable;
  let queue: Queue;
  let pollers: JobPoller[];
  let marked: (string | null)[];
  let holder = { nodeId: 0, epoch: 0 };

  beforeAll(async () => {
    database = await createMigratedDatabase();
    await sql`create table mark (job text, attempt int)`.execute(database.db);
  });
  afterAll(() => database?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await sql
      .raw('truncate cluster_node, work_job, work_queue, work_dead_letter, mark cascade')
      .execute(database.db);
    pollers = [];
    marked = [];
    const notify = () => {
      for (const poller of pollers) poller.wake();
    };
    queue = new Queue({ database, wakes: wakesOf(notify) });
    holder = { nodeId: await addNode('a'), epoch: 1 };
  });
  afterEach(async () => {
    await Promise.all(pollers.map((poller) => poller.stop()));
  });

  async function addNode(name: string): Promise<number> {
    const { id } = await database.db
      .insertInto('cluster_node')
      .values({ name, epoch: 1, state: 'running', roles: ['worker'] })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** A poller with the results of its jobs, as they come. */
  async function startPoller(run = (job: ClaimedJob) => runJob(queue, job)) {
    const results: { job: ClaimedJob; result: JobResult }[] = [];
    const waiting: (() => void)[] = [];
    const poller = new JobPoller({
      queue,
      clock,
      holder: () => holder,
      observe: () => {},
      quarantine: new Quarantine({
        patienceMs: 600_000,
        limitMs: 600_000,
        mark: async (subject) => void marked.push(subject),
      }),
      async run(job) {
        const result = await run(job);
        results.push({ job, result });
        for (const look of waiting) look();
        return result;
      },
    });
    pollers.push(poller);
    await queue.prepare();
    await poller.start();
    return {
      poller,
      ended: (count: number) =>
        new Promise<typeof results>((resolve) => {
          const look = () => results.length >= count && resolve(results);
          waiting.push(look);
          look();
        }),
    };
  }

  const inUnit = <T>(work: (unit: UnitOfWork) => Promise<T>) => runUnitOfWork(database, {}, work);
  const rows = async <T>(query: string) => (await sql.raw<T>(query).execute(database.db)).rows;
  return {
    get database() {
      return database;
    },
    get queue() {
      return queue;
    },
    get holder() {
      return holder;
    },
    get pollers() {
      return pollers;
    },
    /** What was done alone, as others are told of it. */
    get marked() {
      return marked;
    },
    addNode,
    startPoller,
    inUnit,
    rows,
    enqueue: (data: JsonObject, more: object = {}) =>
      inUnit((unit) => queue.enqueue(unit, { queue: 'work', data, ...more })),
    claimOne: async () => (await queue.claim(database.db, 'work', 1, holder))[0]!,
    mark: async (unit: UnitOfWork, job: Job) =>
      void (await sql`insert into mark values (${job.id}, ${job.attempt})`.execute(await unit.db())),
    marks: () => rows<{ job: string; attempt: number }>('select * from mark'),
  };
}
