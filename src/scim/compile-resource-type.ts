import {
  type ManagedConfig,
  type ScimAttributeConfig,
  type ScimConfig,
  type ScimResourceTypeConfig,
  writtenJson,
} from '#config/index.ts';
import { getMember, isObject, type JsonObject, parsePointer } from '#json/index.ts';
import type { AttributePath } from './attribute-path.ts';
import { parseElementPath, type ScimFilter } from './filter.ts';
import { filledText, firstType, listOf, objectAt, typeOf } from './managed-property.ts';
import { type Fault, isHidden, overlapping, refusalOf } from './mapping-faults.ts';
import type {
  Attribute,
  AttributeType,
  Characteristics,
  Elements,
  Property,
  Reference,
  ResourceType,
  SubAttribute,
} from './resource-type.ts';
import { complex, marksOf, partsOfReference, TEXT } from './sub-attributes.ts';

export interface ResourceTypes {
  readonly types: readonly ResourceType[];
  readonly faults: readonly Fault[];
}

/** Compiles `scim.json` against `managed.json`. What is faulty is left out, and said. */
export function compileResourceTypes(scim: ScimConfig, managed: ManagedConfig): ResourceTypes {
  const faults: Fault[] = [];
  const types = scim.resourceTypes.flatMap((config, at) => {
    const field = `/resourceTypes/${at}`;
    if (isHidden(scim.resourceTypes, at, faults)) return [];
    const type = writtenJson(managed.objects).find(
      ({ name }) => config.managed === `managed/${String(name)}`,
    );
    if (type === undefined) {
      faults.push({
        field: `${field}/managed`,
        message: `there is no type '${config.managed}'`,
        isMissing: true,
      });
      return [];
    }
    const schema = objectAt(type, 'schema');
    const required = getMember(schema, 'required') ?? [];
    const declared = {
      hasReadHook: type['onRetrieve'] != null || type['onRead'] != null,
      properties: objectAt(schema, 'properties'),
      required: Array.isArray(required) ? required.map(String) : [],
    };
    const nameOf = (collection: string) =>
      scim.resourceTypes.find(({ managed: own }) => own === collection)?.name ?? null;
    return [new TypeCompiler(config, declared, field, faults, nameOf).compile()];
  });
  return { types, faults };
}

interface Bound {
  readonly config: ScimAttributeConfig;
  readonly path: AttributePath;
  readonly filter: ScimFilter | null;
  readonly field: string;
}

class TypeCompiler {
  readonly #config: ScimResourceTypeConfig;
  readonly #hasReadHook: boolean;
  readonly #properties: JsonObject;
  readonly #required: readonly string[];
  readonly #field: string;
  readonly #faults: Fault[];
  readonly #schemas: readonly string[];
  readonly #nameOf: (collection: string) => string | null;

  /** @param nameOf of the resource type whose objects stand in a collection */
  constructor(
    config: ScimResourceTypeConfig,
    managed: {
      readonly hasReadHook: boolean;
      readonly properties: JsonObject;
      readonly required: readonly string[];
    },
    field: string,
    faults: Fault[],
    nameOf: (collection: string) => string | null,
  ) {
    this.#nameOf = nameOf;
    this.#config = config;
    this.#hasReadHook = managed.hasReadHook;
    this.#properties = managed.properties;
    this.#required = managed.required;
    this.#field = field;
    this.#faults = faults;
    this.#schemas = [config.schema, ...config.extensions.map(({ schema }) => schema)];
  }

