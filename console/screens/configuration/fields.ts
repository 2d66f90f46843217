import type { JsonObject } from '#client/index.ts';
import { isMembers } from '../../form/members.ts';
import type { Property } from '../../form/schema.ts';

/** A member that can be set by itself. */
export interface Field {
  readonly path: readonly string[];
  readonly property: Property;
  readonly fallback: unknown;
}

/** Members that stand together, below the names of those that they are in. */
export interface Group {
  readonly path: readonly string[];
  readonly fields: readonly Field[];
}

/** Deeper ones are in the text. */
const DEEPEST = 4;
/** What editors read, and nobody sets. */
const BESIDE = '$schema';

/** What a configuration can say, by the JSON Schema of its kind: its own members first, then those of its parts. */
export function groupsOf(schema: unknown, path: readonly string[] = []): readonly Group[] {
  const { properties, required }: Readonly<Record<string, unknown>> = { ...Object(schema) };
  const fields: Field[] = [];
  const parts: Group[] = [];
  for (const [name, declared] of Object.entries(isMembers(properties) ? properties : {})) {
    if (name === BESIDE) continue;
    const one = plain(declared);
    const at = [...path, name];
    if (isMembers(one['properties']) && at.length < DEEPEST) parts.push(...groupsOf(one, at));
    else {
      const isRequired = Array.isArray(required) && required.includes(name) && one['default'] === undefined;
      fields.push({ path: at, property: propertyOf(one, isRequired), fallback: one['default'] });
    }
  }
  return [...(fields.length === 0 ? [] : [{ path, fields }]), ...parts];
}

/** Without the null that stands for what is not there. */
function plain(declared: unknown): Readonly<Record<string, unknown>> {
  const one: Readonly<Record<string, unknown>> = { ...Object(declared) };
  const choices = one['anyOf'];
  if (!Array.isArray(choices)) return one;
  const others = choices.filter((choice) => Object(choice).type !== 'null');
  return others.length === 1 ? { ...one, ...plain(others[0]) } : one;
}

function propertyOf(declared: Readonly<Record<string, unknown>>, required: boolean): Property {
  const { type, enum: values, description } = declared;
  const types = (Array.isArray(type) ? type : [type]).flatMap((each) =>
    typeof each === 'string' && each !== 'null' ? [each] : [],
  );
  return {
    type: types.length === 0 ? ['object'] : types,
    ...(Array.isArray(values) ? { enum: values } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    required,
  };
}

export function valueAt(content: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((of, name) => (isMembers(of) ? of[name] : undefined), content);
}

/** The same with another value there. @param value null: without it, so that its default holds */
export function withValue(content: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [name = '', ...deeper] = path;
  const { [name]: old, ...others } = content;
  const inner = isMembers(old) ? old : {};
  const next = deeper.length === 0 ? value : withValue(inner, deeper, value);
  if (next === null || (deeper.length > 0 && isEmpty(next) && old === undefined)) return others;
  return JSON.parse(JSON.stringify({ ...content, [name]: next }));
}

function isEmpty(value: unknown): boolean {
  return isMembers(value) && Object.keys(value).length === 0;
}
