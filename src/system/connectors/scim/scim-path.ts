import { type Scalar, Secret } from '../../contract.ts';
import { isJson, type Json } from './scim-http.ts';

/** Where values of an attribute stand: `userName`, `name.givenName`, `emails`, `emails[type eq "work"].value`, `urn:…:User:department`. */
export interface ScimPath {
  /** The path as it was written. */
  readonly text: string;
  readonly schema: string | undefined;
  readonly name: string;
  /** What marks the one element that is meant of several. */
  readonly mark: { readonly name: string; readonly value: string } | undefined;
  readonly part: string | undefined;
}

const PATH = /^(?:(urn:[^[\]]+):)?([\w$-]+)(?:\[(\w+) eq "([^"\\]*)"\])?(?:\.([\w$-]+))?$/;

export function readPath(text: string): ScimPath | undefined {
  // A URN may hold dots, which are no parts: 2.0.
  const [, schema, name, markName, markValue, part] = PATH.exec(text) ?? [];
  if (name === undefined) return undefined;
  const mark =
    markName === undefined || markValue === undefined ? undefined : { name: markName, value: markValue };
  return { text, schema, name, mark, part };
}

export function valuesAt(resource: Json, { schema, name, mark, part }: ScimPath): readonly Scalar[] {
  const container = schema === undefined ? resource : resource[schema];
  const found = isJson(container) ? container[name] : undefined;
  const elements = (Array.isArray(found) ? found : [found]).filter(
    (element) => mark === undefined || (isJson(element) && element[mark.name] === mark.value),
  );
  return elements.flatMap((element) => {
    const value: unknown = isJson(element)
      ? element[part ?? 'value']
      : part === undefined
        ? element
        : undefined;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [value]
      : [];
  });
}

/**
 * Puts values there, beside what there is.
 *
 * @param isComplex elements have parts, of which those that stay keep the others
 */
export function put(
  resource: Record<string, unknown>,
  path: ScimPath,
  values: readonly Scalar[],
  { isList, isComplex }: { readonly isList: boolean; readonly isComplex: boolean },
): void {
  const { schema, name, mark, part } = path;
  const container = schema === undefined ? resource : containerAt(resource, schema);
  if (mark !== undefined) {
    const before: unknown = container[name];
    const others: readonly unknown[] = Array.isArray(before) ? before : [];
    const isIt = (one: unknown): one is Json => isJson(one) && one[mark.name] === mark.value;
    const own = others.find(isIt) ?? { [mark.name]: mark.value };
    container[name] = [
      ...others.filter((one) => !isIt(one)),
      { ...own, [part ?? 'value']: jsonOf(values[0]) },
    ];
  } else if (part !== undefined) {
    containerAt(container, name)[part] = jsonOf(values[0]);
  } else if (isList) {
    const before: unknown = container[name];
    const elements = Array.isArray(before) ? before.filter(isJson) : [];
    container[name] = values.map((value) => {
      const json = jsonOf(value);
      return isComplex ? (elements.find((one) => one['value'] === json) ?? { value: json }) : json;
    });
  } else {
    container[name] = jsonOf(values[0]);
  }
}

export function jsonOf(value: Scalar | undefined): unknown {
  if (value instanceof Secret) return value.reveal();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return typeof value === 'bigint' ? String(value) : (value ?? null);
}

function containerAt(container: Record<string, unknown>, name: string): Record<string, unknown> {
  const before = container[name];
  const made: Record<string, unknown> = isJson(before) ? { ...before } : {};
  container[name] = made;
  return made;
}
