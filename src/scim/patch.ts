import { BadRequestError } from '#errors/index.ts';
import { cloneJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Context, PatchOperation } from '#resource/index.ts';
import { isPathOf, withoutSchema } from './attribute-path.ts';
import { badValue, memberIgnoringCase, memberOf } from './content.ts';
import { changeEnds, type EdgeChanges, noChanges, type Op } from './edge-changes.ts';
import { parseElementPath, type ScimFilter } from './filter.ts';
import { meetsFilter } from './filter-match.ts';
import {
  filterInTurns,
  lastFirst,
  merged,
  type Pause,
  valuesOf,
  withoutValues,
  withPart,
  withValues,
} from './parts.ts';
import {
  costOf,
  exactness,
  hasNoPlace,
  type NewElement,
  newElement,
  placesOf,
  requireParts,
} from './patch-element.ts';
import { isDemanded, lackingOf, required } from './required.ts';
import {
  type Attribute,
  attributeAt,
  type Characteristics,
  type ResourceType,
  schemasOf,
  subAttributeAt,
} from './resource-type.ts';

export interface Patched {
  readonly resource: JsonObject;
  /** Changes of edges, by property. */
  readonly edges: ReadonlyMap<string, EdgeChanges>;
}

/** What pays for a patch, and knows when it is others' turn. */
export type Purse = Pick<Context['budget'], 'spend' | 'stretch'>;

interface Target {
  readonly attribute: Attribute;
  readonly sub: string | null;
  readonly filter: ScimFilter | null;
}

const CORE = new Set(['schemas', 'meta']);

/**
 * Applies the operations of a PATCH (RFC 7644, 3.5.2) to a resource, in the ways of the clients there are.
 *
 * @param purse pays for each look at an element before it, and for the time; others have their turns meanwhile
 * @param operations the path of each is the one token of its `field`, or its tokens are names; without any the value says it
 * @throws BadRequestError `SCIM_BAD_PATH`, `SCIM_BAD_VALUE`, `SCIM_NO_TARGET`, `SCIM_NOT_MUTABLE`; ResourceError `BUDGET_SPENT`
 */
export async function patchResource(
  type: ResourceType,
  before: JsonObject,
  operations: readonly PatchOperation[],
  purse: Purse,
): Promise<Patched> {
  const patch = new Patch(type, cloneJson(before), purse);
  for (const operation of operations) await patch.apply(operation);
  patch.requireKept();
  return patch;
}

class Patch implements Patched {
  readonly resource: JsonObject;
  readonly edges = new Map<string, EdgeChanges>();
  readonly #type: ResourceType;
  readonly #purse: Purse;
  readonly #pause: Pause;
  /** Attributes that something was taken from, and those that something has become of. */
  readonly #removed = new Set<Attribute>();
  readonly #changed = new Set<Attribute>();

  constructor(type: ResourceType, resource: JsonObject, purse: Purse) {
    this.#type = type;
    this.resource = resource;
    this.#purse = purse;
    this.#pause = purse.stretch();
  }

  async apply({ operation, field, value = null }: PatchOperation): Promise<void> {
    this.#purse.spend('operations');
    await this.#pause();
    if (operation !== 'add' && operation !== 'replace' && operation !== 'remove') {
      throw new BadRequestError(`'${operation}' is no operation of a PATCH`, {
        id: 'SCIM_BAD_SYNTAX',
        hint: 'One of add, remove, replace',
      });
    }
    const path = field.join('.');
    if (path !== '') await this.#at(operation, path, value, false);
    else if (operation === 'remove')
      throw new BadRequestError("'remove' needs a path", { id: 'SCIM_NO_TARGET' });
    else if (isObject(value)) await this.#all(operation, value, null);
    else
      throw new BadRequestError(`'${operation}' without a path needs an object as its value`, {
        id: 'SCIM_BAD_VALUE',
      });
  }

