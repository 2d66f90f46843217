import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { findByPrefix } from '#repo/index.ts';
import {
  type Context,
  formatPath,
  type QueryRequest,
  queryOfAll,
  questionReaderOf,
  type ReadRequest,
  type RouteHandler,
  resource,
  singleton,
} from '#resource/index.ts';
import { textOf } from '../declared.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { isKept } from '../may-read.ts';

const MOST_CHARACTERS = 100;
const MOST_OF_A_TYPE = 5;

/** `/search?q=…&types=…`: objects of the types that the caller may query, by the beginning of a searchable property. */
export function searchResource(platform: ManagedPlatform): RouteHandler {
  return singleton({
    description: { title: 'search' },
    async read(context, request) {
      const text = textAsked(request);
      const found: JsonObject[] = [];
      for (const type of await searchedTypes(platform, context, request)) {
        const ofType = await search(platform, context, type, text);
        if (ofType !== undefined) found.push(ofType);
      }
      return resource(null, null, { types: found });
    },
    runsScripts: () =>
      platform.types.someReadRunsScripts ||
      platform.resources.judgesByScript([...platform.types.current().values()].map(queryOfType)),
  });
}

/** @throws BadRequestError for no text, or too long a one */
function textAsked({ parameters }: ReadRequest): string {
  const text = (parameters['q'] ?? '').trim();
  const isTooLong = text.length > MOST_CHARACTERS;
  if (text !== '' && !isTooLong) return text;
  throw new BadRequestError(
    isTooLong ? `'q' has ${text.length} characters` : "'q' says nothing to search for",
    {
      id: 'SEARCH_BAD_TEXT',
      field: 'q',
      hint: `How a name begins, with up to ${MOST_CHARACTERS} characters`,
    },
  );
}

/** @throws BadRequestError for a type that there is not, or that the caller may not query */
async function searchedTypes(
  { types, resources }: ManagedPlatform,
  context: Context,
  { parameters }: ReadRequest,
): Promise<readonly ManagedType[]> {
  const all = [...types.current().values()];
  const granted = await Promise.all(all.map((type) => resources.mayAsk(context, queryOfType(type))));
  const open = all.filter((_, index) => granted[index]);
  const asked = parameters['types'];
  if (asked === undefined) return open;
  const names = open.map(({ name }) => name);
  return [...new Set(asked.split(','))].map((given) => {
    const type = open.find(({ name }) => name === given.trim());
    if (type !== undefined) return type;
    throw new BadRequestError(`There is no type '${given}' to search in`, {
      id: 'SEARCH_UNKNOWN_TYPE',
      field: 'types',
      hint: didYouMean(given, names) ?? `There are ${names.join(', ') || 'none'}`,
    });
  });
}

/** What is found by index is asked for once more by the caller's own query, which shows what that may see. */
async function search(
  platform: ManagedPlatform,
  context: Context,
  type: ManagedType,
  text: string,
): Promise<JsonObject | undefined> {
  const properties = searchable(type);
  const db = await questionReaderOf(platform, context);
  const hits = await findByPrefix(db, type, properties, spellings(text), MOST_OF_A_TYPE + 1);
  if (hits.length === 0) return undefined;
  const rows = await rowsShown(platform, context, {
    ...queryOfType(type),
    fields: ['_id', ...properties].map((name) => [name]),
    queryFilter: { kind: 'in', pointer: ['_id'], values: hits.map(({ id }) => id) },
  });
  const found = hits.flatMap(({ id, property }) => {
    const object = rows.get(id) ?? null;
    // What is kept from the caller is not to be guessed either, letter by letter.
    if (!isObject(object) || !beginsWith(object[property], text)) return [];
    return [{ path: formatPath(['managed', type.name, id]), matched: property, object }];
  });
  if (found.length === 0) return undefined;
  const title = textOf(type.schema, 'title') ?? type.name;
  const result = found.slice(0, MOST_OF_A_TYPE);
  return { type: type.name, title, result, more: found.length > MOST_OF_A_TYPE };
}

/** The rows by their ids; none where a filter refuses the answer, as for a type that the caller may not query. */
async function rowsShown(
  { resources }: ManagedPlatform,
  context: Context,
  request: QueryRequest,
): Promise<ReadonlyMap<string | null, JsonValue>> {
  try {
    const answer = await resources.handle(context, request);
    return new Map(answer.kind === 'query' ? answer.result.map((row) => [row.id, row.content]) : []);
  } catch (error) {
    if (isKept(error)) return new Map();
    throw error;
  }
}

function beginsWith(value: JsonValue | undefined, text: string): boolean {
  return typeof value === 'string' && value.toLowerCase().startsWith(text.toLowerCase());
}

/** Texts that have an index and are no secret. */
function searchable({ indexed, privates, propertyTypes, secrets }: ManagedType): readonly string[] {
  const kept = new Set(secrets.map(({ name }) => name));
  return [...indexed].filter(
    (name) => propertyTypes.get(`/${name}`) === 'string' && !privates.has(name) && !kept.has(name),
  );
}

/** Case counts in an index: a name is found as it is written, in small or in large letters, or with one large letter. */
function spellings(text: string): readonly string[] {
  const small = text.toLowerCase();
  const [first = '', ...rest] = small;
  return [...new Set([text, small, first.toUpperCase() + rest.join(''), text.toUpperCase()])];
}

function queryOfType({ name }: ManagedType) {
  return queryOfAll(formatPath(['managed', name]));
}
