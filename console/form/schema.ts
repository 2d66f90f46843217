/** A type, a task or the start of a process, as `/schema` says it: what a form is made of. */
export interface Schema {
  readonly order: readonly string[];
  readonly properties: Readonly<Record<string, Property>>;
}

export interface Property {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly enumTitles?: Readonly<Record<string, string>>;
  readonly value?: unknown;
  readonly required?: boolean;
  readonly searchable?: boolean;
  readonly userEditable?: boolean;
  readonly viewable?: boolean;
  readonly isVirtual?: boolean;
  readonly isProtected?: boolean;
  readonly private?: boolean;
  readonly stored?: 'hash' | 'encrypted';
  readonly index?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly relationship?: Relationship;
}

export interface Relationship {
  readonly many: boolean;
  readonly reverse?: string;
  readonly targets?: readonly {
    readonly path: string;
    readonly label?: string;
    readonly fields?: readonly string[];
    readonly sortKeys?: readonly string[];
  }[];
  readonly conditional?: string;
}

/** Another object, as a relationship names it. */
export interface Reference {
  readonly _ref: string;
  readonly _refProperties?: Readonly<Record<string, unknown>>;
  readonly [shown: string]: unknown;
}

export type Kind =
  | 'text'
  | 'long'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'date'
  | 'secret'
  | 'reference'
  | 'json';

export function kindOf(property: Property): Kind {
  const { type, format, enum: values, relationship, stored, pattern } = property;
  const types = Array.isArray(type) ? type : [type];
  if (relationship !== undefined) return 'reference';
  if (property.private === true || stored !== undefined) return 'secret';
  if (values !== undefined) return 'choice';
  if (types.includes('boolean')) return 'boolean';
  if (types.includes('number') || types.includes('integer') || types.includes('long')) return 'number';
  if (types.includes('object') || types.includes('array')) return 'json';
  // Where there is no format, the pattern of a day says so, too.
  if (format === 'date' || types.includes('date') || pattern === '^\\d{4}-\\d\\d-\\d\\d$') return 'date';
  return format === 'multiline' ? 'long' : 'text';
}

export function isNullable({ type }: Property): boolean {
  return Array.isArray(type) && type.includes('null');
}

/** What is made by the server is shown and not asked for. */
export function isComputed(name: string, property: Property): boolean {
  return property.isVirtual === true || name.startsWith('_') || name.startsWith('effective');
}

export function titleOf(name: string, { title }: Property): string {
  return title ?? name;
}

/** As references write it: of an id only what would mean something in a path is written otherwise. */
export function refOf(collection: string, id: string): string {
  return `${collection}/${id.replace(/[%/?#]/g, encodeURIComponent)}`;
}

export function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && '_ref' in value;
}

/** As people know an object: by its name, or by the last part of its path. */
export function nameOf(object: Readonly<Record<string, unknown>>): string {
  const person = [object['givenName'], object['sn']].filter((part) => typeof part === 'string').join(' ');
  if (person !== '') return person;
  for (const name of ['name', 'displayName', 'userName', 'title', '_id']) {
    const value = object[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  const ref = object['_ref'];
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : '–';
}
