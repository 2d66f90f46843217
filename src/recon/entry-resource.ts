import { NotFoundError } from '#errors/index.ts';
import { pageResult } from '#repo/index.ts';
import { collection, questionReaderOf, type RouteHandler, resource, singleton } from '#resource/index.ts';
import { keptError, withoutWords } from '#sync/index.ts';
import {
  countAttributes,
  countEntries,
  findEntry,
  queryEntries,
  type ShownEntry,
} from './entry-repository.ts';
import { overPlan } from './limits.ts';
import { seesWordsOf } from './question-of-caller.ts';
import { type ReconPlatform, shownMapping } from './recon-platform.ts';
import { runNamed } from './recon-resource.ts';
import type { EntryCount, ReconRun } from './recon-run.ts';
import { summaryOf } from './recon-view.ts';

/** Entries that a report names of each attribute. */
const EXAMPLES = 20;

/** `/recon/<id>/entry`: what a reconciliation has found, and what has come of it, pair by pair. */
export function entryResource(platform: ReconPlatform): RouteHandler {
  const { database } = platform;
  const entriesOf = (run: string) =>
    collection({
      description: { title: 'entries of a reconciliation' },
      async query(context, request) {
        const found = await runNamed(platform, run);
        const seesAll = await seesWordsOf(platform, context, found);
        const db = await questionReaderOf(platform, context);
        return pageResult(await queryEntries(db, run, request), idOf, (entry) => toResource(entry, seesAll));
      },
      async read(context, _request, id) {
        const found = await runNamed(platform, run);
        const entry = /^\d{1,15}$/.test(id) ? await findEntry(database.db, run, Number(id)) : undefined;
        if (entry === undefined) {
          throw new NotFoundError(`Entry '${id.slice(0, 100)}' of the reconciliation not found`);
        }
        return toResource(entry, await seesWordsOf(platform, context, found));
      },
    });
  return {
    ...entriesOf(''),
    handle: (context, request, match) =>
      entriesOf(match.variables['run'] ?? '').handle(context, request, match),
  };
}

/** `/recon/<id>/report`: how often which action, of which attributes, with examples. */
export function reportResource(platform: ReconPlatform): RouteHandler {
  const { database } = platform;
  const reportOf = (id: string) =>
    singleton({
      description: { title: 'report of a reconciliation' },
      async read(context) {
        const run = await runNamed(platform, id);
        const counts = run.outcomes ?? (await countEntries(database.db, id));
        const refusal = await refusalOf(platform, run, counts);
        const attributes = await countAttributes(database.db, id, EXAMPLES);
        return resource(null, null, {
          summary: summaryOf(run, counts, await seesWordsOf(platform, context, run)),
          actions: counts.map(({ phase, situation, action, state, takes_away, entries }) => ({
            phase,
            situation,
            action,
            state,
            takesAway: takes_away,
            entries,
          })),
          refusal: refusal === undefined ? null : keptError(refusal),
          attributes: attributes.map(({ examples, ...one }) => ({ ...one, examples: [...examples] })),
        });
      },
    });
  return {
    ...reportOf(''),
    handle: (context, request, match) =>
      reportOf(match.variables['run'] ?? '').handle(context, request, match),
  };
}

/** What the thresholds have against what is planned. */
async function refusalOf(platform: ReconPlatform, run: ReconRun, counts: readonly EntryCount[]) {
  const mapping = shownMapping(platform, run);
  if (mapping === undefined) return undefined;
  return overPlan({ db: platform.database.db, run, mapping, counts });
}

function idOf({ number }: ShownEntry): string {
  return String(number);
}

function toResource(entry: ShownEntry, seesAll: boolean) {
  const { phase, qualifier, source_id, target_id, ambiguous, situation, action, state, takes_away } = entry;
  return resource(idOf(entry), null, {
    phase,
    linkQualifier: qualifier,
    sourceId: source_id,
    targetId: target_id,
    ambiguousTargetIds: ambiguous === null ? null : [...ambiguous],
    situation,
    action,
    state,
    takesAway: takes_away,
    difference: entry.difference === null ? null : [...entry.difference],
    error: seesAll ? entry.error : withoutWords(entry.error),
    doneAt: entry.done_at?.toISOString() ?? null,
  });
}
