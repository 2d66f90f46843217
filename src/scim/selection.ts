import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type AttributePath, isPathOf, parseAttributePath } from './attribute-path.ts';
import {
  type Attribute,
  attributeAt,
  type ResourceType,
  schemasOf,
  subAttributeAt,
} from './resource-type.ts';

/** The attributes of a resource that a client wants to see (RFC 7644, 3.9). */
export interface Selection {
  /** Whether anything of it is to be shown, so that it has to be read. */
  readonly shows: (attribute: Attribute) => boolean;
  /** Whether that part of it is; of an attribute that is shown. */
  readonly showsPart: (attribute: Attribute, name: string) => boolean;
  readonly select: (resource: JsonObject) => JsonObject;
}

/** Attributes that a request may name. */
const MOST_NAMES = 200;
/** Always shown. */
const CORE = ['schemas', 'id'];

/**
 * @param schemas that names may have in front, perhaps those of other types as well
 * @throws BadRequestError `SCIM_BAD_VALUE` where both are given, `SCIM_BAD_PATH`
 */
export function readSelection(
  type: ResourceType,
  { attributes, excludedAttributes }: Readonly<Record<string, string | undefined>>,
  schemas: readonly string[] = schemasOf(type),
): Selection {
  if (attributes === undefined && excludedAttributes === undefined) {
    const selection = defaults.get(type) ?? selectionOf(type, [], []);
    defaults.set(type, selection);
    return selection;
  }
  const wanted = pathsOf(schemas, attributes);
  const excluded = pathsOf(schemas, excludedAttributes);
  if (wanted.length > 0 && excluded.length > 0) {
    throw new BadRequestError("'attributes' and 'excludedAttributes' exclude each other", {
      id: 'SCIM_BAD_VALUE',
    });
  }
  return selectionOf(type, wanted, excluded);
}

/** Most requests name none. */
const defaults = new WeakMap<ResourceType, Selection>();

function selectionOf(
  type: ResourceType,
  wanted: readonly AttributePath[],
  excluded: readonly AttributePath[],
): Selection {
  const areWanted = wanted.length > 0;
  const named = areWanted ? wanted : excluded;
  // What the names mean is found out once: there may be many of them, and many resources.
  const told = new Map(
    type.attributes.map((one) => [one, tellOf(named.filter((path) => isAbout(type, path, one)))]),
  );
  const ofMeta = tellOf(named.filter(({ name }) => name.toLowerCase() === 'meta'));
  const shows = (attribute: Attribute): boolean => {
    const { returned } = attribute;
    if (returned === 'never' || returned === 'always') return returned === 'always';
    const tell = told.get(attribute);
    if (areWanted) return tell !== undefined;
    return returned === 'default' && tell?.isWhole !== true;
  };
  const showsPart = (attribute: Attribute, name: string): boolean => {
    const part = subAttributeAt(attribute, name);
    if (part?.returned === 'never') return false;
    if (part?.returned !== 'request') return true;
    return areWanted && told.get(attribute)?.parts.has(name.toLowerCase()) === true;
  };
  const looks = new Map(
    schemasOf(type).map((schema) => {
      const ofSchema = type.attributes.filter((one) => one.schema === schema);
      return [schema, new Map(ofSchema.map((one) => [one.name, lookAt(one)]))];
    }),
  );
  const own = looks.get(type.schema);
  return {
    shows,
    showsPart,
    select(resource) {
      const selected: JsonObject = {};
      for (const [name, value] of Object.entries(resource)) {
        const shown = selectedMember(name, value);
        if (shown !== undefined) selected[name] = shown;
      }
      return selected;
    },
  };

  function selectedMember(name: string, value: JsonValue): JsonValue | undefined {
    if (CORE.includes(name)) return value;
    if (name === 'meta') return part(value, ofMeta, areWanted);
    const extension = looks.get(name);
    if (extension === undefined || !isObject(value)) return own?.get(name)?.(value);
    const parts = Object.entries(value).flatMap(([inner, of]) => {
      const shown = extension.get(inner)?.(of);
      return shown === undefined ? [] : [[inner, shown] as const];
    });
    return parts.length === 0 ? undefined : Object.fromEntries(parts);
  }

  /** What is shown of its values. */
  function lookAt(attribute: Attribute): (value: JsonValue) => JsonValue | undefined {
    if (!shows(attribute)) return () => undefined;
    if (attribute.returned === 'always') return (value) => value;
    const tell = told.get(attribute);
    const isPartial = attribute.subAttributes.some(({ name }) => !showsPart(attribute, name));
    return (value) => {
      const shown = part(value, tell, areWanted);
      if (shown === undefined || !isPartial) return shown;
      return withParts(shown, (name) => showsPart(attribute, name));
    };
  }
}

/** What the names of a request say of one attribute. */
interface Tell {
  readonly isWhole: boolean;
  /** The names of the parts in small letters. */
  readonly parts: ReadonlySet<string>;
}

/** @returns undefined where none is about it */
function tellOf(paths: readonly AttributePath[]): Tell | undefined {
  if (paths.length === 0) return undefined;
  const parts = paths.flatMap(({ sub }) => sub?.toLowerCase() ?? []);
  return { isWhole: parts.length < paths.length, parts: new Set(parts) };
}

/** What is left of a value where only parts of it are named, to be shown or to be left out. */
function part(value: JsonValue, tell: Tell | undefined, areWanted: boolean): JsonValue | undefined {
  if (tell === undefined) return areWanted ? undefined : value;
  if (tell.isWhole) return areWanted ? value : undefined;
  return withParts(value, (name) => tell.parts.has(name.toLowerCase()) === areWanted);
}

/** The parts of an object that are shown, or of each object in a list. */
function withParts(value: JsonValue, isShown: (name: string) => boolean): JsonValue {
  if (Array.isArray(value)) return value.map((one) => withParts(one, isShown));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => isShown(name)))
    : value;
}

/** A name that is that of a schema means all of its attributes. */
function isAbout(type: ResourceType, { schema, name }: AttributePath, attribute: Attribute): boolean {
  if (name === '') return schema === attribute.schema;
  return attributeAt(type, { schema, name, sub: null }) === attribute;
}

function pathsOf(schemas: readonly string[], text = ''): AttributePath[] {
  const names = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  if (names.length > MOST_NAMES) {
    throw new BadRequestError(`${names.length} attributes are named; ${MOST_NAMES} are allowed`, {
      id: 'SCIM_BAD_VALUE',
    });
  }
  return names.map((one) => {
    const whole = schemas.find((schema) => schema.toLowerCase() === one.toLowerCase());
    // What is asked for of an extension that there is not is not there, as any other attribute that there is not.
    const isOfOthers = /^urn:/i.test(one) && !isPathOf(one, schemas);
    if (whole !== undefined || isOfOthers) return { schema: whole ?? one, name: '', sub: null };
    return parseAttributePath(one, schemas);
  });
}
