import { ForbiddenError } from '#errors/index.ts';
import {
  equalJson,
  getMember,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
} from '#json/index.ts';
import { type Context, formatPath, type Request } from '#resource/index.ts';
import { type Condition, type ConditionQuestion, listOf, type Verdict } from './condition.ts';
import {
  canUpdateTask,
  isAllowedToStartProcess,
  isMyTask,
  isQueryForOwnTasks,
} from './process-conditions.ts';

/**
 * The functions that `customAuthz` may call without costing a script. `auth/customAuthz.js` has the same ones for
 * expressions that are scripts.
 */
export const CONDITIONS: Readonly<Record<string, Condition>> = {
  ownDataOnly,
  disallowQueryExpression: ({ request }) => request.method !== 'query' || request.queryExpression === null,
  disallowCommandAction: ({ request }) => request.method !== 'action' || request.action !== 'command',
  restrictPatchToFields,
  onlyEditableManagedObjectProperties,
  reauthIfProtectedAttributeChange,
  hasRole: ({ context }, [role]) => context.security.authorization.roles.includes(String(role)),
  isQueryForOwnTasks,
  isMyTask,
  canUpdateTask,
  isAllowedToStartProcess,
  isOneOfMyWorkflows: isAllowedToStartProcess,
  checkIfUIIsEnabled,
  // There is no self-service whose requests could be told from others.
  isSelfServiceRequest: () => false,
  checkIfProgressiveProfileIsEnabled: () => false,
  ownRelationshipCollection,
  // What belongs to a user beside it, in newer servers of the field, and users of other identity providers are not here.
  ownRelationship: () => false,
  ownIDP: () => false,
};

export const CONDITION_NAMES: readonly string[] = Object.keys(CONDITIONS);

/** Whether `conf/ui-configuration.json` switches a part of the user interface on. */
async function checkIfUIIsEnabled(
  { context, read }: ConditionQuestion,
  [part]: readonly unknown[],
): Promise<boolean> {
  const settings = await read(context, 'config/ui/configuration');
  const configuration = isObject(settings?.['configuration']) ? settings['configuration'] : {};
  const value = getMember(configuration, String(part));
  return value === true || value === 'true';
}

/** The path is exactly the caller's own object. */
function ownDataOnly({ context, request }: ConditionQuestion): boolean {
  return formatPath(request.path) === ownPath(context);
}

/** The path is one of these relationships of the caller's own object, or a reference in it. */
function ownRelationshipCollection(
  { context, request }: ConditionQuestion,
  [names]: readonly unknown[],
): boolean {
  const own = `${ownPath(context)}/`;
  const path = formatPath(request.path);
  return path.startsWith(own) && listOf(names).includes(path.slice(own.length).split('/')[0]!);
}

function ownPath(context: Context): string {
  const { component, id } = context.security.authorization;
  return `${component}/${formatPath([id])}`;
}

/** An empty patch would only read, and is not granted. */
function restrictPatchToFields(
  { request, isOpen }: ConditionQuestion,
  [fields]: readonly unknown[],
): Verdict {
  const patched = patchedProperties(request) ?? [];
  if (isOpen && isPatch(request)) return undefined;
  return patched.length > 0 && patched.every((name) => listOf(fields).includes(name));
}

/** @param args the managed type, and names of further properties that may change */
async function onlyEditableManagedObjectProperties(
  question: ConditionQuestion,
  [type, further]: readonly unknown[],
): Promise<Verdict> {
  const properties = question.properties(String(type));
  if (properties === undefined) return false;
  if (question.isOpen) return undefined;
  const allowed = new Set(listOf(further));
  const changed = await changedProperties(question);
  const refused = changed?.find((name) => !allowed.has(name) && !has(properties, name, 'userEditable'));
  // For a whole object that is sent it would also tell which values differ from the stored ones.
  if (refused !== undefined && question.request.method === 'patch' && ownDataOnly(question)) {
    question.tellNotEditable?.(refused);
  }
  return changed !== undefined && refused === undefined;
}

/** A protected property changes only with the password once more, in `X-Svc-Reauth-Password`. */
async function reauthIfProtectedAttributeChange(question: ConditionQuestion): Promise<Verdict> {
  const { context } = question;
  const [area, type] = context.security.authorization.component.split('/');
  const properties = area === 'managed' ? question.properties(type ?? '') : undefined;
  if (properties === undefined) return true;
  if (question.isOpen) return undefined;
  const changed = (await changedProperties(question)) ?? Object.keys(properties);
  if (!changed.some((name) => has(properties, name, 'isProtected'))) return true;
  if (context.security.authorization['reauthenticated'] === true) return true;
  throw new ForbiddenError('Access denied', {
    id: 'ACCESS_NEEDS_REAUTHENTICATION',
    hint: 'Send your password once more in the header X-Svc-Reauth-Password',
  });
}

