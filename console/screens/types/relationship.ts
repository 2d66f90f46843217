import type { JsonObject, PatchOperation } from '#client/index.ts';
import {
  type Declared,
  type DeclaredType,
  isName,
  type Managed,
  propertiesOf,
} from '../../declared/managed.ts';

/** A property that leads to other objects, seen from one of its ends. */
export interface End {
  readonly name: string;
  readonly title: string;
  readonly isMany: boolean;
}

export interface Ends {
  readonly type: string;
  readonly end: End;
  readonly target: string;
  /** How the other objects lead back; undefined: they do not. */
  readonly back: End | undefined;
}

/** What people know objects by, where a type has it. */
const TOLD = ['userName', 'name', 'givenName', 'sn', 'title'];

/** Whether both properties can be called that. */
export function isGood({ content }: Managed, { type, end, target, back }: Ends): boolean {
  const isFree = (of: string, name: string) =>
    isName(name) &&
    !Object.hasOwn(content.objects.find((each) => each.name === of)?.schema.properties ?? {}, name);
  const clashes = back !== undefined && type === target && back.name === end.name;
  return isFree(type, end.name) && (back === undefined || isFree(target, back.name)) && !clashes;
}

/** As `managed.json` declares an end that leads to objects of a type. */
function declare({ title, name, isMany }: End, target: DeclaredType, reverse: string | undefined): Declared {
  const shown = title === '' ? name : title;
  const fields = TOLD.filter((each) => propertiesOf(target).some(([property]) => property === each));
  const relationship = {
    type: 'relationship',
    reverseRelationship: reverse !== undefined,
    ...(reverse === undefined ? {} : { reversePropertyName: reverse }),
    validate: true,
    properties: {
      _ref: { type: 'string' },
      _refProperties: { type: 'object', properties: { _id: { type: 'string' } } },
    },
    resourceCollection: [
      {
        path: `managed/${target.name}`,
        label: target.schema.title ?? target.name,
        query: { queryFilter: 'true', fields, sortKeys: fields.slice(0, 1) },
      },
    ],
  };
  const common = { title: shown, viewable: true, returnByDefault: false };
  return isMany ? { ...common, type: 'array', items: relationship } : { ...common, ...relationship };
}

/** What is added to which type. */
function additions({ content }: Managed, { type, end, target, back }: Ends) {
  const find = (name: string) => content.objects.find((each) => each.name === name);
  const [from, to] = [find(type), find(target)];
  if (from === undefined || to === undefined) return [];
  return [
    { type, name: end.name, declared: declare(end, to, back?.name) },
    ...(back === undefined
      ? []
      : [{ type: target, name: back.name, declared: declare(back, from, end.name) }]),
  ];
}

/** `managed.json` as it would be. */
export function withRelationship(managed: Managed, ends: Ends): JsonObject {
  const added = additions(managed, ends);
  const objects = managed.content.objects.map((each) => {
    const own = added.filter(({ type }) => type === each.name);
    if (own.length === 0) return each;
    const properties = Object.fromEntries(own.map(({ name, declared }) => [name, declared]));
    return {
      ...each,
      schema: {
        ...each.schema,
        properties: { ...each.schema.properties, ...properties },
        order: [...(each.schema.order ?? []), ...own.map(({ name }) => name)],
      },
    };
  });
  return JSON.parse(JSON.stringify({ ...managed.content, objects }));
}

export function operationsOf(managed: Managed, ends: Ends): readonly PatchOperation[] {
  const added = additions(managed, ends);
  const { objects } = managed.content;
  const placeOf = (type: string) => `/objects/${objects.findIndex(({ name }) => name === type)}/schema`;
  const types = [...new Set(added.map(({ type }) => type))];
  return [
    ...added.map(({ type, name, declared }) => ({
      operation: 'add' as const,
      field: `${placeOf(type)}/properties/${name}`,
      value: declared,
    })),
    ...types.map((type) => ({
      operation: 'add' as const,
      field: `${placeOf(type)}/order`,
      value: [
        ...(objects.find(({ name }) => name === type)?.schema.order ?? []),
        ...added.filter((each) => each.type === type).map(({ name }) => name),
      ],
    })),
  ];
}
