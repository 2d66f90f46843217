import {
  type AttributeDelta,
  type Attributes,
  ConnectorError,
  NAME,
  PASSWORD,
  type Scalar,
} from '../../contract.ts';
import type { ScimType } from './scim-directory.ts';
import type { Json } from './scim-http.ts';
import { jsonOf, put, readPath, type ScimPath, valuesAt } from './scim-path.ts';

/** Values that one request adds or removes. */
const MOST_VALUES = 100;
const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export interface Operation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly value?: unknown;
}

/** @throws ConnectorError `invalid` for a name that is none of an attribute */
export function pathOf(type: ScimType, attribute: string): ScimPath {
  const name = attribute === NAME ? type.naming : attribute === PASSWORD ? 'password' : attribute;
  const path = readPath(name);
  if (path !== undefined) return path;
  throw new ConnectorError('misconfigured', `'${attribute}' is no attribute of SCIM`, { attribute });
}

export function newResource(type: ScimType, attributes: Attributes): Json {
  const resource: Record<string, unknown> = {};
  for (const [attribute, values] of attributes) {
    const path = pathOf(type, attribute);
    put(resource, path, listed(type, path, values), shapeOf(type, path));
  }
  const extensions = Object.keys(resource).filter((name) => name.startsWith('urn:'));
  return { schemas: [type.schema, ...extensions], ...resource };
}

export interface Patch {
  readonly body: Json;
  /** It is made of what the resource was, and must find it so. */
  readonly isOfBefore: boolean;
}

interface Step {
  readonly operation: Operation;
  /** It goes out by itself. */
  readonly isLarge: boolean;
  readonly isOfBefore: boolean;
}

/** What a PATCH is to do, in as many requests as it takes; all but long lists of values go out with the first. */
export function patchesOf(
  type: ScimType,
  deltas: readonly AttributeDelta[],
  before: Json | undefined,
): readonly Patch[] {
  const steps = deltas.flatMap((delta) => stepsOf(type, delta, before));
  const small = steps.filter(({ isLarge }) => !isLarge);
  const large = steps.filter(({ isLarge }) => isLarge);
  return [...sliced(small), ...large.map((one) => [one])].map((some) => ({
    body: { schemas: [PATCH_SCHEMA], Operations: some.map(({ operation }) => operation) },
    isOfBefore: some.some((one) => one.isOfBefore),
  }));
}

/** The whole as it is to be, for services that know no PATCH. */
export function replaced(type: ScimType, before: Json, deltas: readonly AttributeDelta[]): Json {
  const { meta: _, ...kept } = before;
  const after: Record<string, unknown> = structuredClone(kept);
  for (const delta of deltas) {
    const path = pathOf(type, delta.name);
    const gone = 'replace' in delta ? undefined : new Set(delta.remove);
    const values =
      'replace' in delta
        ? delta.replace
        : [...new Set([...valuesAt(after, path).filter((one) => gone?.has(one) !== true), ...delta.add])];
    put(after, path, listed(type, path, values), shapeOf(type, path));
  }
  return after;
}

/** The steps of a change. They remove what is there, and no more: some services refuse what changes nothing. */
function stepsOf(type: ScimType, delta: AttributeDelta, before: Json | undefined): Step[] {
  const path = pathOf(type, delta.name);
  const { text } = path;
  if ('replace' in delta) {
    if (delta.replace.length > 0) return [replacing(type, path, delta.replace)];
    const isGone = before !== undefined && valuesAt(before, path).length === 0;
    return isGone ? [] : [{ operation: { op: 'remove', path: text }, isLarge: false, isOfBefore: false }];
  }
  const values = before === undefined ? [] : valuesAt(before, path);
  const present = new Set(values);
  const gone = delta.remove.map(plain).filter((one) => present.has(one));
  const fresh = delta.add.map(plain).filter((one) => !present.has(one));
  if (!isComplex(type, path)) {
    // An element of a list of texts has no part by which a path could find it.
    const after = [...values.filter((one) => !gone.includes(one)), ...fresh];
    return gone.length + fresh.length === 0 ? [] : [{ ...replacing(type, path, after), isOfBefore: true }];
  }
  const removals = gone.map((one): Step => {
    const found = `${text}[${path.part ?? 'value'} eq ${JSON.stringify(jsonOf(one))}]`;
    return { operation: { op: 'remove', path: found }, isLarge: false, isOfBefore: false };
  });
  const additions = sliced(fresh).map((some): Step => {
    const value = some.map(elementOf(type, path));
    const isLarge = some.length === MOST_VALUES;
    return { operation: { op: 'add', path: text, value }, isLarge, isOfBefore: false };
  });
  return [...removals, ...additions];
}

function replacing(type: ScimType, path: ScimPath, values: readonly Scalar[]): Step {
  const list = listed(type, path, values);
  const value = isList(type, path) ? list.map(elementOf(type, path)) : jsonOf(list[0]);
  const isLarge = list.length > MOST_VALUES;
  return { operation: { op: 'replace', path: path.text, value }, isLarge, isOfBefore: false };
}

function plain(value: Scalar): Scalar {
  return typeof value === 'bigint' ? String(value) : value;
}

function listed(type: ScimType, path: ScimPath, values: readonly Scalar[]): readonly Scalar[] {
  if (values.length < 2 || isList(type, path)) return values;
  throw new ConnectorError('invalid', `'${path.text}' takes one value`, { attribute: path.text });
}

function elementOf(type: ScimType, path: ScimPath): (value: Scalar) => unknown {
  return isComplex(type, path) ? (value) => ({ value: jsonOf(value) }) : jsonOf;
}

function ruleOf(type: ScimType, { schema, name }: ScimPath) {
  return type.attributes.get(schema === undefined ? name : `${schema}:${name}`);
}

/** Whether the path leads to a list, and to all of it. */
function isList(type: ScimType, path: ScimPath): boolean {
  return path.mark === undefined && path.part === undefined && ruleOf(type, path)?.isMultiValued === true;
}

function shapeOf(type: ScimType, path: ScimPath) {
  return { isList: isList(type, path), isComplex: isComplex(type, path) };
}

function isComplex(type: ScimType, path: ScimPath): boolean {
  return ruleOf(type, path)?.type === 'complex';
}

function sliced<T>(values: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(values.length / MOST_VALUES) }, (_, at) =>
    values.slice(at * MOST_VALUES, (at + 1) * MOST_VALUES),
  );
}
