import type { ScimResourceTypeConfig } from '#config/index.ts';
import type { JsonObject, Pointer } from '#json/index.ts';
import type { AttributePath } from './attribute-path.ts';

export type AttributeType = 'string' | 'boolean' | 'integer' | 'decimal' | 'complex' | 'reference';

/** What RFC 7643, 7, says of an attribute. */
export interface Characteristics {
  readonly name: string;
  readonly type: AttributeType;
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  /** `scim.json` says itself that it is, whatever `managed.json` does. */
  readonly demanded: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readWrite' | 'readOnly' | 'immutable' | 'writeOnly';
  readonly returned: 'default' | 'always' | 'request' | 'never';
  readonly uniqueness: 'none' | 'server' | 'global';
  readonly canonicalValues?: readonly string[];
}

/** A managed property that holds a value, or a part of one. */
export interface Property {
  readonly kind: 'property';
  readonly pointer: Pointer;
  /** How booleans are stored that are texts. */
  readonly values?: { readonly true: string; readonly false: string };
}

/** A relationship: of the attribute `value` is the id of the other end. */
export interface Reference {
  readonly kind: 'reference';
  readonly property: string;
  readonly isArray: boolean;
  /** Collections of the other ends, such as `managed/user`. */
  readonly collections: readonly string[];
  /** The name of the resource type there; null where the other ends are no resources. */
  readonly typeName: string | null;
  /** The property of the other ends that leads back; null where none does. */
  readonly reverse: string | null;
}

/** Attributes with parts; each of these has a property of its own. */
export interface Parts {
  readonly kind: 'parts';
}

/** A list with a place for certain elements: that of the type `work` is kept in these properties. */
export interface Elements {
  readonly kind: 'elements';
  readonly elements: readonly Element[];
}

export interface Element {
  /** What makes it that element, such as `{type: 'work'}`. */
  readonly marks: Readonly<Record<string, string>>;
  /** The properties by part. */
  readonly parts: ReadonlyMap<string, Property>;
}

/** Kept for each client by itself. */
export interface ExternalId {
  readonly kind: 'externalId';
}

export interface Attribute extends Characteristics {
  readonly schema: string;
  readonly binding: Property | Reference | Parts | Elements | ExternalId;
  readonly subAttributes: readonly SubAttribute[];
}

export interface SubAttribute extends Characteristics {
  /** The property that holds it, where the attribute is made of `Parts`. */
  readonly property?: Property;
}

/** A managed type as clients of SCIM see it. */
export interface ResourceType {
  readonly name: string;
  /** The endpoint without the slash, such as `Users`. */
  readonly endpoint: string;
  readonly description: string;
  /** Such as `managed/user`. */
  readonly collection: string;
  readonly schema: string;
  readonly extensions: ScimResourceTypeConfig['extensions'];
  /** Properties that a new object has if no attribute gives them. */
  readonly defaults: JsonObject;
  readonly attributes: readonly Attribute[];
  /** Whether a DELETE says that the object is not active any more, and leaves it there. */
  readonly isKept: boolean;
  /** Whether a PATCH of what no attribute is about changes nothing, and is not refused. */
  readonly ignoresUnmapped: boolean;
  /** Whether scripts or other objects have a say in what a read shows, so that a write does not answer with all of it. */
  readonly isCalculated: boolean;
}

const named = new WeakMap<ResourceType, ReadonlyMap<string, readonly Attribute[]>>();

/** The attribute at a path, whatever the case of its name; without a schema in front, of any of them, the core first. */
export function attributeAt(type: ResourceType, { schema, name }: AttributePath): Attribute | undefined {
  const byName = named.get(type) ?? Map.groupBy(type.attributes, (one) => one.name.toLowerCase());
  named.set(type, byName);
  const all = byName.get(name.toLowerCase()) ?? [];
  if (schema !== null) return all.find((one) => one.schema === schema);
  return all.find((one) => one.schema === type.schema) ?? all[0];
}

export function subAttributeAt({ subAttributes }: Attribute, name: string): SubAttribute | undefined {
  const wanted = name.toLowerCase();
  return subAttributes.find((one) => one.name.toLowerCase() === wanted);
}

export function schemasOf({ schema, extensions }: ResourceType): readonly string[] {
  return [schema, ...extensions.map((one) => one.schema)];
}

/** Lists of references that clients write. */
export function writtenLists({ attributes }: ResourceType): readonly Reference[] {
  return attributes.flatMap(({ binding, mutability }) =>
    binding.kind === 'reference' && binding.isArray && mutability !== 'readOnly' ? [binding] : [],
  );
}