  /** What is required stays (RFC 7644, 3.5.2.2). @throws BadRequestError `SCIM_NOT_MUTABLE`, `SCIM_BAD_VALUE` */
  requireKept(): void {
    const lacking = (attribute: Attribute, isNeeded: (one: Characteristics) => boolean) =>
      lackingOf(this.#type, attribute, this.resource, isNeeded);
    for (const attribute of this.#removed) {
      const [path] = lacking(attribute, (one) => one.required);
      if (path === undefined) continue;
      throw new BadRequestError(`'${path}' is required, and stays`, { id: 'SCIM_NOT_MUTABLE' });
    }
    for (const attribute of this.#changed) {
      const paths = lacking(attribute, isDemanded);
      if (paths.length > 0) throw required(paths);
    }
  }

  /** Keys may be paths, and those of an extension an object of their own. */
  async #all(op: Op, value: JsonObject, schema: string | null): Promise<void> {
    for (const [key, given] of Object.entries(value)) {
      const extension = schemasOf(this.#type).find((one) => one.toLowerCase() === key.toLowerCase());
      if (schema === null && extension !== undefined && isObject(given))
        await this.#all(op, given, extension);
      else if (schema === null && key.toLowerCase() === 'id') this.#sameId(given);
      else if (!CORE.has(key.toLowerCase())) {
        this.#purse.spend('operations');
        await this.#pause();
        await this.#at(op, schema === null ? key : `${schema}:${key}`, given, true);
      }
    }
  }

  #sameId(given: JsonValue): void {
    if (given === this.resource['id']) return;
    throw new BadRequestError(`The id of '${String(this.resource['id'])}' cannot be changed`, {
      id: 'SCIM_NOT_MUTABLE',
    });
  }

