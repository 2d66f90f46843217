import { asFilter, type Client, filter as filterOf, NotFoundError, type Stored } from '#client/index.ts';
import { complain } from '../typed-name.ts';
import { UsageError } from '../usage-error.ts';
import { countOf, textOf } from './connection.ts';
import { listed, showList } from './list.ts';
import { ListWriter, say } from './output.ts';
import type { Asked } from './remote-command.ts';

/** The topics of /events by what they tell of. */
const TOPICS: ReadonlyMap<string, string> = new Map([
  ['scheduler/job', 'schedule'],
  ['scheduler/firing', 'firing'],
  ['taskscanner', 'scan'],
  ['workflow/taskinstance', 'task'],
  ['workflow/processinstance', 'instance'],
  ['config', 'config'],
]);
/** For how many objects it is remembered how they were shown last. */
const MOST_SEEN = 10_000;

type Found = Stored<Readonly<Record<string, unknown>>>;

/** Shows what a filter finds, and then what becomes of it. */
export async function watchList(asked: Asked, path: string, filter: string | undefined): Promise<void> {
  const { form, flags } = asked;
  const fields = listed(textOf(flags, 'fields'));
  const seen = new Seen();
  const writer = new ListWriter(form, fields, seen.note);
  await watch(asked, topicOf(path), path, {
    all: () => showList(asked, path, filter, undefined, writer),
    one: (id) => findOne(asked.client, path, id, filter, fields),
    writer,
    seen,
  });
}

/** Shows an object, and then what becomes of it. */
export async function watchOne(
  asked: Asked,
  path: string,
  id: string,
  fields: readonly string[] | undefined,
): Promise<void> {
  const seen = new Seen();
  const writer = new ListWriter(asked.form, fields, seen.note);
  const one = () => findOne(asked.client, path, id, undefined, fields);
  const topic = path.startsWith('managed/') ? `${topicOf(path)}/${id}` : topicOf(path);
  await watch(asked, topic, path, {
    all: async () => {
      const found = await asked.client.resource(path).read(id, fields === undefined ? {} : { fields });
      writer.show([found]);
    },
    one: (heard) => (heard === id ? one() : Promise.resolve(undefined)),
    id,
    writer,
    seen,
  });
}

interface Watched {
  readonly all: () => Promise<void>;
  readonly one: (id: string) => Promise<Found | undefined>;
  /** The id, where only one object is watched. */
  readonly id?: string;
  readonly writer: ListWriter;
  readonly seen: Seen;
}

/** The revisions at which objects were shown last. */
class Seen {
  readonly #revisions = new Map<string, unknown>();

  readonly note = ({ _id, _rev }: Readonly<Record<string, unknown>>): void => {
    this.forget(String(_id));
    this.#revisions.set(String(_id), _rev);
    const [oldest] = this.#revisions.keys();
    if (this.#revisions.size > MOST_SEEN && oldest !== undefined) this.forget(oldest);
  };

  forget(id: string): void {
    this.#revisions.delete(id);
  }

  has({ _id, _rev }: Found): boolean {
    return _rev !== undefined && _rev !== '' && this.#revisions.get(_id) === _rev;
  }
}

async function watch(asked: Asked, topic: string, path: string, watched: Watched): Promise<void> {
  const { client, flags } = asked;
  const { all, one, id: own, writer, seen } = watched;
  let left = countOf(flags, 'changes') ?? Number.POSITIVE_INFINITY;
  let isFirst = true;
  // It is listened before it is listed, so that nothing falls in between.
  for await (const { event, data } of client.events([topic])) {
    if (event === 'open' && !isFirst) continue;
    if (event === 'open' || event === 'gap') {
      if (event === 'gap') complain('Something may have been missed: this is how it is now.');
      isFirst = false;
      await all();
      continue;
    }
    const { resource, operation } = data;
    const id = typeof resource === 'string' ? resource.slice(path.length + 1) : '';
    if (id === '' || !String(resource).startsWith(`${path}/`) || (own !== undefined && own !== id)) continue;
    const found = operation === 'delete' ? undefined : await one(id);
    if (found === undefined && operation !== 'delete') continue;
    if (found === undefined) {
      seen.forget(id);
      sayGone(asked, id);
    } else if (seen.has(found)) continue;
    else writer.show([found]);
    left -= 1;
    if (left <= 0 || !process.stdout.writable) return;
  }
}

function sayGone({ form }: Asked, id: string): void {
  if (form === 'json') say(JSON.stringify({ _id: id, _deleted: true }));
  else if (form === 'yaml') say(`- _id: ${JSON.stringify(id)}\n  _deleted: true`);
  else say(form === 'name' ? id : `${id}  (deleted)`);
}

/** Undefined for what is gone again, or is none of those that were asked for. */
async function findOne(
  client: Client,
  path: string,
  id: string,
  filter: string | undefined,
  fields: readonly string[] | undefined,
): Promise<Found | undefined> {
  const options = fields === undefined ? {} : { fields };
  if (filter !== undefined) {
    const both = asFilter(`(${filterOf`_id eq ${id}`.text}) and (${filter})`);
    for await (const found of client.resource(path).query({ ...options, filter: both })) return found;
    return undefined;
  }
  try {
    return await client.resource(path).read(id, options);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function topicOf(path: string): string {
  const [, type] = /^managed\/([^/]+)$/.exec(path) ?? [];
  const topic = type === undefined ? TOPICS.get(path) : `object:${type}`;
  if (topic !== undefined) return topic;
  throw new UsageError(
    `no events tell of ${path}; --watch is for managed types, ${[...TOPICS.keys()].join(', ')}`,
  );
}
