import { getAt, type JsonObject, type JsonValue } from '#json/index.ts';
import type { TransactionRow } from './transaction-repository.ts';

interface Node {
  readonly transaction: string;
  readonly entries: JsonObject[];
  readonly children: Map<string, Node>;
}

/** What a request or run has done, and below it what each thing that it asked for has done. */
export function transactionTree(id: string, rows: readonly TransactionRow[]): JsonObject {
  const root: Node = { transaction: id, entries: [], children: new Map() };
  for (const row of rows) nodeAt(root, row.transaction).entries.push(brief(row));
  return told(root);
}

function nodeAt(root: Node, transaction: string): Node {
  let node = root;
  for (const part of transaction
    .slice(root.transaction.length)
    .split('/')
    .filter((part) => part !== '')) {
    const below = node.children.get(part) ?? {
      transaction: `${node.transaction}/${part}`,
      entries: [],
      children: new Map(),
    };
    node.children.set(part, below);
    node = below;
  }
  return node;
}

function told({ transaction, entries, children }: Node): JsonObject {
  const below = [...children].toSorted(([one], [other]) => Number(one) - Number(other));
  return {
    transaction,
    entries,
    ...(below.length === 0 ? {} : { children: below.map(([, child]) => told(child)) }),
  };
}

/** What an entry says in short; the whole is at audit/<topic>/<_id>. */
function brief({ id, topic, event }: TransactionRow): JsonObject {
  const { timestamp = null, userId = null, objectId, operation, changedFields, status, result } = event;
  const said = {
    objectId,
    operation: operation ?? getAt(event, ['request', 'operation']),
    changedFields,
    status: status ?? getAt(event, ['response', 'status']) ?? result,
    firing: firingOf(event),
  };
  return {
    _id: id,
    topic,
    timestamp,
    userId,
    ...Object.fromEntries(
      Object.entries(said).filter((each): each is [string, JsonValue] => each[1] !== undefined),
    ),
  };
}

/** The run of a schedule that an entry tells of, below `scheduler/firing`. */
export function firingOf(event: JsonObject): string | undefined {
  const firing = getAt(event, ['request', 'detail', 'firing']);
  return typeof firing === 'string' ? firing : undefined;
}
