import { forgetReplacedKeys, KeyRing, type KeyRingText, noteRotation, Rewrapper } from '#crypto/index.ts';
import type { Db, UnitOfWork } from '#database/index.ts';
import { ConflictError, InternalServerError, NotFoundError, type ResourceError } from '#errors/index.ts';
import { asJson, equalJson, type JsonObject } from '#json/index.ts';
import type { Queue } from '#queue/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { timeOrderedId } from '#time/index.ts';
import { listOverrides } from './config-override-repository.ts';
import {
  findRotation,
  insertRotation,
  type Kept,
  lockRotation,
  type Rotation,
  type RotationProgress,
  storeRotation,
} from './key-rotation-repository.ts';
import { listRingKeys } from './ring-key-repository.ts';
import { rotateFiles } from './rotate-files.ts';
import { BATCH, BLOCKS, MAX_ROUNDS, MOST_TOLD } from './rotate-keys.ts';
import { type KeptValue, rotateRows } from './rotate-rows.ts';
import { findSealed, listSealedTables, type SealedTable } from './sealed-value-repository.ts';

/** What it is called below `/key`, where no key is called so. */
export const ROTATION = 'rotation';
const QUEUE = 'keys';
/** A job holds what it has written until it ends. */
const BUDGET_MS = 500;
const FROM_THE_START = '(0,0)';

export interface KeyRotationPlatform {
  readonly queue: Queue;
  readonly keyRing: KeyRingText;
  readonly projectLocation: () => string;
}

/** Counts what is encrypted, or encrypts it again, in slices; each is a job that ends by enqueuing the next one. */
export class KeyRotation {
  readonly #platform: KeyRotationPlatform;
  readonly #rewrapper: Rewrapper;
  readonly #ids: KeyRing['ids'];

  constructor(platform: KeyRotationPlatform) {
    this.#platform = platform;
    this.#rewrapper = new Rewrapper(platform.keyRing);
    this.#ids = new KeyRing(platform.keyRing).ids;
    platform.queue.work(
      QUEUE,
      {
        run: (unitOfWork, { data }) => this.#work(unitOfWork, String(data['rotation'])),
        failed: async (unitOfWork, { data }, { error, retryAt }) => {
          if (retryAt === null) await fail(await unitOfWork.db(), String(data['rotation']), error);
        },
      },
      { concurrency: 1, runsScripts: false, retries: 5, retryDelayMs: 1_000, losses: 10 },
    );
  }

