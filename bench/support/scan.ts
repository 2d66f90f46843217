import { setTimeout as delay } from 'node:timers/promises';
import { onServer } from './postgres.ts';
import { call } from './service.ts';

/** A managed type without hooks, to be scanned. */
export const ITEM_TYPE = { 'conf/managed.json': { objects: [{ name: 'item' }] } };

const UNTIL_STEADY_MS = 1_000;

export interface TimedScan {
  readonly databaseUrl: string;
  /** The node that is asked; all nodes of the database take part. */
  readonly url: string;
  readonly source: string;
  readonly threads: number;
  readonly ms: number;
}

export async function fillItems(databaseUrl: string, objects: number): Promise<void> {
  await onServer(
    databaseUrl,
    `insert into managed_object (type, id, data)
     select 'item', 'item-' || n, jsonb_build_object('n', n, 'name', 'Name ' || n, 'text', repeat('x', 200))
     from generate_series(1, ${objects}) n`,
  );
  await onServer(databaseUrl, 'vacuum analyze managed_object');
}

/** Takes away what scans have written, so that the next one finds all objects again. */
export async function resetItems(databaseUrl: string): Promise<void> {
  await onServer(
    databaseUrl,
    `update managed_object set data = data - 'started' - 'completed' - 'seen' where data ? 'started'`,
  );
  await onServer(databaseUrl, 'truncate scan_run cascade');
  await onServer(databaseUrl, 'vacuum analyze managed_object');
}

/** @returns the id of the run */
export async function startScan({ url, source, threads }: Omit<TimedScan, 'ms'>): Promise<string> {
  const { _id } = (await call(url, 'POST', 'taskscanner?_action=execute', {
    numberOfThreads: threads,
    waitForCompletion: false,
    scan: {
      object: 'managed/item',
      _queryFilter: '!(/completed pr)',
      taskState: { started: '/started', completed: '/completed' },
    },
    task: { script: { type: 'text/javascript', source } },
  })) as { _id: string };
  return _id;
}

export interface Progress {
  readonly state: string;
  readonly successes: number;
  readonly skipped: number;
  readonly failures: number;
  /** By the clock of the database. */
  readonly atMs: number;
}

export async function readProgress(databaseUrl: string, id: string): Promise<Progress> {
  const [row] = await onServer<Progress & Record<string, unknown>>(
    databaseUrl,
    `select state, successes::int, failures::int, skipped::int,
            (extract(epoch from clock_timestamp()) * 1000)::float8 as "atMs"
     from svc_scan_run where run_id = '${id}'`,
  );
  if (row === undefined || row.failures > 0 || row.skipped > 0) throw new Error(JSON.stringify(row));
  return row;
}

/**
 * Lets a scan run for so long, and cancels it then.
 *
 * @returns objects a second
 * @throws Error unless as many objects are completed as the scan has counted
 */
export async function scanFor(scan: TimedScan): Promise<number> {
  const { databaseUrl, url, ms } = scan;
  const id = await startScan(scan);
  for (let began = 0; began === 0; ) {
    await delay(50);
    began = (await readProgress(databaseUrl, id)).successes;
  }
  await delay(UNTIL_STEADY_MS);
  const from = await readProgress(databaseUrl, id);
  await delay(ms);
  const to = await readProgress(databaseUrl, id);
  if (to.state !== 'ACTIVE') throw new Error(`The scan was over too soon: ${JSON.stringify(to)}`);
  await call(url, 'POST', `taskscanner/${id}?_action=cancel`);
  await untilIdle(databaseUrl);
  await checkCounts(databaseUrl, id);
  await resetItems(databaseUrl);
  return (to.successes - from.successes) / ((to.atMs - from.atMs) / 1000);
}

async function untilIdle(databaseUrl: string): Promise<void> {
  for (;;) {
    const [row] = await onServer<{ n: number }>(
      databaseUrl,
      `select (select count(*) from work_job where node_id is not null and queue like 'scan-%')::int
            + (select count(*) from scan_run where lanes > 0)::int as n`,
    );
    if (row!.n === 0) return;
    await delay(20);
  }
}

async function checkCounts(databaseUrl: string, id: string): Promise<void> {
  const { successes } = await readProgress(databaseUrl, id);
  const [row] = await onServer<{ n: number }>(
    databaseUrl,
    `select count(*)::int as n from managed_object where type = 'item' and data ? 'completed'`,
  );
  if (row!.n !== successes) throw new Error(`${row!.n} objects are completed, the scan counted ${successes}`);
}
