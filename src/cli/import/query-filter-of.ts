import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { hasPredefinedQuery } from '#resource/index.ts';

/** Comparisons in a generic table: of a property by its row in the table of properties, or out of the text of the object. */
const COMPARISONS: readonly RegExp[] = [
  /^(?:\w+\.)?propkey = '(?<at>\/[\w/-]+)' and (?:\w+\.)?propvalue = \$\{(?<name>\w+)\}$/i,
  /^json_extract_path_text\((?:\w+\.)?fullobject, ?'(?<at>[\w-]+)'\) = \$\{(?<name>\w+)\}$/i,
];
const OF_THE_TYPE = /^(?:\w+\.)?objecttype = \$\{_resource\}$/i;
const WHOLE_OBJECTS = /^select (?:\w+\.)?(?:\*|fullobject(?:::text)?) from /i;
const WHERE = ' where ';

/** The filter that a query is in the language of a database, where all it does is to compare properties. */
export function filterOfQuery(text: string): string | undefined {
  const query = text.replace(/\s+/g, ' ').replace(/ ?= ?/g, ' = ').trim();
  const where = query.toLowerCase().indexOf(WHERE);
  if (where < 0 || !WHOLE_OBJECTS.test(query)) return undefined;
  const conditions = query.slice(where + WHERE.length);
  const parts = conditions.split(/ and /i).filter((part) => !OF_THE_TYPE.test(part.trim()));
  const filters: string[] = [];
  // A row of properties is compared in two parts.
  for (let at = 0; at < parts.length; ) {
    const one = comparisonOf(parts.slice(at, at + 1));
    const filter = one ?? comparisonOf(parts.slice(at, at + 2));
    if (filter === undefined) return undefined;
    filters.push(filter);
    at += one === undefined ? 2 : 1;
  }
  const isOneRow = filters.length < 2 || !/propkey/i.test(conditions);
  return filters.length > 0 && isOneRow ? filters.join(' and ') : undefined;
}

function comparisonOf(parts: readonly string[]): string | undefined {
  const text = parts.map((part) => part.trim()).join(' and ');
  for (const pattern of COMPARISONS) {
    const { at, name } = pattern.exec(text)?.groups ?? {};
    if (at !== undefined) return `/${at.replace(/^\//, '')} eq \${${name}}`;
  }
  return undefined;
}

/** Queries of a project in the language of its database, but those that are here by their names; undefined: no filter. */
export function foreignQueries(text: string): ReadonlyMap<string, string | undefined> {
  const { queries } = contentOf(text);
  const found = new Map<string, string | undefined>();
  for (const section of isObject(queries) ? Object.values(queries) : []) {
    for (const [id, query] of Object.entries(isObject(section) ? section : {})) {
      if (hasPredefinedQuery(id)) continue;
      const filter = typeof query === 'string' ? filterOfQuery(query) : undefined;
      // The same in two languages, one of which is no filter.
      found.set(id, found.get(id) ?? filter);
    }
  }
  return found;
}

/** `repo.json` with those that are filters; undefined where there is none. */
export function repoJsonOf(text: string): string | undefined {
  const filters = [...foreignQueries(text)].flatMap(([id, filter]) =>
    filter === undefined ? [] : [[id, { _queryFilter: filter }] as const],
  );
  if (filters.length === 0) return undefined;
  return `${JSON.stringify({ queries: Object.fromEntries(filters) }, null, 2)}\n`;
}

function contentOf(text: string): { readonly queries?: JsonValue } & JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
