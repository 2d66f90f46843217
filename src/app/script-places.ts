import { formatPointer, isObject, type JsonValue } from '#json/index.ts';
import { HOOK_NAMES, PROPERTY_HOOKS } from '#managed/index.ts';
import { shortServiceName } from '#scheduler/index.ts';
import { isBuiltInFilter } from '#script/index.ts';
import { absentModule, augmentScript } from '#security/index.ts';

/** Where a configuration names a script. */
export interface ScriptPlace {
  /** JSON pointer of the script reference. */
  readonly field: string;
  readonly reference: JsonValue;
}

type Path = readonly (string | number)[];

/** The script references of a configuration, by its id; nothing of it need be as its schema wants it. */
export function scriptPlaces(id: string, value: unknown): readonly ScriptPlace[] {
  const json = value as JsonValue;
  switch (id.split('/', 1)[0]) {
    case 'managed':
      return elements(json, ['objects']).flatMap((type) => ofType(json, type));
    case 'endpoint':
      return [{ field: '', reference: withoutRoute(json) }];
    case 'router':
      return elements(json, ['filters'])
        .flatMap((filter) =>
          ['condition', 'onRequest', 'onResponse', 'onFailure'].flatMap((name) =>
            at(json, [...filter, name]),
          ),
        )
        .filter(({ reference }) => !isBuiltInFilter(reference));
    case 'schedule':
      return ofSchedule(json);
    case 'authentication':
      return elements(json, ['serverAuthContext', 'authModules']).flatMap((module) => ofModule(json, module));
    default:
      return [];
  }
}

/** A module that is switched off, or not here at all, runs nothing. */
function ofModule(json: JsonValue, module: Path): ScriptPlace[] {
  const value = valueAt(json, module);
  const { name = '', enabled = true, properties = null } = isObject(value) ? value : {};
  if (String(enabled) === 'false' || !isObject(properties)) return [];
  if (absentModule({ name: String(name), enabled: true, properties }) !== undefined) return [];
  return augmentScript(properties) === undefined
    ? []
    : at(json, [...module, 'properties', 'augmentSecurityContext']);
}

function ofType(json: JsonValue, type: Path): ScriptPlace[] {
  const properties = [...type, 'schema', 'properties'];
  return [
    ...HOOK_NAMES.flatMap((hook) => at(json, [...type, hook])),
    ...members(json, [...type, 'actions']).flatMap((path) => at(json, path)),
    ...members(json, properties).flatMap((property) => [
      ...PROPERTY_HOOKS.flatMap((hook) => at(json, [...property, hook])),
      ...elements(json, [...property, 'conditionalPolicies']).flatMap((policy) =>
        at(json, [...policy, 'condition']),
      ),
    ]),
  ];
}

function ofSchedule(json: JsonValue): ScriptPlace[] {
  const service = isObject(json) ? json['invokeService'] : undefined;
  if (typeof service !== 'string') return [];
  const name = shortServiceName(service);
  if (name === 'script') return at(json, ['invokeContext', 'script']);
  return name === 'taskscanner' ? at(json, ['invokeContext', 'task', 'script']) : [];
}

/** An endpoint is its script reference, with its route beside. */
function withoutRoute(json: JsonValue): JsonValue {
  if (!isObject(json)) return json;
  const { context, encrypt, ...reference } = json;
  return reference;
}

function at(json: JsonValue, path: Path): ScriptPlace[] {
  const reference = valueAt(json, path) ?? null;
  return reference === null ? [] : [{ field: formatPointer(path.map(String)), reference }];
}

function elements(json: JsonValue, path: Path): Path[] {
  const list = valueAt(json, path);
  return Array.isArray(list) ? list.map((_, index) => [...path, index]) : [];
}

function members(json: JsonValue, path: Path): Path[] {
  const object = valueAt(json, path);
  return isObject(object) ? Object.keys(object).map((key) => [...path, key]) : [];
}

function valueAt(json: JsonValue, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isObject(value) ? value[key] : undefined;
  }, json);
}
