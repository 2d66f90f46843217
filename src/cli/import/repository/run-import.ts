import type { AuthenticationConfig } from '#config/index.ts';
import type { Crypto, KeyRingText } from '#crypto/index.ts';
import type { Database, Db } from '#database/index.ts';
import { asJson } from '#json/index.ts';
import { deriveAnew, type ManagedTypes } from '#managed/index.ts';
import { recordImport } from '#security/index.ts';
import { takeHistory } from '../history/take-history.ts';
import { takeProcesses } from '../processes/take-processes.ts';
import { EnvelopeWatch } from './envelope-watch.ts';
import type { Group, ImportSource, ImportStep } from './import-source.ts';
import type { Item } from './item.ts';
import { readAhead } from './read-ahead.ts';
import { ItemStore } from './store-items.ts';
import { beginSeen, deleteItems, findNews, listGone, noteSeen, releaseNames } from './store-repository.ts';
import { takeSchedules } from './take-schedules.ts';
import { Tally } from './tally.ts';

export interface ImportOptions {
  readonly source: ImportSource;
  readonly database: Database;
  readonly types: ManagedTypes;
  readonly crypto: Crypto;
  readonly ring: KeyRingText;
  /** By what people log in here. */
  readonly authentication: AuthenticationConfig;
  /** The role of everybody who is somebody. */
  readonly role: string;
  /** How long an audit is kept here. */
  readonly keepDays: number;
  /** False: all is read and compared, and nothing is written. */
  readonly isApplied: boolean;
  /** Nothing but these. */
  readonly only: ReadonlySet<Group>;
  /** Takes away here what has come and is gone at the other server. */
  readonly deletes: boolean;
  /** Reads again only what has another revision there. */
  readonly isQuick: boolean;
  readonly signal?: AbortSignal;
}

const PAGE = 2_000;

/** One way through the repository of the other server, a page after the other; a page is one transaction. */
export async function runImport(options: ImportOptions): Promise<Tally> {
  const { database, types, ring, authentication, isApplied, only, isQuick } = options;
  const tally = new Tally();
  const watch = new EnvelopeWatch(options.crypto, tally);
  const steps = (await options.source.listSteps()).filter(({ group }) => only.has(group));
  if (!isQuick) for (const remark of await options.source.listLeft()) tally.remark(remark, remark.count);
  // One session all along, because what was met stands in tables of its own.
  await database.db.connection().execute(async (db) => {
    const store = new ItemStore(db, { source: options.source.place, isApplied, tally, authentication });
    for (const step of steps) {
      tally.of(step.about);
      await runStep({ options, db, store, step, tally, watch });
    }
  });
  if (only.has('schedule')) await takeSchedules({ ...options, tally });
  // They come with whole runs: what a process has done since is read anew as a whole.
  const { processes, history, place } = options.source;
  if (only.has('process') && processes !== undefined && !isQuick) {
    await takeProcesses({ ...options, ...processes, place, tally });
  }
  if (only.has('audit') && history !== undefined && !isQuick) {
    await takeHistory({ ...options, ...history, place, tally });
  }
  if (!isApplied || options.signal?.aborted === true) return tally;
  if (tally.changed > 0) {
    const kinds = tally.kinds.filter(({ created, updated, deleted }) => created + updated + deleted > 0);
    await recordImport(database.db, ring, 'IMPORT', { source: place, kinds: asJson(kinds) });
  }
  await watch.noteKeys(database, ring);
  if (!isQuick || tally.changed > 0) await deriveAnew(database, types);
  return tally;
}

interface Running {
  readonly options: ImportOptions;
  readonly db: Db;
  readonly store: ItemStore;
  readonly step: ImportStep;
  readonly tally: Tally;
  readonly watch: EnvelopeWatch;
}

async function runStep(running: Running): Promise<void> {
  const { options, db, store, step, tally, watch } = running;
  const { isQuick } = options;
  const wanted = isQuick
    ? (keys: readonly { readonly id: string; readonly rev: string }[]) =>
        findNews(db, options.source.place, step, keys)
    : undefined;
  await beginSeen(db);
  // What is wanted is asked of the session that writes, so there nothing is read ahead.
  const pages = step.pages(PAGE, wanted);
  for await (const { keys, rows } of wanted === undefined ? readAhead(pages) : pages) {
    if (options.signal?.aborted === true) return;
    const counts = tally.of(step.about);
    counts.read += keys.length;
    counts.unchanged += keys.length - rows.length;
    const items: Item[] = [];
    for (const row of rows) {
      const reading = await step.convert(row);
      for (const remark of reading.remarks) tally.remark(remark);
      for (const item of reading.items) {
        if (item.kind === step.kind) await watch.look(step.about, item);
        else tally.of(item.kind).read++;
        tellOfSpans(running, item);
        items.push(item);
      }
    }
    await store.take(step.about, items);
    await noteSeen(db, keys);
  }
  await takeAway(running);
}

/** A role with a time span begins and ends by a schedule that storing it makes. */
function tellOfSpans({ options, step, tally }: Running, item: Item): void {
  if (item.kind !== 'managed') return;
  for (const { relationship } of options.types.governedBy(item.type)) {
    const held = relationship.temporalField === null ? undefined : item.data[relationship.temporalField];
    if (held === undefined || held === null || (Array.isArray(held) && held.length === 0)) continue;
    const reason = 'It has a time span: save it once here, so that what it gives begins and ends by itself';
    tally.remark({ about: step.about, id: item.id, reason, isLeft: false });
    return;
  }
}

/** What has come from there and is not there any more. */
async function takeAway({ options, db, step, tally }: Running): Promise<void> {
  const { isApplied, deletes, source } = options;
  const { kind, type } = step;
  let after = '';
  for (;;) {
    const gone = await listGone(db, { kind, type, source: source.place }, after, PAGE);
    const last = gone.at(-1);
    if (last === undefined) return;
    after = last.id;
    const kept = gone.filter(({ written, here }) => here !== null && here !== written);
    const reason = 'It is gone at the other server, and was changed here since it came: it stays';
    for (const { id } of kept) tally.remark({ about: step.about, id, reason, isLeft: false });
    const ids = gone.filter(({ written, here }) => here === written).map(({ id }) => id);
    if (!deletes) {
      const stays = 'It is gone at the other server, and stays here: --delete takes it away';
      for (const id of ids) tally.remark({ about: step.about, id, reason: stays, isLeft: false });
    } else if (!isApplied) {
      tally.of(step.about).deleted += ids.length;
    } else if (ids.length > 0) {
      const deleted = await deleteItems(db, step, ids);
      await releaseNames(db, step.about, deleted);
      tally.of(step.about).deleted += deleted.length;
    }
  }
}
