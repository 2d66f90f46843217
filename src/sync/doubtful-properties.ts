import {
  type ConfigStore,
  type MappingConfig,
  managedConfig,
  type Objection,
  writtenJson,
} from '#config/index.ts';
import { didYouMean } from '#errors/index.ts';
import { formatPointer, isObject, type JsonObject } from '#json/index.ts';
import type { Mapping } from './mapping.ts';

/** What is taken, and probably not meant, of the properties that a mapping names. */
export function doubtfulProperties(
  config: ConfigStore,
  mapping: Mapping,
  all: readonly MappingConfig[],
): readonly Objection[] {
  const [source, target] = [declared(config, mapping.source), declared(config, mapping.target)];
  return mapping.properties.flatMap((property, index) => {
    const place = `/properties/${index}`;
    const [from, to] = [property.source?.[0], property.target[0]];
    return [
      ...unknown(mapping.source, from, source, `${place}/source`),
      ...unknown(mapping.target, to, target, `${place}/target`),
      ...unreadable(mapping, from, to, { source, target, place }),
      ...writtenTwice(mapping, formatPointer(property.target), index, all),
    ];
  });
}

type Declared = JsonObject | undefined;

/** Objects may have properties that their type does not declare. */
function unknown(
  collection: string,
  name: string | undefined,
  properties: Declared,
  field: string,
): readonly Objection[] {
  if (name === undefined || name === '_id' || properties === undefined || Object.hasOwn(properties, name)) {
    return [];
  }
  const hint = didYouMean(name, Object.keys(properties));
  return [
    {
      id: 'SYNC_UNKNOWN_PROPERTY',
      field,
      message: `'${collection}' declares no property '${name}'`,
      ...(hint === undefined ? {} : { hint }),
      isWarning: true,
    },
  ];
}

/** Nobody can read a hash back: only a target that keeps hashes has any use for it. */
function unreadable(
  { source: collection }: Mapping,
  from: string | undefined,
  to: string | undefined,
  { source, target, place }: { readonly source: Declared; readonly target: Declared; readonly place: string },
): readonly Objection[] {
  if (!isHashed(source, from) || isHashed(target, to)) return [];
  return [
    {
      id: 'SYNC_HASHED_SOURCE',
      field: `${place}/source`,
      message: `'${from}' of '${collection}' is kept as a hash, which nobody can read back: '${to}' will be a hash, too, and no text`,
      hint: 'Declare the target with secureHash, or the source with encryption',
      isWarning: true,
    },
  ];
}

function isHashed(properties: Declared, name: string | undefined): boolean {
  const property = name === undefined ? undefined : properties?.[name];
  return isObject(property) && isObject(property['secureHash']);
}

/** The later one wins each time that both deliver. */
function writtenTwice(
  { name, target }: Mapping,
  pointer: string,
  index: number,
  all: readonly MappingConfig[],
): readonly Objection[] {
  const before = all.slice(
    0,
    all.findIndex((other) => other.name === name),
  );
  const written = before
    .filter((one) => one.target.replace(/^\/+|\/+$/g, '') === target)
    .flatMap((one) => one.properties.map((property) => ({ by: one.name, to: asPointer(property.target) })));
  const other = written.find(({ to }) => overlap(to, pointer));
  if (other === undefined) return [];
  return [
    {
      id: 'SYNC_TWO_WRITERS',
      field: `/properties/${index}/target`,
      message: `the mapping '${other.by}' writes '${other.to}' of '${target}'${other.to === pointer ? ' as well' : `, and this one '${pointer}'`}: of an object that is the target of both, the one that is delivered later wins`,
      isWarning: true,
    },
  ];
}

function asPointer(name: string): string {
  return `/${name.replace(/^\/+|\/+$/g, '')}`;
}

/** Whether one is the other, or a part of it. */
function overlap(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

function declared(config: ConfigStore, collection: string): Declared {
  const types = config.get(managedConfig).objects;
  const type = types.find(({ name }) => `managed/${name}` === collection);
  const properties = writtenJson(type?.schema?.properties ?? {});
  return Object.keys(properties).length === 0 ? undefined : properties;
}
