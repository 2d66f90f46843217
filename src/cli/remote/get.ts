import { UsageError } from '../usage-error.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG, LIST_FLAGS, listed, showList } from './list.ts';
import { showObject } from './output.ts';
import { type Asked, pathOf } from './remote-command.ts';
import { commandOf, type Flag } from './verb.ts';
import { watchList, watchOne } from './watch.ts';

const WATCH_FLAGS: Readonly<Record<string, Flag>> = {
  watch: { short: 'w', does: 'stay, and show what changes as it does' },
  changes: { value: '<n>', does: 'of --watch: end after so many; default: never' },
};

/** `svc get <type> [<id>]`: one object, or those that a filter finds. */
export const get = commandOf('get', 'show an object, or a list of them', {
  does: 'a managed type, or a path such as scheduler/job',
  takes: ['<type>', '[<id>]'],
  flags: { ...FILTER_FLAG, ...LIST_FLAGS, ...WATCH_FLAGS },
  example: `svc get user --filter 'accountStatus eq "inactive"' --fields userName,endDate -o table`,
  async run(asked, type: string, id?: string) {
    const { client, flags, form } = asked;
    const filter = textOf(flags, 'filter');
    if (id === undefined) return showOrWatch(asked, pathOf(type), filter);
    for (const flag of ['filter', 'sort', 'limit', 'all']) {
      if (flags[flag] !== undefined)
        throw new UsageError(`--${flag} goes with a list, and not with the id '${id}'`);
    }
    const fields = listed(textOf(flags, 'fields'));
    if (isWatched(asked)) return watchOne(asked, pathOf(type), id, fields);
    showObject(await client.resource(pathOf(type)).read(id, fields === undefined ? {} : { fields }), form);
  },
});

/** `svc query <type> <filter>`: the same list with the filter as its argument. */
export const query = commandOf('query', 'show what a filter finds', {
  does: "a managed type, or a path such as scheduler/firing; 'true' finds all",
  takes: ['<type>', '<filter>'],
  flags: { ...LIST_FLAGS, ...WATCH_FLAGS },
  example: `svc query user 'sn sw "N"' --sort -sn --limit 10`,
  run: (asked, type: string, filter: string) => showOrWatch(asked, pathOf(type), filter),
});

function isWatched({ flags }: Asked): boolean {
  if (flags['watch'] === true) return true;
  if (flags['changes'] !== undefined) throw new UsageError('--changes goes with --watch');
  return false;
}

async function showOrWatch(asked: Asked, path: string, filter: string | undefined): Promise<unknown> {
  return isWatched(asked) ? watchList(asked, path, filter) : showList(asked, path, filter);
}
