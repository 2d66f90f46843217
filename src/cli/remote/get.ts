import { asFilter, type Client, type Query } from '#client/index.ts';
import type { Command } from '../command.ts';
import { complain } from '../typed-name.ts';
import { type Form, ListWriter, printable, showObject } from './output.ts';
import { atNode, type Flags, pathOf, remoteHelp, remoteOptions, textOf } from './remote-command.ts';
import { UsageError } from './usage-error.ts';

const LIMIT = 50;
const PAGE = 500;

const listOptions: Command['options'] = {
  ...remoteOptions,
  fields: { type: 'string' },
  sort: { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean' },
};

const listHelp = `  --fields <fields>   such as userName,mail; default: all
  --sort <keys>       such as -sn,givenName
  --limit <n>         how many are shown; default ${LIMIT}
  --all               all of them
${remoteHelp}`;

/** `svc get <type> [<id>]`: one object, or those that a filter finds. */
export const get: Command = {
  name: 'get',
  summary: 'show an object, or a list of them',
  help: `
svc get <type> [<id>]       a managed type, or a path such as scheduler/job

  --filter <filter>   those that it finds: 'sn sw "N" and accountStatus eq "active"'
${listHelp}

Example: svc get user --filter 'accountStatus eq "inactive"' --fields userName,endDate -o table
`,
  options: { ...listOptions, filter: { type: 'string' } },
  arguments: ['<type>', '[<id>]'],

  run: (flags, [type, id, ...more]) =>
    atNode('get', flags, async (client, form) => {
      noMore(more);
      if (id === undefined) return showList(client, flags, form, pathOf(type), textOf(flags, 'filter'));
      for (const flag of ['filter', 'sort', 'limit', 'all']) {
        if (flags[flag] !== undefined)
          throw new UsageError(`--${flag} goes with a list, and not with the id '${id}'`);
      }
      const fields = listed(textOf(flags, 'fields'));
      showObject(await client.resource(pathOf(type)).read(id, fields === undefined ? {} : { fields }), form);
    }),
};

/** `svc query <type> <filter>`: the same list with the filter as its argument. */
export const query: Command = {
  name: 'query',
  summary: 'show what a filter finds',
  help: `
svc query <type> <filter>   a managed type, or a path such as scheduler/firing

${listHelp}

Example: svc query user 'sn sw "N"' --sort -sn --limit 10
`,
  options: listOptions,
  arguments: ['<type>', '<filter>'],

  run: (flags, [type, filter, ...more]) =>
    atNode('query', flags, async (client, form) => {
      noMore(more);
      const path = pathOf(type);
      if (filter === undefined) throw new UsageError(`the filter is missing; 'true' finds all`);
      await showList(client, flags, form, path, filter);
    }),
};

async function showList(client: Client, flags: Flags, form: Form, path: string, filter: string | undefined) {
  const limit = limitOf(flags);
  const fields = listed(textOf(flags, 'fields'));
  const sort = listed(textOf(flags, 'sort'));
  const asked: Query = {
    pageSize: Math.min(limit, PAGE),
    ...(filter === undefined ? {} : { filter: asFilter(filter) }),
    ...(fields === undefined ? {} : { fields }),
    ...(sort === undefined ? {} : { sort }),
  };
  const writer = new ListWriter(form, fields);
  let left = limit;
  for await (const { result, pagedResultsCookie, warnings = [] } of client
    .resource(path)
    .query(asked)
    .pages()) {
    writer.show(result.slice(0, left));
    for (const warning of warnings) complain(printable(`warning: ${JSON.stringify(warning)}`));
    const isMore = result.length > left || pagedResultsCookie !== null;
    left -= result.length;
    // Nobody reads what a closed pipe is given.
    if (!process.stdout.writable) return;
    if (left > 0) continue;
    if (isMore) complain(`These are ${limit}, and there are more: --limit <n> or --all shows them.`);
    return;
  }
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

function listed(text: string | undefined): string[] | undefined {
  return text?.split(',').map((part) => part.trim());
}

function noMore([unexpected]: readonly string[]): void {
  if (unexpected !== undefined)
    throw new UsageError(`'${unexpected}' is one argument too many; a filter needs quotes`);
}