  compile(): ResourceType {
    const { name, endpoint, description = name, managed, schema, extensions, defaults } = this.#config;
    const byAttribute = new Map<string, Bound[]>();
    for (const [at, config] of this.#config.attributes.entries()) {
      const bound = this.#bound(config, `${this.#field}/attributes/${at}`);
      if (bound === undefined) continue;
      const key = `${bound.path.schema ?? schema}:${bound.path.name}`.toLowerCase();
      byAttribute.set(key, [...(byAttribute.get(key) ?? []), bound]);
    }
    const attributes = [...byAttribute.values()].flatMap((all) => this.#attribute(all) ?? []);
    const isKept = this.#config.onDelete === 'deactivate';
    const active = attributes.find((one) => one.name === 'active');
    const isFlag = active?.binding.kind === 'property' && active.type === 'boolean';
    if (isKept && (!isFlag || active.mutability === 'readOnly')) {
      this.#faults.push({
        field: `${this.#field}/onDelete`,
        message: "'deactivate' needs a boolean attribute 'active' that can be written",
      });
    }
    return {
      name,
      endpoint: endpoint.slice(1),
      description,
      collection: managed,
      schema,
      extensions,
      defaults,
      attributes,
      isKept,
      ignoresUnmapped: this.#config.unmapped === 'ignore',
      isCalculated: this.#hasReadHook || this.#config.attributes.some((one) => this.#isCalculated(one)),
    };
  }

  #isCalculated(config: ScimAttributeConfig): boolean {
    const { isVirtual, onRetrieve } = this.#propertyOf(config);
    return (isVirtual ?? onRetrieve ?? null) !== null;
  }

  #bound(config: ScimAttributeConfig, field: string): Bound | undefined {
    const fault = (message: string, more: Omit<Fault, 'field' | 'message'> = {}) => {
      this.#faults.push({ field, message, ...more });
      return undefined;
    };
    try {
      const { path, filter } = parseElementPath(config.scim, this.#schemas);
      if (config.managed === undefined) {
        if (path.name === 'externalId' && path.sub === null) return { config, path, filter, field };
        return fault(`'${config.scim}' names no managed property`);
      }
      const [name] = parsePointer(config.managed);
      if (name === undefined || !Object.hasOwn(this.#properties, name)) {
        return fault(`'${config.managed}' is no property of '${this.#config.managed}'`, { isMissing: true });
      }
      const property = objectAt(this.#properties, name);
      const isSecret =
        property['secureHash'] != null || property['encryption'] != null || property['scope'] === 'private';
      const refusal = refusalOf(config.scim, path, parsePointer(config.managed), property);
      if (refusal !== undefined) return fault(refusal);
      if (isSecret && config.returned !== 'never') {
        return fault(`'${config.managed}' is a secret`, {
          hint: 'Only with "returned": "never" may clients set it',
        });
      }
      return { config, path, filter, field };
    } catch (error) {
      return fault(error instanceof Error ? error.message : String(error));
    }
  }

  #attribute(all: readonly Bound[]): Attribute | undefined {
    const first = all[0];
    if (first === undefined) return undefined;
    const { path, config } = first;
    const common = { schema: path.schema ?? this.#config.schema };
    const twin = overlapping(all);
    if (twin !== undefined) {
      this.#faults.push({ field: twin.field, message: `'${twin.config.scim}' stands here twice` });
      return this.#attribute(all.filter((one) => one !== twin));
    }
    const inside = all.find(
      (one) => all.length + Number(one.path.sub !== null) > 1 && this.#isReference(one.config),
    );
    if (inside !== undefined) {
      const message = `'${inside.config.managed}' is a relationship, and no part of '${path.name}'`;
      this.#faults.push({ field: inside.field, message });
      return this.#attribute(all.filter((one) => one !== inside));
    }
    if (all.some(({ filter }) => filter !== null)) return { ...common, ...this.#elements(path.name, all) };
    if (all.some(({ path: { sub } }) => sub !== null)) return { ...common, ...this.#parts(path.name, all) };
    if (config.managed === undefined) {
      const simple = this.#simple(path.name, config, {}, { type: 'string' });
      return { ...common, ...simple, binding: { kind: 'externalId' }, subAttributes: [] };
    }
    const property = this.#propertyOf(config);
    const reference = this.#reference(config, property);
    if (reference !== undefined && reference.collections.length !== 1) {
      const message = `'${config.managed}' leads to ${reference.collections.length} collections`;
      this.#faults.push({
        field: first.field,
        message,
        hint: 'A reference of SCIM has an id alone: map one that leads to one',
        isMissing: true,
      });
      return undefined;
    }
    if (reference !== undefined) {
      const made = this.#simple(path.name, config, property, {
        type: 'complex',
        multiValued: reference.isArray,
      });
      return { ...common, ...made, binding: reference, subAttributes: partsOfReference(made, reference) };
    }
    const made = this.#simple(path.name, config, property);
    const binding = propertyOf(config);
    return { ...common, ...made, binding, subAttributes: subAttributesOf(property) };
  }

  #parts(name: string, all: readonly Bound[]): Omit<Attribute, 'schema'> {
    const subAttributes = all.map(({ config, path }) => ({
      ...this.#simple(path.sub ?? name, config, this.#propertyOf(config)),
      property: propertyOf(config),
    }));
    return { ...complex(name, subAttributes), binding: { kind: 'parts' }, subAttributes };
  }

  #elements(name: string, all: readonly Bound[]): Omit<Attribute, 'schema'> {
    const elements = new Map<string, { marks: Record<string, string>; parts: Map<string, Property> }>();
    const subs = new Map<string, SubAttribute>();
    const marked = new Map<string, string[]>();
    for (const { config, path, filter, field } of all) {
      const marks = marksOf(filter);
      if (marks === undefined || path.sub === null) {
        const message = `'${config.scim}' does not say which element it is`;
        this.#faults.push({ field, message, hint: 'Such as emails[type eq "work"].value' });
        continue;
      }
      const sub = this.#simple(path.sub, config, this.#propertyOf(config));
      const [first] = subs.values();
      if (first !== undefined && (first.returned !== sub.returned || first.mutability !== sub.mutability)) {
        const message = `'${config.scim}' is not written and shown as the rest of '${name}' is`;
        this.#faults.push({
          field,
          message,
          hint: 'Elements have one mutability and one way to be returned',
        });
        continue;
      }
      for (const [mark, value] of Object.entries(marks)) {
        marked.set(mark, [...new Set([...(marked.get(mark) ?? []), value])]);
      }
      const key = JSON.stringify(marks);
      const element = elements.get(key) ?? { marks, parts: new Map() };
      element.parts.set(path.sub, propertyOf(config));
      elements.set(key, element);
      if (!subs.has(path.sub)) subs.set(path.sub, sub);
    }
    const { mutability, returned } = complex(name, [...subs.values()]);
    const marks = [...marked].map(
      ([mark, values]): SubAttribute => ({
        ...TEXT,
        mutability,
        returned,
        name: mark,
        description: 'Which element it is',
        canonicalValues: values,
      }),
    );
    const subAttributes = [...subs.values(), ...marks];
    const binding: Elements = { kind: 'elements', elements: [...elements.values()] };
    return { ...complex(name, subAttributes), multiValued: true, binding, subAttributes };
  }

  #propertyOf({ managed = '' }: ScimAttributeConfig): JsonObject {
    return objectAt(this.#properties, parsePointer(managed)[0] ?? '');
  }

  #isReference(config: ScimAttributeConfig): boolean {
    return this.#reference(config, this.#propertyOf(config)) !== undefined;
  }

  #reference({ managed = '' }: ScimAttributeConfig, property: JsonObject): Reference | undefined {
    const items = getMember(property, 'items');
    const isArray = firstType(property['type']) === 'array';
    const holder = isArray && isObject(items) ? items : property;
    if (firstType(holder['type']) !== 'relationship') return undefined;
    const targets = listOf(holder['resourceCollection']).flatMap((target) => {
      const path = isObject(target) ? target['path'] : undefined;
      return typeof path === 'string' ? [path] : [];
    });
    const reverse = filledText(holder['reversePropertyName']) ?? null;
    return {
      kind: 'reference',
      property: parsePointer(managed)[0] ?? '',
      isArray,
      collections: targets,
      typeName: this.#nameOf(targets[0] ?? ''),
      reverse,
    };
  }

  #simple(
    name: string,
    config: ScimAttributeConfig,
    property: JsonObject,
    forced: { readonly type?: AttributeType; readonly multiValued?: boolean } = {},
  ): Characteristics {
    const pointer = config.managed === undefined ? [] : parsePointer(config.managed);
    const mutability = config.mutability ?? (config.returned === 'never' ? 'writeOnly' : 'readWrite');
    const type = forced.type ?? (config.values === undefined ? typeOf(property) : 'boolean');
    const description =
      config.description ?? filledText(property['description']) ?? filledText(property['title']) ?? name;
    return {
      name,
      type,
      multiValued: forced.multiValued ?? firstType(property['type']) === 'array',
      description,
      required:
        config.required ??
        (mutability !== 'readOnly' && pointer.length === 1 && this.#required.includes(pointer[0] ?? '')),
      demanded: config.required === true && mutability !== 'readOnly',
      caseExact: config.caseExact ?? type !== 'string',
      mutability,
      returned: config.returned ?? (mutability === 'writeOnly' ? 'never' : 'default'),
      uniqueness: config.uniqueness ?? 'none',
    };
  }
}

function propertyOf({ managed = '', values }: ScimAttributeConfig): Property {
  return { kind: 'property', pointer: parsePointer(managed), ...(values === undefined ? {} : { values }) };
}

/** The sub-attributes of objects, and of lists of objects, that are stored as clients see them. */
function subAttributesOf(property: JsonObject): readonly SubAttribute[] {
  const items = getMember(property, 'items');
  const holder = isObject(items) ? items : property;
  return Object.keys(objectAt(holder, 'properties')).map((name) => {
    const part = objectAt(objectAt(holder, 'properties'), name);
    const type = typeOf(part);
    const multiValued = firstType(part['type']) === 'array';
    return {
      ...TEXT,
      name,
      type,
      multiValued,
      caseExact: type !== 'string',
      description: filledText(part['description']) ?? name,
    };
  });
}