  /** @param isOneOfMany what nothing is known of, or cannot be written, is passed over, as in a resource that is sent as a whole */
  async #at(op: Op, path: string, value: JsonValue, isOneOfMany: boolean): Promise<void> {
    const extension = schemasOf(this.#type).find((one) => one.toLowerCase() === path.toLowerCase());
    if (extension !== undefined) {
      await this.#extension(op, extension, value);
      return;
    }
    const { ignoresUnmapped } = this.#type;
    // A resource that is sent as a whole may have attributes and extensions of other services.
    const mayBeOfOthers = isOneOfMany || (ignoresUnmapped && /^urn:/i.test(path));
    if (mayBeOfOthers && !isPathOf(path, schemasOf(this.#type))) return;
    const target = this.#target(path);
    if (target === undefined) {
      if (isOneOfMany || ignoresUnmapped) return;
      throw new BadRequestError(`'${path}' is no attribute of a ${this.#type.name}`, {
        id: 'SCIM_BAD_PATH',
        hint: 'Take it out of the mapping of the client, or let scim.json ignore it ("unmapped")',
      });
    }
    const { attribute } = target;
    const { name, binding } = attribute;
    const part = target.sub === null ? undefined : subAttributeAt(attribute, target.sub);
    if (attribute.mutability === 'readOnly' || part?.mutability === 'readOnly') {
      if (isOneOfMany) return;
      throw new BadRequestError(`'${part === undefined ? name : path}' is read-only`, {
        id: 'SCIM_NOT_MUTABLE',
      });
    }
    if (binding.kind === 'reference' && binding.isArray) {
      const edges = this.edges.get(binding.property) ?? noChanges();
      this.edges.set(binding.property, edges);
      changeEnds(edges, op, { ...target, reference: binding }, value);
      return;
    }
    (op === 'remove' ? this.#removed : this.#changed).add(attribute);
    if (target.filter !== null) await this.#elements(op, target, target.filter, value, isOneOfMany);
    else if (target.sub !== null) this.#part(op, attribute, target.sub, value);
    else await this.#whole(op, attribute, value);
  }

  async #extension(op: Op, schema: string, value: JsonValue): Promise<void> {
    if (op === 'remove') {
      for (const attribute of this.#type.attributes.filter((one) => one.schema === schema)) {
        this.#removed.add(attribute);
        this.#set(attribute, undefined);
      }
    } else if (isObject(value)) await this.#all(op, value, schema);
    else throw new BadRequestError(`'${schema}' needs an object as its value`, { id: 'SCIM_BAD_VALUE' });
  }

  #target(path: string): Target | undefined {
    const schemas = schemasOf(this.#type);
    const { rest } = withoutSchema(path, schemas);
    if (['id', 'schemas', 'meta'].includes(rest.toLowerCase().split('.')[0] ?? '')) {
      throw new BadRequestError(`'${path}' is read-only`, { id: 'SCIM_NOT_MUTABLE' });
    }
    const { path: parsed, filter } = parseElementPath(path, schemas);
    const attribute = attributeAt(this.#type, parsed);
    if (attribute === undefined) return undefined;
    if (filter !== null && !attribute.multiValued) {
      throw new BadRequestError(`'${attribute.name}' is no list, and has no elements to look for`, {
        id: 'SCIM_BAD_PATH',
      });
    }
    if (
      parsed.sub !== null &&
      attribute.subAttributes.length > 0 &&
      subAttributeAt(attribute, parsed.sub) === undefined
    ) {
      return undefined;
    }
    return { attribute, sub: parsed.sub, filter };
  }

  async #whole(op: Op, attribute: Attribute, value: JsonValue): Promise<void> {
    const before = memberOf(this.#type, attribute, this.resource) ?? null;
    this.#purse.spend('nodes', (1 + valuesOf(before).length) * (1 + valuesOf(value).length));
    if (op === 'remove') {
      const isSome = attribute.multiValued && value !== null;
      const left = isSome ? await withoutValues(valuesOf(before), valuesOf(value), this.#pause) : undefined;
      this.#set(attribute, left);
    } else if (attribute.multiValued) {
      const added =
        op === 'replace' ? valuesOf(value) : await withValues(valuesOf(before), valuesOf(value), this.#pause);
      this.#set(attribute, attribute.binding.kind === 'elements' ? lastFirst(added) : added);
    } else if (attribute.type === 'complex' && isObject(before) && isObject(value)) {
      this.#set(attribute, merged(before, value));
    } else this.#set(attribute, value);
  }

  #part(op: Op, attribute: Attribute, sub: string, value: JsonValue): void {
    const before = memberOf(this.#type, attribute, this.resource) ?? null;
    const part = subAttributeAt(attribute, sub)?.name ?? sub;
    const change = (one: JsonValue) =>
      withPart(isObject(one) ? one : {}, part, op === 'remove' ? null : value);
    if (!attribute.multiValued) {
      if (before !== null || op !== 'remove') this.#set(attribute, change(before));
      return;
    }
    const elements = valuesOf(before);
    this.#purse.spend('nodes', elements.length);
    // Without elements there is one to be made, of which nothing else is known.
    this.#set(attribute, elements.length === 0 && op !== 'remove' ? [change({})] : elements.map(change));
  }

  async #elements(
    op: Op,
    { attribute, sub }: Target,
    filter: ScimFilter,
    value: JsonValue,
    isOneOfMany: boolean,
  ): Promise<void> {
    requireParts(attribute, filter);
    const before = valuesOf(memberOf(this.#type, attribute, this.resource) ?? null);
    this.#purse.spend('nodes', costOf(filter, before));
    const isExact = exactness(attribute);
    // An element of a plain list is its value and nothing else.
    const meets = (one: JsonValue) => meetsFilter(filter, isObject(one) ? one : { value: one }, isExact);
    const meant = new Set(await filterInTurns(before, meets, this.#pause));
    const isMeant = (one: JsonValue) => meant.has(one);
    const part = sub === null ? null : (subAttributeAt(attribute, sub)?.name ?? sub);
    if (op === 'remove') {
      const left = before.flatMap((one) => {
        if (!isMeant(one)) return [one];
        return part === null || !isObject(one) ? [] : [withPart(one, part, null)];
      });
      this.#set(attribute, left);
      return;
    }
    const change = (one: JsonObject): JsonValue => {
      if (part !== null) return withPart(one, part, value);
      if (isObject(value)) return merged(one, value);
      throw badValue(attribute, value, 'an object');
    };
    if (meant.size > 0) {
      this.#set(
        attribute,
        before.map((one) => (isMeant(one) ? (isObject(one) ? change(one) : value) : one)),
      );
      return;
    }
    const made = this.#newElement(attribute, filter, before, isOneOfMany);
    if (made === undefined) return;
    const { is, as } = made;
    // What is there is changed; a new one comes first, as one that is said to be the primary does.
    const changed = change(as);
    this.#set(
      attribute,
      is === undefined ? [changed, ...before] : before.map((one) => (one === is ? changed : one)),
    );
  }

  /** The element that clients mean by a filter that none meets. @throws BadRequestError `SCIM_NO_TARGET` where there can be none */
  #newElement(
    attribute: Attribute,
    filter: ScimFilter,
    before: readonly JsonValue[],
    isOneOfMany: boolean,
  ): NewElement | undefined {
    const made = newElement(attribute, filter, before);
    const isIgnored = isOneOfMany || (this.#type.ignoresUnmapped && hasNoPlace(attribute, filter));
    if (made !== undefined || isIgnored) return made;
    throw new BadRequestError(`No element of '${attribute.name}' is meant by the filter of the path`, {
      id: 'SCIM_NO_TARGET',
      ...placesOf(attribute),
    });
  }

  #set({ name, schema }: Attribute, value: JsonValue | undefined): void {
    const isCore = schema === this.#type.schema;
    const holder = isCore ? this.resource : memberIgnoringCase(this.resource, schema);
    if (isObject(holder)) {
      for (const key of Object.keys(holder)) if (key.toLowerCase() === name.toLowerCase()) delete holder[key];
      if (value !== undefined) holder[name] = value;
    } else if (value !== undefined) this.resource[schema] = { [name]: value };
  }
}