/** Names of the properties that the request would change; on a patch every one that it names counts. */
async function changedProperties(question: ConditionQuestion): Promise<readonly string[] | undefined> {
  const { request, readChanged, properties } = question;
  const patched = patchedProperties(request);
  if (patched !== undefined) return patched;
  const content = 'content' in request && isObject(request.content) ? request.content : undefined;
  if (content === undefined) return undefined;
  if (request.method !== 'update') return Object.keys(content);
  const stored = (await readChanged(formatPath(['repo', ...request.path]))) ?? {};
  const schema = properties(request.path[1] ?? '') ?? {};
  const names = new Set([...Object.keys(content), ...Object.keys(stored)]);
  const isOfTheObject = request.path.length === 3;
  const changed = [...names].filter((name) => {
    const [now, before] = [getMember(content, name), getMember(stored, name)];
    // Leaving out what the caller was never shown is no change; leaving out anything else removes it.
    if (OF_THE_SERVER.has(name) || (now === undefined && isHidden(schema, name))) return false;
    if (isOfTheObject && isRelationship(schema, name)) return false;
    // Whether it is the stored one is not told.
    if (isPrivate(schema, name)) return true;
    return !equalJson(now ?? null, before ?? null, countStored);
  });
  return isOfTheObject ? [...changed, ...(await changedReferences(question, content, schema))] : changed;
}

/** What is stored may be far larger than what it is compared with, for one question after the other. */
const STORED = new WeakMap<JsonObject, number>();

function countStored(object: JsonObject): number {
  const count = STORED.get(object) ?? Object.keys(object).length;
  STORED.set(object, count);
  return count;
}

/**
 * Relationships that a PUT changes. They are not stored with their object, and one that the answer shows is cleared by
 * a body without it.
 */
async function changedReferences(
  { request, readReferences }: ConditionQuestion,
  content: JsonObject,
  schema: JsonObject,
): Promise<readonly string[]> {
  const asked = new Set(request.fields.map(top));
  const names = Object.keys(schema).filter(
    (name) =>
      isRelationship(schema, name) &&
      (getMember(content, name) !== undefined ||
        asked.has(name) ||
        asked.has('*_ref') ||
        has(schema, name, 'returnByDefault')),
  );
  if (names.length === 0) return [];
  const stored = await readReferences(names);
  return names.filter(
    (name) => !equalJson(orNone(getMember(content, name)), orNone(getMember(stored, name))),
  );
}

function orNone(references: JsonValue | undefined): JsonValue {
  return references === undefined || (Array.isArray(references) && references.length === 0)
    ? null
    : references;
}

/** What else begins like these is stored as any other property is. */
const OF_THE_SERVER: ReadonlySet<string> = new Set(['_id', '_rev']);

function isHidden(schema: JsonObject, name: string): boolean {
  const property = getMember(schema, name);
  return (
    isPrivate(schema, name) ||
    (isObject(property) && (property['isVirtual'] === true || property['returnByDefault'] === false))
  );
}

function isPrivate(schema: JsonObject, name: string): boolean {
  const property = getMember(schema, name);
  return isObject(property) && property['scope'] === 'private';
}

function isRelationship(schema: JsonObject, name: string): boolean {
  const property = getMember(schema, name);
  if (!isObject(property)) return false;
  const { items } = property;
  return isOfRelationships(property) || (isObject(items) && isOfRelationships(items));
}

function isOfRelationships({ type }: JsonObject): boolean {
  return type === 'relationship' || (Array.isArray(type) && type.includes('relationship'));
}

function isPatch(request: Request): boolean {
  return request.method === 'patch' || (request.method === 'action' && request.action === 'patch');
}

/** What a patch names; one of the whole object names the empty property, which nobody may edit. */
function patchedProperties(request: Request): readonly string[] | undefined {
  if (request.method === 'patch') {
    return request.operations.flatMap(({ field, from }) =>
      [field, ...(from === undefined ? [] : [from])].map(top),
    );
  }
  if (request.method !== 'action' || request.action !== 'patch') return undefined;
  if (!Array.isArray(request.content)) return [''];
  return request.content.flatMap((operation) => {
    const { field, from } = isObject(operation) ? operation : {};
    // What is no pointer is no property either.
    return [field, ...(from === undefined ? [] : [from])].map((pointer) =>
      typeof pointer === 'string' ? top(parsePointer(pointer)) : '',
    );
  });
}

function top(pointer: Pointer): string {
  return pointer[0] ?? '';
}

/** Editors of configurations write truth values as text as well. */
function has(properties: JsonObject, name: string, flag: string): boolean {
  const property = getMember(properties, name);
  return isObject(property) && (property[flag] === true || property[flag] === 'true');
}
