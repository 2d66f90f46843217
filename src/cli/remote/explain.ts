import { type Client, type JsonObject, NotFoundError } from '#client/index.ts';
import { didYouMean } from '#errors/index.ts';
import { isTable, say, showObject } from './output.ts';
import { commandOf } from './verb.ts';

interface Known {
  readonly codes: readonly number[];
  readonly messages: readonly string[];
  readonly hints: readonly string[];
  readonly pages: readonly string[];
}

/** `svc explain <ERROR_ID>|<type>.<property>|<configuration>.<key>` */
export const explain = commandOf(
  'explain',
  'tell what the id of an error means, and what to do; what a property or a key of a configuration is',
  {
    does: 'as it stands in an answer or in a log; user.mail; scheduler.threadPool.threadCount',
    takes: ['<ERROR_ID>|<type.property>|<config.key>'],
    example: 'svc explain SCHED_UNKNOWN_TIME_ZONE',
    async run({ client, form }, what: string) {
      if (!/^[A-Z\d_]+$/.test(what)) return showObject(await propertyOf(client, what), form);
      const known = await client.resource<Known>('info/error').read(what);
      if (!isTable(form)) return showObject(known, form);
      say(`${known._id}${known.codes.length === 0 ? '' : `  (${known.codes.join(', ')})`}`);
      for (const message of known.messages) say(`  ${message}`);
      for (const hint of known.hints) say(`  hint: ${hint}`);
      for (const page of known.pages) say(`  see: ${page}`);
    },
  },
);

/** What a managed type, or the schema of a configuration, says of what the path leads to. */
async function propertyOf(client: Client, path: string): Promise<JsonObject> {
  const [holder = '', ...names] = path.split('.');
  const { types } = await client.send<{ readonly types: readonly { readonly type: string }[] }>({
    method: 'GET',
    path: ['schema'],
  });
  const isType = types.some(({ type }) => type === holder);
  const described = isType
    ? await client.resource<JsonObject>('schema/managed').read(holder)
    : membersOf((await client.resource<JsonObject>('schema/config').read(holder))['schema']);
  let found = membersOf(described);
  for (const [at, name] of names.entries()) {
    const within = propertiesIn(found);
    const next = within[name];
    if (next === undefined) {
      const place = [holder, ...names.slice(0, at)].join('.');
      const all = Object.keys(within);
      const hint = didYouMean(name, all) ?? (all.length === 0 ? undefined : `There are ${all.join(', ')}`);
      throw new NotFoundError({
        code: 404,
        reason: 'Not Found',
        message: `There is no '${name}' in ${place}`,
        ...(hint === undefined ? {} : { detail: { hint } }),
      });
    }
    found = membersOf(next);
  }
  const { properties, _id, _rev, ...said } = found;
  const within = Object.keys(propertiesIn(found));
  return { _id: path, ...said, ...(within.length === 0 ? {} : { properties: within }) };
}

/** The properties of an object, or of each element of a list. */
function propertiesIn({ properties, items }: JsonObject): JsonObject {
  return membersOf(properties ?? membersOf(items)['properties']);
}

function membersOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
