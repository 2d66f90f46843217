import type pg from 'pg';

const SAMPLE_MS = 5_000;

/** Tables of which rows come and go. */
const TABLES = [
  'scheduler_due',
  'scheduler_run',
  'work_job',
  'scan_slice',
  'workflow_job',
  'workflow_state',
  'workflow_subscription',
  'auth_session',
  'cluster_node',
];

/** Notes how many rows those tables have had at most, in `soak.peak`: what they take afterwards is judged by that. */
export class SizeWatch {
  readonly #pool: pg.Pool;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  start(): void {
    this.#timer = setInterval(() => void this.sample().catch(() => undefined), SAMPLE_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async sample(): Promise<void> {
    const counts = TABLES.map((table) => `select '${table}', (select count(*) from ${table})`).join(
      ' union all ',
    );
    await this.#pool.query(
      `insert into soak.peak ${counts}
       on conflict (name) do update set rows = greatest(peak.rows, excluded.rows)`,
    );
  }
}
