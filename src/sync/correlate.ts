import { BadRequestError, InternalServerError } from '#errors/index.ts';
import { equalJson, isObject, type JsonObject, type JsonValue, parsePointer } from '#json/index.ts';
import { Connection, NO_PAGING, type QueryFilter } from '#resource/index.ts';
import { isForeseen } from './foreseen.ts';
import { mappedValue } from './map-properties.ts';
import type { Correlation } from './mapping.ts';
import { runScript } from './mapping-scripts.ts';
import { type Question, questionOf } from './question.ts';
import type { Scope } from './stage.ts';
import { kindOfValue } from './value-key.ts';

/** How many targets that correlate are looked for; how many more there are does not matter. */
const MOST_CORRELATED = 20;

/** The script with which user interfaces of the field write down which properties must be equal. */
const OF_TREES = /^(?:bin\/defaults\/script\/)?ui\/correlateTreeToQueryFilter(?:\.js)?$/;

/** The ids of the targets that may be those of a source; none where the mapping does not say how they are found. */
export async function correlate(scope: Scope, source: JsonObject): Promise<readonly string[]> {
  const { foreseen } = scope;
  if (isForeseen(foreseen, source)) {
    // What would be made, or is one of several, is asked for once more: others of the run may have made it meanwhile.
    const isSettled = foreseen.ids.length === 1 || scope.context.rehearsed === true;
    if (isSettled) return foreseen.ids;
    return query(scope, { queryFilter: foreseen.filter });
  }
  const correlation = correlationOf(scope);
  if (correlation === undefined) return [];
  if (correlation.answers === 'objects') {
    const value = await answerOf(scope, correlation, source);
    return value === null ? [] : idsOf(scope, value);
  }
  const question = await questionFor(scope, source);
  return question === undefined ? [] : query(scope, question);
}

/** The query that finds the targets of a source; undefined where there is none. */
export async function questionFor(scope: Scope, source: JsonObject): Promise<Question | undefined> {
  const correlation = correlationOf(scope);
  if (correlation === undefined || correlation.answers === 'objects') return undefined;
  const { file = '', globals } = correlation.reference;
  if (OF_TREES.test(file)) {
    const filter = await filterOfTree(scope, source, globals['expressionTree'] ?? null);
    return filter === null ? undefined : { queryFilter: filter };
  }
  const value = await answerOf(scope, correlation, source);
  return value === null ? undefined : askable(scope, value);
}

function correlationOf({ mapping, qualifier }: Scope): Correlation | undefined {
  return (
    mapping.correlations.find((one) => one.qualifier === qualifier) ??
    mapping.correlations.find((one) => one.qualifier === undefined)
  );
}

async function answerOf(
  scope: Scope,
  { reference, answers }: Correlation,
  source: JsonObject,
): Promise<JsonValue> {
  const { value } = await runScript(scope, {
    use: 'correlation',
    reference,
    what: answers === 'query' ? 'correlationQuery' : 'correlationScript',
    bindings: { source, linkQualifier: scope.qualifier },
  });
  return value;
}

/** Whether it is written as a tree of names, which needs no script. */
export function isTree({ reference }: Correlation): boolean {
  return OF_TREES.test(reference.file ?? '');
}

async function query({ platform, context, mapping }: Scope, question: Question): Promise<readonly string[]> {
  const page = await new Connection(platform.resources, context).query(mapping.target, {
    ...question,
    fields: [['_id']],
    paging: { ...NO_PAGING, pageSize: MOST_CORRELATED },
  });
  return page.result.flatMap(({ id }) => id ?? []);
}

function askable({ mapping }: Scope, value: JsonValue): Question {
  if (!isObject(value)) throw badAnswer(mapping.name, value, 'no query');
  try {
    return questionOf(value);
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    throw badAnswer(mapping.name, value, 'no query that can be asked');
  }
}

function idsOf({ mapping }: Scope, value: JsonValue): readonly string[] {
  if (!Array.isArray(value)) throw badAnswer(mapping.name, value, 'no list');
  const ids = value.slice(0, MOST_CORRELATED).map((one) => (isObject(one) ? one['_id'] : one));
  const wrong = ids.find((id) => typeof id !== 'string');
  if (wrong !== undefined) throw badAnswer(mapping.name, wrong, 'no object with an _id');
  return [...new Set(ids.map(String))];
}

/** What it asks for is made of values of the source, which are not for a message. */
function badAnswer(mapping: string, value: JsonValue, why: string): InternalServerError {
  return new InternalServerError(`The correlation of '${mapping}' answers ${kindOfValue(value)}: ${why}`, {
    id: 'SYNC_BAD_CORRELATION',
    hint: 'A query is {"_queryFilter": "name eq " + JSON.stringify(source.name)}, a list one of ids, or of objects with _id',
  });
}

/** Null where a value is missing or empty that would have to be equal: nothing is like nothing. */
async function filterOfTree(scope: Scope, source: JsonObject, tree: JsonValue): Promise<QueryFilter | null> {
  if (isObject(tree)) {
    const { all, any } = tree;
    const isAll = Array.isArray(all);
    const branches = isAll ? all : Array.isArray(any) ? any : [];
    const filters: (QueryFilter | null)[] = [];
    for (const branch of branches) filters.push(await filterOfTree(scope, source, branch));
    const there = filters.filter((filter) => filter !== null);
    if (there.length === 0 || (isAll && there.length < filters.length)) return null;
    return { kind: isAll ? 'and' : 'or', filters: there };
  }
  const pointer = parsePointer(String(tree));
  const property = scope.mapping.properties.find(({ target }) => equalJson([...target], [...pointer]));
  const value = property === undefined ? null : await mappedValue(scope, property, source);
  const isEmpty = value === null || value === '' || typeof value === 'object';
  return isEmpty ? null : { kind: 'compare', pointer, operator: 'eq', value };
}
