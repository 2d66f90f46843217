import { sql } from 'kysely';
import { expect } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { eventually } from './eventually.ts';
import { PATIENT_LEASE_S, setLease } from './lease.ts';
import { type NodeProcess, startNodeProcess } from './node-process.ts';
import { createProject, type TestProject } from './project.ts';
import { createStartedDatabase } from './started-database.ts';

/**
 * Leaves a mark per run, which says for which planned time it was, then works for a while or until its gate is open. To ask
 * for the mark is what sends it: until then it is kept for the commit.
 */
const MARK = {
  type: 'text/javascript',
  source: `
    var name = context.security.authenticationId;
    svc.create('managed/mark', null, { job: object.job, planned: name.substring(name.length - 24) });
    if (object.gate || object.asks) svc.query('managed/mark', { _queryFilter: 'job eq "' + object.job + '"' });
    var until = Date.now() + object.workMs;
    while (Date.now() < until) {}
    while (object.gate && svc.read('managed/gate/' + object.gate) === null) {}`,
  timeout: 120_000,
};

export interface LedgerRow {
  readonly schedule: string;
  readonly planned: string;
  readonly outcome: string;
  readonly failed: boolean;
  readonly node: string;
  readonly late_ms: number;
}

/** Several real server processes on one database; the database says afterwards what they did. */
export class Cluster implements AsyncDisposable {
  readonly #scope = new AsyncDisposableStack();
  readonly #nodes: NodeProcess[] = [];
  readonly #project: TestProject;
  readonly databaseUrl: string;
  readonly database: Database;

  private constructor(scope: AsyncDisposableStack, project: TestProject, databaseUrl: string) {
    this.#scope = scope;
    this.#project = project;
    this.databaseUrl = databaseUrl;
    this.database = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'test' });
    scope.defer(() => this.database.close());
    scope.defer(async () => {
      await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
    });
  }

  /** @param url a server of the test's own; default a fresh database of the run's server */
  static async create(url?: string): Promise<Cluster> {
    await using scope = new AsyncDisposableStack();
    const databaseUrl = url ?? scope.use(await createStartedDatabase()).url;
    const project = scope.use(
      await createProject({
        'conf/managed.json': { objects: [{ name: 'mark' }, { name: 'gate' }] },
        'conf/scheduler.json': {
          threadPool: { threadCount: 20 },
          advancedProperties: {
            // Nodes that look often share the work often.
            'org.quartz.scheduler.idleWaitTime': '250',
            // However slow the machine is, no planned time is left out.
            'org.quartz.jobStore.misfireThreshold': '3600000',
          },
        },
      }),
    );
    return new Cluster(scope.move(), project, databaseUrl);
  }

  /** One whose nodes are not given up for being silent, however slow the machine is. */
  static async createPatient(): Promise<Cluster> {
    const cluster = await Cluster.create();
    await setLease(cluster.database.db, PATIENT_LEASE_S);
    return cluster;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope.disposeAsync();
  }

  async start(name: string, environment: Record<string, string> = {}): Promise<NodeProcess> {
    const node = await startNodeProcess({
      name,
      databaseUrl: this.databaseUrl,
      project: this.#project.location,
      environment,
    });
    this.#nodes.push(node);
    return node;
  }

  /**
   * A schedule that leaves its mark every second, and works for `workMs`, default none, or until its gate is open.
   *
   * @param given.asks for its mark, so that it has a transaction of its own. Default: only those with a gate do
   */
  async schedule(
    node: NodeProcess,
    job: string,
    {
      workMs = 0,
      gate,
      asks = false,
      ...fields
    }: Record<string, unknown> & { workMs?: number; gate?: string; asks?: boolean } = {},
  ): Promise<void> {
    const { status, body } = await node.api('PUT', `scheduler/job/${job}`, {
      body: {
        schedule: '* * * * * ?',
        timeZone: 'UTC',
        invokeService: 'script',
        invokeContext: { input: { job, workMs, gate: gate ?? null, asks }, script: MARK },
        ...fields,
      },
    });
    expect(status, JSON.stringify(body)).toBe(201);
  }

  /** Waits until a run has left its mark in a transaction that is still open. @returns the name of its node */
  async begun(job: string): Promise<string> {
    const [run] = await eventually(
      async () =>
        (
          await sql<{ node: string }>`
            select n.name as node from scheduler_run r join scheduler_job j using (trigger_id)
            join cluster_node n on n.id = r.node_id
            where j.id = ${job} and r.started_at is not null and exists (
              select from pg_stat_activity a
              where a.datname = current_database() and a.backend_xid is not null
                and split_part(a.application_name, ':', 2) = n.id::text)`.execute(this.database.db)
        ).rows,
      (rows) => rows.length > 0,
    );
    return run!.node;
  }

  async open(node: NodeProcess, gate: string): Promise<void> {
    expect((await node.api('PUT', `managed/gate/${gate}`, { body: {} })).status).toBe(201);
  }

  async ledger(): Promise<readonly LedgerRow[]> {
    const { rows } = await sql<LedgerRow>`
      select schedule, to_char(planned_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as planned,
             outcome, failed, node, late_ms::float8 as late_ms
      from svc_firing order by schedule, planned_at`.execute(this.database.db);
    return rows;
  }

  /** Waits for so many more rows of the ledger. */
  async rowsMore(count: number): Promise<readonly LedgerRow[]> {
    const before = (await this.ledger()).length;
    return eventually(
      () => this.ledger(),
      (rows) => rows.length >= before + count,
    );
  }

  /** Waits until a row of the ledger fits. */
  async rowWith(fits: (row: LedgerRow) => boolean): Promise<LedgerRow> {
    const rows = await eventually(
      () => this.ledger(),
      (found) => found.some(fits),
    );
    return rows.find(fits)!;
  }

  /**
   * Stops the clockwork and waits until nothing runs. Then each planned time must have run once: consecutive seconds
   * in the ledger, none failed, one mark for each, and no mark besides.
   */
  async expectExactlyOnce(): Promise<readonly LedgerRow[]> {
    const { db } = this.database;
    await sql`update scheduler_setting set paused = true`.execute(db);
    await eventually(
      async () => (await sql<{ n: number }>`select count(*) as n from scheduler_run`.execute(db)).rows[0]!.n,
      (open) => open === 0,
    );
    const rows = await this.ledger();
    const gaps = rows.filter((row, index) => {
      const before = rows[index - 1];
      return (
        before?.schedule === row.schedule && Date.parse(row.planned) - Date.parse(before.planned) !== 1000
      );
    });
    expect(gaps).toEqual([]);
    expect(rows.filter((row) => row.failed)).toEqual([]);
    const marks = await sql<{ key: string; count: number }>`
      select (data->>'job') || ' ' || (data->>'planned') as key, count(*) as count
      from managed_object where type = 'mark' group by 1`.execute(db);
    expect(Object.fromEntries(marks.rows.map((row) => [row.key, row.count]))).toEqual(
      Object.fromEntries(rows.map((row) => [`${row.schedule} ${row.planned}`, 1])),
    );
    return rows;
  }
}
