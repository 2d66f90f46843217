import type { Crypto } from '#crypto/index.ts';
import { BadRequestError, didYouMean } from '#errors/index.ts';
import { formatPointer, type JsonObject, type JsonValue } from '#json/index.ts';
import type { PatchOperation } from '#resource/index.ts';
import type { AttributeDelta, Attributes, Scalar } from './contract.ts';
import type { SystemObjectType, SystemProperty } from './object-type.ts';
import { scalarsOf } from './property-value.ts';

type Change = { replace: Scalar[] } | { add: Scalar[]; remove: Scalar[] };

/**
 * The attributes of a new object.
 *
 * @throws BadRequestError `SYSTEM_UNKNOWN_PROPERTY`, `SYSTEM_NOT_WRITABLE`, `SYSTEM_MISSING_VALUE`, `SYSTEM_BAD_VALUE`
 */
export async function attributesOf(
  crypto: Crypto,
  type: SystemObjectType,
  content: JsonObject,
): Promise<Attributes> {
  const attributes = new Map<string, readonly Scalar[]>();
  for (const [name, value] of Object.entries(content)) {
    const property = writtenProperty(type, name);
    if (property === undefined || value === null) continue;
    if (!property.isCreatable) throw notWritable(type, name, 'when it is made');
    const values = await scalarsOf(crypto, property, value);
    if (values.length > 0) attributes.set(property.native, values);
  }
  for (const { name, native, isRequired } of type.properties.values()) {
    if (!isRequired || attributes.has(native)) continue;
    throw new BadRequestError(`'${type.name}' needs '${name}'`, {
      id: 'SYSTEM_MISSING_VALUE',
      field: `/${name}`,
    });
  }
  return attributes;
}

/** What a PUT means: all members of the body that may be changed, and nothing else. */
export async function deltasOfContent(
  crypto: Crypto,
  type: SystemObjectType,
  content: JsonObject,
): Promise<readonly AttributeDelta[]> {
  const deltas: AttributeDelta[] = [];
  for (const [name, value] of Object.entries(content)) {
    const property = writtenProperty(type, name);
    if (property?.isUpdateable !== true) continue;
    deltas.push({ name: property.native, replace: await scalarsOf(crypto, property, value) });
  }
  return deltas;
}

/**
 * What a PATCH means.
 *
 * @throws BadRequestError `PATCH_INVALID` for an operation that another system does not know, and what `attributesOf` does
 */
export async function deltasOfPatch(
  crypto: Crypto,
  type: SystemObjectType,
  operations: readonly PatchOperation[],
): Promise<readonly AttributeDelta[]> {
  const changes = new Map<string, Change>();
  for (const { operation, field, value = null } of operations) {
    const [name = '', ...rest] = field;
    const isElement = rest.length === 1 && rest[0] === '-' && operation === 'add';
    if (name === '' || (rest.length > 0 && !isElement)) {
      throw refuse(`'${formatPointer(field)}' is no property of an object of another system`);
    }
    const property = writtenProperty(type, name);
    if (property === undefined) continue;
    if (!property.isUpdateable) throw notWritable(type, name, 'afterwards');
    changes.set(property.native, await changed(changes.get(property.native), operation, property, value));
  }
  return [...changes].map(([name, change]) => ({ name, ...change }));

  async function changed(
    before: Change | undefined,
    operation: PatchOperation['operation'],
    property: SystemProperty,
    value: JsonValue,
  ): Promise<Change> {
    const values = [...(await scalarsOf(crypto, property, value))];
    const isWhole = !property.isMultiValued;
    switch (operation) {
      case 'replace':
        return { replace: values };
      case 'add':
        return isWhole ? { replace: values } : added(before, values);
      case 'remove':
        return value === null || isWhole ? { replace: [] } : removed(before, values);
      default:
        throw refuse(`'${operation}' cannot be done with an object of another system`);
    }
  }
}

function added(before: Change | undefined, values: Scalar[]): Change {
  if (before === undefined) return { add: values, remove: [] };
  if ('replace' in before) return { replace: [...before.replace, ...values] };
  return { add: [...before.add, ...values], remove: without(before.remove, values) };
}

function removed(before: Change | undefined, values: Scalar[]): Change {
  if (before === undefined) return { add: [], remove: values };
  if ('replace' in before) return { replace: without(before.replace, values) };
  return { add: without(before.add, values), remove: [...before.remove, ...values] };
}

function without(values: readonly Scalar[], gone: readonly Scalar[]): Scalar[] {
  const texts = new Set(gone.map(String));
  return values.filter((value) => !texts.has(String(value)));
}

/** Undefined for what begins with an underscore: that is the server's. */
function writtenProperty(type: SystemObjectType, name: string): SystemProperty | undefined {
  const property = type.properties.get(name);
  if (property !== undefined || name.startsWith('_')) return property;
  const names = [...type.properties.keys()];
  throw new BadRequestError(`Target does not support attribute ${name}`, {
    id: 'SYSTEM_UNKNOWN_PROPERTY',
    field: `/${name}`,
    hint: didYouMean(name, names) ?? `'${type.name}' has ${names.join(', ')}`,
  });
}

function notWritable(type: SystemObjectType, name: string, when: string): BadRequestError {
  return new BadRequestError(`'${name}' of '${type.name}' cannot be written ${when}`, {
    id: 'SYSTEM_NOT_WRITABLE',
    field: `/${name}`,
    hint: 'The flags of the property say so, in the file of the system',
  });
}

function refuse(message: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'PATCH_INVALID',
    field: '/operation',
    hint: 'There are add, remove and replace',
  });
}
