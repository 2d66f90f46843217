import {
  type Db as BossDb,
  fromKysely,
  PgBoss,
  type QueueResult,
  type Queue as QueueSettings,
} from 'pg-boss';
import type { Database, Db } from '#database/index.ts';
import type { Worker } from './job.ts';

/** The schema of pg-boss's tables; `migrations/` makes it. */
const BOSS_SCHEMA = 'svc_pgboss';
export const DEAD_LETTERS = 'dead-letter';

const SECONDS = 1000;
const DAY_SECONDS = 86_400;
/** What waits for its time must not be tidied away by age. */
const RETENTION_SECONDS = 3_650 * DAY_SECONDS;
const COMPLETED_SECONDS = 3_600;

/** pg-boss on our own connections. It is only started where it looks after its tables; the rest needs no start. */
export function openBoss(database: Database, onWarning: (message: string) => void): PgBoss {
  const boss = new PgBoss({
    db: onPool(database),
    schema: BOSS_SCHEMA,
    schedule: false,
    useListenNotify: false,
    monitorIntervalSeconds: 60,
    maintenanceIntervalSeconds: 300,
  });
  // Without a listener an error of its background passes would end the process.
  boss.on('error', (error) => onWarning(error.message));
  boss.on('warning', (warning) => onWarning(warning.message));
  return boss;
}

/** Statements of pg-boss within our transaction. */
export function within(db: Db): BossDb {
  return fromKysely(db as unknown as Parameters<typeof fromKysely>[0]);
}

/** A statement of several that fails half way leaves a transaction open: such a connection is not used again. */
function onPool({ pool }: Database): BossDb {
  return {
    async executeSql(text, values) {
      if (!/\bBEGIN\b/.test(text)) return pool.query(text, values as unknown[]);
      const client = await pool.connect();
      try {
        const result = await client.query(text, values as unknown[]);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
  };
}

/** Makes the queues that are missing and changes those whose settings have changed. Many nodes may do so at once. */
export async function prepareQueues(boss: PgBoss, workers: readonly Worker[]): Promise<void> {
  const present = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  const wanted = [
    { name: DEAD_LETTERS, retentionSeconds: 365 * DAY_SECONDS },
    ...workers.map((worker) => settingsOf(worker)),
  ];
  for (const { name, ...settings } of wanted) {
    const queue = present.get(name);
    if (queue === undefined) await boss.createQueue(name, settings);
    else if (differs(queue, settings)) {
      const { policy: _fixed, ...changeable } = settings as QueueSettings;
      await boss.updateQueue(name, changeable);
    }
  }
}

function settingsOf({ name, options }: Worker): QueueSettings {
  return {
    name,
    policy: options.unique === undefined ? 'standard' : options.unique === 'waiting' ? 'short' : 'exclusive',
    retryLimit: options.retries ?? 2,
    retryDelay: Math.ceil((options.retryDelayMs ?? 10_000) / SECONDS),
    retryBackoff: options.backoff ?? false,
    expireInSeconds: Math.ceil((options.limitMs ?? 900_000) / SECONDS),
    retentionSeconds: RETENTION_SECONDS,
    deleteAfterSeconds: COMPLETED_SECONDS,
    deadLetter: DEAD_LETTERS,
  };
}

function differs(queue: QueueResult, settings: Omit<QueueSettings, 'name'>): boolean {
  return Object.entries(settings).some(
    ([key, value]) => key !== 'policy' && queue[key as keyof QueueResult] !== value,
  );
}
