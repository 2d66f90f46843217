import type { JsonObject, PatchOperation } from '#client/index.ts';

/** A type as `conf/managed.json` declares it. */
export interface DeclaredType {
  readonly name: string;
  readonly schema: {
    readonly title?: string;
    readonly order?: readonly string[];
    readonly required?: readonly string[];
    readonly properties?: Readonly<Record<string, Declared>>;
  };
}

export interface Declared extends JsonObject {
  readonly title?: string;
  readonly type?: string | string[];
}

export interface Managed {
  readonly revision: string;
  readonly content: JsonObject & { readonly objects: readonly DeclaredType[] };
}

/** What a review needs to know of a change of `managed.json`, which is held to what was read. */
export function changeOf({ revision, content }: Managed, body: readonly PatchOperation[]) {
  const headers = { 'If-Match': `"${revision}"` };
  return { call: { method: 'PATCH', path: ['config', 'managed'], headers, body }, base: content } as const;
}

/** Whether types and properties may be called that. */
export function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

/** Its properties, in their order and then the others. */
export function propertiesOf({ schema }: DeclaredType): readonly (readonly [string, Declared])[] {
  const { order = [], properties = {} } = schema;
  const names = [...new Set([...order, ...Object.keys(properties)])];
  return names.flatMap((name) => {
    const property = properties[name];
    return property === undefined ? [] : [[name, property] as const];
  });
}

/** Such as 'string, may be empty' or 'list of references'. */
export function kindOf({ type, items }: Declared): string {
  const one = Array.isArray(type) ? type.filter((each) => each !== 'null').join(' | ') : (type ?? '');
  const of =
    typeof items === 'object' && items !== null && !Array.isArray(items) && 'type' in items
      ? String(items['type'])
      : undefined;
  return of === undefined ? one : `${one} (${of})`;
}
