import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { KeptValue } from './rotate-rows.ts';

export type RotationState = 'ACTIVE' | 'COMPLETED' | 'INCOMPLETE' | 'CANCELLED' | 'ERROR';

/** How many values of a kind there are, and the first of them. */
export interface Kept {
  readonly count: number;
  readonly first: readonly KeptValue[];
}

/** How far a rotation is, and what its present round has found. */
export interface RotationProgress {
  /** How often everything has been gone through before. */
  readonly round: number;
  /** Where it goes on: behind a row (`ctid`) of a table. */
  readonly table: string;
  readonly after: string;
  /** Rows with encrypted values that were looked at. */
  readonly rows: number;
  /** How many values were rewritten in all rounds. */
  readonly rewritten: number;
  /** Rows of this round that were encrypted again, or that somebody else changed meanwhile. */
  readonly unsettled: number;
  /** How many values are under each key, `<alias>:<key>`. */
  readonly values: Readonly<Record<string, number>>;
  /** What is under an older key still. */
  readonly failures: Kept;
  /** What looks encrypted, and was by no key of the ring. */
  readonly foreign: Kept;
  /** Files of the project with values under older keys, which are not written from here. */
  readonly files?: readonly string[];
  readonly error?: string;
}

export interface Rotation {
  readonly id: string;
  readonly act: 'count' | 'rotate';
  readonly state: RotationState;
  readonly asked_by: string;
  readonly ring: JsonObject;
  readonly progress: RotationProgress;
  readonly asked_at: Date;
  readonly ended_at: Date | null;
}

const KEPT = 20;

/** @returns undefined while another one is under way */
export async function insertRotation(
  db: Db,
  {
    id,
    act,
    asked_by,
    ring,
    progress,
  }: Pick<Rotation, 'id' | 'act' | 'asked_by' | 'progress'> & { ring: unknown },
): Promise<Rotation | undefined> {
  await sql`
    delete from crypto_rotation where ended_at is not null and id not in (
      select id from crypto_rotation order by asked_at desc limit ${KEPT})`.execute(db);
  const { rows } = await sql<Rotation>`
    insert into crypto_rotation (id, act, asked_by, ring, progress)
    values (${id}, ${act}, ${asked_by}, ${JSON.stringify(ring)}::jsonb, ${JSON.stringify(progress)}::jsonb)
    on conflict (state) where state = 'ACTIVE' do nothing returning *`.execute(db);
  return rows[0];
}

export async function lockRotation(db: Db, id: string): Promise<Rotation | undefined> {
  const { rows } = await sql<Rotation>`select * from crypto_rotation where id = ${id} for update`.execute(db);
  return rows[0];
}

export async function storeRotation(
  db: Db,
  id: string,
  state: RotationState,
  progress: RotationProgress,
): Promise<void> {
  await sql`
    update crypto_rotation set state = ${state}, progress = ${JSON.stringify(progress)}::jsonb,
      ended_at = case when ${state} <> 'ACTIVE' then clock_timestamp() end
    where id = ${id}`.execute(db);
}

/** The last one; with `hasCounted` of those that have gone through everything. */
export async function findRotation(db: Db, hasCounted = false): Promise<Rotation | undefined> {
  const ended = hasCounted ? sql`where state in ('COMPLETED', 'INCOMPLETE')` : sql``;
  const { rows } = await sql<Rotation>`
    select * from crypto_rotation ${ended} order by asked_at desc limit 1`.execute(db);
  return rows[0];
}
