import { asFilter, ConflictError, SvcError } from '#client/index.ts';
import { complain } from '../../typed-name.ts';
import { UsageError } from '../../usage-error.ts';
import { countOf, textOf } from '../connection.ts';
import { listed } from '../list.ts';
import { confirmed, isTerminal } from '../prompt.ts';
import { type Asked, pathOf } from '../remote-command.ts';
import type { Flag } from '../verb.ts';
import { type Document, nameOf } from './documents.ts';
import type { Teller } from './teller.ts';

const MOST = 20;

export const PRUNE_FLAGS: Readonly<Record<string, Flag>> = {
  prune: { does: 'what no file has is deleted; of those types alone that --type names' },
  type: { value: '<types>', does: 'such as role,assignment: managed types, of which the files have objects' },
  filter: { value: '<filter>', does: 'of --prune: only those that it finds' },
  'prune-limit': {
    value: '<n>',
    does: `if more than so many would be deleted, nothing is changed; default ${MOST}`,
  },
};

/** What is there, and in no file. */
interface Extra {
  readonly type: string;
  readonly id: string;
  readonly revision: string;
}

/**
 * What would go, as far as it is known before anything is changed.
 *
 * @throws UsageError where that is more than it may be, or all of a type
 */
export async function findExtras(asked: Asked, documents: readonly Document[]): Promise<readonly Extra[]> {
  const { client, flags } = asked;
  const kept = new Set(documents.map(nameOf));
  if (flags['prune'] !== true) {
    for (const flag of ['type', 'filter', 'prune-limit']) {
      if (flags[flag] !== undefined) throw new UsageError(`--${flag} goes with --prune`);
    }
    return [];
  }
  const most = countOf(flags, 'prune-limit') ?? MOST;
  const filter = textOf(flags, 'filter');
  const extras: Extra[] = [];
  for (const type of prunedTypes(asked, documents)) {
    const query = {
      fields: ['_id', '_rev'],
      pageSize: 1_000,
      ...(filter === undefined ? {} : { filter: asFilter(filter) }),
    };
    for await (const { _id: id, _rev: revision } of client.resource(type).query(query)) {
      if (!kept.has(`${type}/${id}`)) extras.push({ type, id, revision });
    }
  }
  if (extras.length > most) {
    throw new UsageError(
      `--prune would delete ${extras.length} objects, and may delete ${most}; --prune-limit <n> lets it`,
    );
  }
  return extras;
}

function prunedTypes({ flags }: Asked, documents: readonly Document[]): readonly string[] {
  const types = listed(textOf(flags, 'type'))?.map(pathOf);
  if (types === undefined) throw new UsageError('--prune needs --type <types>: of those it deletes');
  for (const type of types) {
    if (!/^managed\/[^/]+$/.test(type)) throw new UsageError(`--prune is for managed types, not for ${type}`);
    if (documents.some((document) => document.type === type)) continue;
    throw new UsageError(`no file has an object of ${type}: --prune would delete all that there are`);
  }
  return types;
}

/** Looks whether they may go. What something holds on to may be let go by the files. @returns how many may not */
export async function rehearsePrune(
  { client }: Asked,
  extras: readonly Extra[],
  teller: Teller,
): Promise<number> {
  let failed = 0;
  for (const { type, id, revision } of extras) {
    try {
      await client.resource(type).delete(id, { revision, dryRun: true });
    } catch (error) {
      if (error instanceof ConflictError) continue;
      teller.refused(`${type}/${id}`, error);
      failed += 1;
    }
  }
  return failed;
}

/** @throws UsageError where nobody has said that it may */
export async function agreeToPrune({ flags }: Asked, extras: readonly Extra[]): Promise<void> {
  if (flags['yes'] === true) return;
  const objects = extras.length === 1 ? '1 object' : `${extras.length} objects`;
  if (!isTerminal()) {
    throw new UsageError(`--prune would delete ${objects}: --dry-run shows which, --yes says that it may`);
  }
  for (const { type, id } of extras) complain(`- ${type}/${id}`);
  if (!(await confirmed(`Delete ${objects} that no file has?`))) throw new UsageError('nothing was changed');
}

/**
 * Deletes them, unless they have changed since. One that another of them holds on to is tried again when that is gone.
 *
 * @returns how many were deleted, and how many were not
 */
export async function prune(
  { client }: Asked,
  extras: readonly Extra[],
  teller: Teller,
  dryRun: boolean,
): Promise<{ readonly changed: number; readonly failed: number }> {
  let left = extras;
  let changed = 0;
  for (;;) {
    const refused: [Extra, SvcError][] = [];
    for (const extra of left) {
      const { type, id, revision } = extra;
      try {
        await client.resource(type).delete(id, { revision, dryRun });
        changed += 1;
        await teller.tell({ type, resource: `${type}/${id}`, operation: 'delete' });
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        refused.push([extra, error]);
      }
    }
    const isOver = refused.length === 0 || refused.length === left.length || dryRun;
    if (isOver || !refused.every(([, error]) => error instanceof ConflictError)) {
      for (const [{ type, id }, error] of refused) teller.refused(`${type}/${id}`, error);
      return { changed, failed: refused.length };
    }
    left = refused.map(([extra]) => extra);
  }
}
