import { isQuickHash } from '#crypto/index.ts';
import { canonicalText, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { verifyHistory } from '../history/verify-history.ts';
import { verifyProcesses } from '../processes/verify-processes.ts';
import type { Item } from './item.ts';
import type { ImportOptions } from './run-import.ts';
import { findStored } from './store-repository.ts';
import { Tally } from './tally.ts';

const PAGE = 2_000;

/**
 * Compares each object of the other server with what is stored here. Of what differs the members are named, and never what
 * they hold.
 */
export async function verifyImport(
  options: Pick<ImportOptions, 'source' | 'database' | 'types' | 'only' | 'keepDays'>,
): Promise<Tally> {
  const { source, database, types, only, keepDays } = options;
  const tally = new Tally();
  for (const step of (await source.listSteps()).filter(({ group }) => only.has(group))) {
    for await (const { rows } of step.pages(PAGE)) {
      tally.of(step.about).read += rows.length;
      const items: Item[] = [];
      for (const row of rows) {
        const reading = await step.convert(row);
        for (const remark of reading.remarks) if (remark.isLeft) tally.remark(remark);
        items.push(...reading.items);
      }
      for (const [kind, own] of Map.groupBy(items, (item) => item.kind)) {
        const about = kind === step.kind ? step.about : kind;
        const stored = await findStored(database.db, kind, own);
        for (const item of own) {
          const names = kind === 'managed' ? calculated(types.current().get(item.type)) : [];
          const reason = differenceOf(item, stored.get(item.id), names);
          if (reason === undefined) tally.of(about).unchanged++;
          else tally.remark({ about, id: item.id, reason, isLeft: true });
        }
      }
    }
  }
  const { processes, history, place } = source;
  if (only.has('process') && processes !== undefined)
    await verifyProcesses({ ...processes, place, database, tally });
  if (only.has('audit') && history !== undefined)
    await verifyHistory({ ...history, place, database, keepDays, tally });
  return tally;
}

const calculated = (type: { readonly calculated: readonly { readonly name: string }[] } | undefined) =>
  type?.calculated.map(({ name }) => name) ?? [];

function differenceOf(
  item: Item,
  stored: JsonObject | undefined,
  ignored: readonly string[],
): string | undefined {
  if (stored === undefined) return 'It is not here';
  const names = new Set([...Object.keys(item.data), ...Object.keys(stored)]);
  const differ = [...names].filter(
    (name) =>
      !ignored.includes(name) &&
      !isHashedAnew(item, name, stored[name]) &&
      canonicalText(item.data[name] ?? null) !== canonicalText(stored[name] ?? null),
  );
  return differ.length === 0 ? undefined : `Here it has another ${differ.sort().join(', ')}`;
}

/** What was plain there has another salt each time; and who has come in here with a quick hash has a slow one since. */
function isHashedAnew({ type, data }: Item, name: string, stored: JsonValue = null): boolean {
  const theirs = data[name] ?? null;
  const isOwn =
    type === 'internal/user' && name === 'password' && JSON.stringify(theirs).includes('ARGON2ID');
  return isOwn || (isHash(theirs) && isQuickHash(theirs) && isHash(stored) && !isQuickHash(stored));
}

function isHash(value: JsonValue): boolean {
  const envelope = isObject(value) ? value['$crypto'] : undefined;
  return isObject(envelope) && envelope['type'] === 'salted-hash';
}
