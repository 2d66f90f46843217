import type pg from 'pg';
import type { Answered } from './client.ts';

/** What was asked of which thing; the checker compares it with what the database holds. */
export type Deed =
  | 'createPlain'
  | 'createHooked'
  | 'deletePlain'
  | 'increment'
  | 'schedule'
  | 'editSchedule'
  | 'deleteSchedule'
  | 'scan'
  | 'startProcess'
  | 'sendMessage'
  | 'completeTask'
  | 'beginSession'
  | 'useSession'
  | 'endSession';

interface Entry {
  readonly deed: Deed;
  readonly key: string;
  readonly node: string;
  readonly answered: Answered;
  readonly info: string | null;
}

/** Everything that was asked with the wish to change something, and what was answered. */
export class Journal {
  readonly #entries: Entry[] = [];
  readonly statuses = new Map<string, number>();
  readonly timeouts: Entry[] = [];
  /** What reads showed and could not be. */
  readonly wrongReads: string[] = [];

  note(deed: Deed, key: string, node: string, answered: Answered, info: string | null = null): void {
    const entry = { deed, key, node, answered, info };
    this.#entries.push(entry);
    this.count(node, answered);
    if (answered.detail === 'timeout') this.timeouts.push(entry);
  }

  count(_node: string, { status, detail }: Answered): void {
    const name =
      status === 0 ? `no answer (${detail})` : detail === null ? String(status) : `${status} ${detail}`;
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
  }

  get size(): number {
    return this.#entries.length;
  }

  keys(deed: Deed, outcome: Answered['outcome']): string[] {
    return this.#entries
      .filter((entry) => entry.deed === deed && entry.answered.outcome === outcome)
      .map(({ key }) => key);
  }

  /** Puts it into `soak.answer`. */
  async store(db: pg.ClientBase): Promise<void> {
    for (let from = 0; from < this.#entries.length; from += 5_000) {
      const rows = this.#entries.slice(from, from + 5_000).map(({ deed, key, node, answered, info }) => ({
        deed,
        key,
        node,
        info,
        outcome: answered.outcome,
        status: answered.status,
        detail: answered.detail,
        asked_at: new Date(answered.askedAt),
        answered_at: new Date(answered.answeredAt),
      }));
      await db.query(
        `insert into soak.answer (deed, key, node, info, outcome, status, detail, asked_at, answered_at)
         select deed, key, node, info, outcome, status, detail, asked_at, answered_at
         from jsonb_to_recordset($1::jsonb) as r(deed text, key text, node text, info text, outcome text, status int,
              detail text, asked_at timestamptz, answered_at timestamptz)`,
        [JSON.stringify(rows)],
      );
    }
  }
}