  /** @throws ConflictError `CRYPTO_ROTATION_UNDER_WAY`, `CRYPTO_NODES_DIFFER` */
  async begin(context: WriteContext, act: Rotation['act']): Promise<Rotation> {
    const { unitOfWork, security } = context;
    const db = await unitOfWork.db();
    if (act === 'rotate') {
      await requireOneRing(db);
      await noteRotation(db, this.#ids);
    }
    const asked = { id: timeOrderedId(), act, asked_by: security.authorization.id };
    const rotation = await insertRotation(db, { ...asked, ring: this.#ids, progress: fromTheStart(0, 0) });
    if (rotation === undefined) throw underWay();
    await this.#platform.queue.enqueue(unitOfWork, { queue: QUEUE, data: { rotation: rotation.id } });
    recordAct(context, rotation);
    return rotation;
  }

  /** What it has encrypted again stays so. @throws NotFoundError `CRYPTO_NO_ROTATION` */
  async cancel(context: WriteContext): Promise<Rotation> {
    const db = await context.unitOfWork.db();
    const last = await findRotation(db);
    const rotation = last && (await lockRotation(db, last.id));
    if (rotation?.state !== 'ACTIVE') {
      throw new NotFoundError('No rotation of keys is under way', { id: 'CRYPTO_NO_ROTATION' });
    }
    await storeRotation(db, rotation.id, 'CANCELLED', rotation.progress);
    const cancelled = { ...rotation, state: 'CANCELLED' } as const;
    recordAct(context, cancelled);
    return cancelled;
  }

  async #work(unitOfWork: UnitOfWork, id: string): Promise<void> {
    const db = await unitOfWork.db();
    const rotation = await lockRotation(db, id);
    if (rotation?.state !== 'ACTIVE') return;
    // With another key in use, what is done here would be undone there.
    if (!equalJson(asJson(this.#ids), rotation.ring)) throw anotherRing();
    const progress = await this.#slice(db, rotation);
    if (progress === undefined) return;
    await storeRotation(db, id, 'ACTIVE', progress);
    await this.#platform.queue.enqueue(unitOfWork, { queue: QUEUE, data: { rotation: id } });
  }

  /** @returns undefined when it has come to an end, which is stored then */
  async #slice(db: Db, rotation: Rotation): Promise<RotationProgress | undefined> {
    const begun = performance.now();
    const tables = await listSealedTables(db);
    let { progress } = rotation;
    while (performance.now() - begun < BUDGET_MS) {
      const { table: at } = progress;
      const table = tables.find(({ name }) => name >= at);
      if (table === undefined) return this.#endRound(db, rotation, progress);
      const after = table.name === at ? progress.after : FROM_THE_START;
      const next = await this.#rows(db, rotation.act, table, { ...progress, table: table.name, after });
      const wrote = next.unsettled > progress.unsettled;
      progress = next;
      if (wrote) break;
    }
    return progress;
  }

  async #rows(
    db: Db,
    act: Rotation['act'],
    table: SealedTable,
    progress: RotationProgress,
  ): Promise<RotationProgress> {
    const block = Number(/^\((\d+),/.exec(progress.after)?.[1] ?? 0);
    const beforeBlock = Math.min(block + BLOCKS, table.blocks);
    const rows = await findSealed(db, table, { after: progress.after, beforeBlock, limit: BATCH });
    const rotated = await rotateRows(db, table, this.#rewrapper, rows, act === 'rotate');
    const values = { ...progress.values };
    for (const [key, count] of rotated.values) values[key] = (values[key] ?? 0) + count;
    const isRead = rows.length < BATCH;
    const isLast = isRead && beforeBlock >= table.blocks;
    return {
      ...progress,
      // No name of a table lies between.
      table: isLast ? `${table.name} ` : table.name,
      after: isRead ? `(${beforeBlock},0)` : (rows.at(-1)?.place ?? progress.after),
      rows: progress.rows + rotated.sealed,
      rewritten: progress.rewritten + rotated.rewritten,
      unsettled: progress.unsettled + rotated.rewritten + rotated.missed,
      values,
      failures: more(progress.failures, rotated.failures),
      foreign: more(progress.foreign, rotated.foreign),
    };
  }

  async #endRound(
    db: Db,
    { id, act }: Rotation,
    progress: RotationProgress,
  ): Promise<RotationProgress | undefined> {
    if (act === 'count') {
      await storeRotation(db, id, 'COMPLETED', progress);
      return undefined;
    }
    const { round, rewritten, unsettled, failures } = progress;
    // A row that somebody changes may move behind the reader.
    if (unsettled > 0 && round + 1 < MAX_ROUNDS) return fromTheStart(round + 1, rewritten);
    const files = await this.#outdatedFiles(db);
    const isDone = unsettled === 0 && failures.count === 0 && files.length === 0;
    if (isDone) await forgetReplacedKeys(db, this.#ids);
    await storeRotation(db, id, isDone ? 'COMPLETED' : 'INCOMPLETE', { ...progress, files });
    return undefined;
  }

  /** Files are those of this node; each node has its own. */
  async #outdatedFiles(db: Db): Promise<string[]> {
    const overridden = new Set((await listOverrides(db)).map(({ id }) => id));
    const projectLocation = this.#platform.projectLocation();
    const found = await rotateFiles({
      projectLocation,
      rewrapper: this.#rewrapper,
      overridden,
      write: false,
    });
    return found.filter((one) => one.outdated > 0 || one.failures.length > 0).map(({ file }) => file);
  }
}

/** A rotation as it is shown: never a key, never a value. */
export function rotationView(rotation: Rotation): JsonObject {
  const { id, act, state, asked_by, asked_at, ended_at, progress } = rotation;
  const { table, after, unsettled, failures, foreign, values, files, ...counts } = progress;
  const told = ({ count, first }: Kept): JsonObject => ({ count, first: first.map((one) => ({ ...one })) });
  return {
    _id: ROTATION,
    id,
    act,
    state,
    askedBy: asked_by,
    askedAt: asked_at.toISOString(),
    ...(ended_at === null ? {} : { endedAt: ended_at.toISOString() }),
    ...counts,
    ...(state === 'ACTIVE' ? { table: table.trim() } : {}),
    values: { ...values },
    failures: told(failures),
    foreign: told(foreign),
    ...(files === undefined ? {} : { files: [...files] }),
  };
}

function fromTheStart(round: number, rewritten: number): RotationProgress {
  const none = { count: 0, first: [] };
  const place = { round, table: '', after: FROM_THE_START };
  return { ...place, rows: 0, rewritten, unsettled: 0, values: {}, failures: none, foreign: none };
}

function more({ count, first }: Kept, found: readonly KeptValue[]): Kept {
  return { count: count + found.length, first: [...first, ...found].slice(0, MOST_TOLD) };
}

function recordAct({ unitOfWork }: WriteContext, { id, act, state, asked_by }: Rotation): void {
  const after = { _id: ROTATION, id, act, state, askedBy: asked_by };
  const operation = state === 'ACTIVE' ? 'create' : 'update';
  unitOfWork.record({ resource: `key/${ROTATION}`, operation, before: null, after });
}

async function fail(db: Db, id: string, error: JsonObject): Promise<void> {
  const rotation = await lockRotation(db, id);
  if (rotation?.state !== 'ACTIVE') return;
  const said = String(error['message'] ?? 'It failed');
  await storeRotation(db, id, 'ERROR', { ...rotation.progress, error: said });
}

/** Nodes that encrypt with different keys would go on undoing what is done. @throws ConflictError `CRYPTO_NODES_DIFFER` */
async function requireOneRing(db: Db): Promise<void> {
  const used = (await listRingKeys(db)).filter(({ encrypting }) => encrypting.length > 0);
  const odd = used.find(({ alias, lacking }, at) => lacking.length > 0 || used[at + 1]?.alias === alias);
  if (odd === undefined) return;
  const { alias, lacking, encrypting } = odd;
  const who =
    lacking.length > 0
      ? `${lacking.join(', ')} lacks a key`
      : `${encrypting.join(', ')} encrypts with another key`;
  throw new ConflictError(`Not all nodes have the same keys of '${alias}' in use: ${who}`, {
    id: 'CRYPTO_NODES_DIFFER',
    hint: 'Start all nodes with the same ring first; GET key?_queryFilter=true says who has which',
  });
}

function underWay(): ResourceError {
  return new ConflictError('Keys are being counted or rotated already', {
    id: 'CRYPTO_ROTATION_UNDER_WAY',
    hint: 'GET key/rotation says how far it is; POST key?_action=cancel ends it',
  });
}

function anotherRing(): ResourceError {
  return new InternalServerError(
    'A node with other keys has come to it: what it encrypts would be under others',
    {
      id: 'CRYPTO_NODES_DIFFER',
      hint: 'Start all nodes with the same ring first',
    },
  );
}
