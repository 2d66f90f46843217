import { asFilter, type Query } from '#client/index.ts';
import { complain } from '../typed-name.ts';
import { UsageError } from '../usage-error.ts';
import { type Flags, textOf } from './connection.ts';
import { ListWriter } from './output.ts';
import type { Asked } from './remote-command.ts';
import type { Flag } from './verb.ts';

const LIMIT = 50;
const PAGE = 500;

/** What lists know. */
export const LIST_FLAGS: Readonly<Record<string, Flag>> = {
  fields: { value: '<fields>', does: 'such as userName,mail; default: all' },
  sort: { value: '<keys>', does: 'such as -sn,givenName' },
  limit: { value: '<n>', does: `how many are shown; default ${LIMIT}` },
  all: { does: 'all of them' },
};
export const FILTER_FLAG: Readonly<Record<string, Flag>> = {
  filter: { value: '<filter>', does: `those that it finds: 'sn sw "N" and accountStatus eq "active"'` },
};

/** Shows what a filter finds, as the flags of lists say. */
export async function showList(
  { client, flags, form }: Asked,
  path: string,
  filter?: string,
  parameters?: Readonly<Record<string, string>>,
  writer = new ListWriter(form, listed(textOf(flags, 'fields'))),
): Promise<void> {
  const limit = limitOf(flags);
  const isByName = filter === undefined && path.startsWith('workflow/');
  const fields = listed(textOf(flags, 'fields'));
  const sort = listed(textOf(flags, 'sort'));
  const asked: Query = {
    pageSize: Math.min(limit, PAGE),
    ...(filter === undefined ? {} : { filter: asFilter(filter) }),
    ...(isByName ? { queryId: 'filtered-query' } : {}),
    ...(parameters === undefined ? {} : { parameters }),
    ...(fields === undefined ? {} : { fields }),
    ...(sort === undefined ? {} : { sort }),
  };
  let left = limit;
  for await (const { result, pagedResultsCookie, warnings = [] } of client
    .resource(path)
    .query(asked)
    .pages()) {
    writer.show(result.slice(0, left));
    for (const warning of warnings) complain(`warning: ${JSON.stringify(warning)}`);
    const isMore = result.length > left || pagedResultsCookie !== null;
    left -= result.length;
    // Nobody reads what a closed pipe is given.
    if (!process.stdout.writable) return;
    if (left > 0) continue;
    if (isMore) complain(`These are ${limit}, and there are more: --limit <n> or --all shows them.`);
    return;
  }
}

/** For a table, of which the first columns have to say what each is; `wide` and the other forms show all. */
export function inTables(asked: Asked, fields: string): Asked {
  return asked.form === 'table' ? { ...asked, flags: { fields, ...asked.flags } } : asked;
}

function limitOf(flags: Flags): number {
  const given = textOf(flags, 'limit');
  if (flags['all'] === true) {
    if (given !== undefined) throw new UsageError('--all and --limit exclude each other');
    return Number.POSITIVE_INFINITY;
  }
  const limit = Number(given ?? LIMIT);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new UsageError(`'${given}' is no number of objects; expected --limit <n>, or --all`);
}

export function listed(text: string | undefined): string[] | undefined {
  return text?.split(',').map((part) => part.trim());
}
