import { BadRequestError, ForbiddenError } from '#errors/index.ts';
import { formatPointer, getAt, getMember, isObject, type JsonValue } from '#json/index.ts';
import { PatchedObject, type PatchOperation, type PatchRequest } from '#resource/index.ts';
import { scriptTransform } from '#script/index.ts';
import { type Change, type Exchange, withIdentity, withoutIdentity } from '../exchange.ts';
import { openForKeyPair } from '../for-key-pair.ts';
import { parseEdge, sameEdge, sameTarget, type WantedEdge } from '../relationship/edge.ts';
import { clearAbsent } from '../relationship/looked-up-edges.ts';
import { decryptProperties, isKeptFrom, refuseMadeEnvelopes, withOwnEnvelopes } from '../secret.ts';
import { refuseFiltered } from './refuse-filtered.ts';

/** Applies a patch to the stored object, decrypted and with the relationships that the patch is about. */
export async function applyOperations(exchange: Change<PatchRequest>): Promise<void> {
  const { operations } = exchange.request;
  const before = withIdentity(exchange.id, exchange.rev, exchange.object);
  const transform = scriptTransform(exchange.platform.scripts, exchange.context);
  const patched = new PatchedObject(before, { budget: exchange.context.budget, transform });
  const edges = new Map<JsonValue, WantedEdge>();
  const refuseOf = refuseFiltered(exchange);
  for (const given of operations) {
    const operation = exchange.context.client.isExternal ? await ofCaller(exchange, given) : given;
    if (exchange.context.client.isExternal) await refuseOf(operation);
    const removal = edgeRemoval(exchange, operation);
    if (removal !== undefined) await removeEdges(patched, operation, removal, edges);
    else await patched.apply(operation);
  }
  const after = patched.object;
  if (after['_id'] !== before['_id']) {
    throw new BadRequestError(`The _id of '${exchange.id}' cannot be changed`, {
      id: 'OBJECT_ID_MISMATCH',
      field: '/_id',
    });
  }
  const object = withoutIdentity(after);
  // What a `transform` script has made may hold envelopes: only those can send one who may evaluate it.
  const isTransformed = operations.some(({ operation }) => operation === 'transform');
  if (exchange.context.client.isExternal && !isTransformed) refuseMadeEnvelopes(object, exchange.stored.data);
  clearAbsent(exchange, object);
  exchange.object = await decryptProperties(exchange.platform.crypto, exchange.type, object);
  // What is calculated is not for clients to set.
  for (const { name } of exchange.type.calculated) {
    const kept = getMember(exchange.before, name);
    if (kept === undefined) delete exchange.object[name];
    else exchange.object[name] = kept;
  }
}

/** The operation with what is stored in place of the seals that come back as they were shown. */
async function ofCaller(exchange: Change<PatchRequest>, operation: PatchOperation): Promise<PatchOperation> {
  // The right to change an object is no right to run scripts, which may do anything.
  if (operation.operation === 'transform') {
    await exchange.platform.resources.requireScriptRight(exchange.context, '/value/script');
  }
  refuseTheft(exchange, operation);
  refuseLook(exchange, operation);
  const { field } = operation;
  const stored = getAt(exchange.stored.data, field);
  const [name] = field;
  const sent =
    operation.value === undefined || name === undefined || field.length > 1
      ? operation.value
      : await openForKeyPair(exchange, name, operation.value);
  const value = sent === undefined ? undefined : withOwnEnvelopes(sent, stored, field);
  if (name !== undefined && isKeptFrom(exchange.context, exchange.type, name) && !isSeal(exchange, value)) {
    exchange.overwritten.add(name);
  }
  // A number holds no seal, and what is moved or copied comes without a value.
  const isGiven = operation.operation !== 'increment' && operation.from === undefined;
  return isGiven && value !== undefined ? { ...operation, value } : operation;
}

function isSeal({ platform: { crypto } }: Exchange, value: JsonValue = null): boolean {
  return crypto.isEncrypted(value) || crypto.isHashed(value);
}

/**
 * A caller who may not read a property may replace or remove it as a whole and nothing else: the outcome of any other operation would
 * reveal its value.
 */
function refuseLook({ context, type }: Exchange, { operation, field, value = null }: PatchOperation): void {
  const [name] = field;
  if (name === undefined || !isKeptFrom(context, type, name)) return;
  const setsAll =
    operation === 'add' || operation === 'replace' || (operation === 'remove' && value === null);
  if (setsAll && field.length === 1) return;
  throw new ForbiddenError(`'${operation}' of '${formatPointer(field)}' would tell what is there`, {
    id: 'PATCH_OF_HIDDEN',
    field: formatPointer(field),
    hint: `'/${name}' is not shown to you: replace or remove the whole of it`,
  });
}

/** A copy of a secret under another name would show it. */
function refuseTheft({ type }: Exchange, { from }: PatchOperation): void {
  if (from?.[0] === undefined) return;
  const property = type.compiled.get(from[0]);
  if (property?.isPrivate === true || property?.encryption || property?.hashAlgorithm) {
    throw new ForbiddenError(`'${formatPointer(from)}' cannot be copied or moved`, {
      id: 'PATCH_OF_SECRET',
      field: formatPointer(from),
    });
  }
}

interface EdgeRemoval {
  readonly name: string;
  readonly value: JsonValue;
}

/** The edge that an operation takes out of a relationship; undefined for any other operation. */
function edgeRemoval(
  { type }: Exchange,
  { operation, field, value = null }: PatchOperation,
): EdgeRemoval | undefined {
  const [name, ...rest] = field;
  if (operation !== 'remove' || name === undefined || rest.length > 0) return undefined;
  const relationship = type.relationships.get(name);
  if (relationship === undefined) return undefined;
  if (value !== null) return { name, value };
  if (!relationship.isArray) return undefined;
  throw new BadRequestError(`Cannot delete collection: ${formatPointer(field)}`, {
    id: 'RELATIONSHIP_REMOVE_ALL',
    hint: 'Replace it with [] to clear it, or name the value to remove',
  });
}

/**
 * An edge is meant by its `_refProperties/_id`, by its `_ref` alone, or by all it says.
 *
 * @param edges those of elements that an operation before this one has read
 */
async function removeEdges(
  patched: PatchedObject,
  operation: PatchOperation,
  { name, value }: EdgeRemoval,
  edges: Map<JsonValue, WantedEdge>,
): Promise<void> {
  const { field } = operation;
  const meant = parseEdge(value, formatPointer(field));
  const saysMore = isObject(value) && isObject(value['_refProperties']);
  const isMeant = (element: JsonValue) => {
    const edge = edges.get(element) ?? parseEdge(element, formatPointer(field));
    edges.set(element, edge);
    return meansEdge(edge, meant, saysMore);
  };
  await patched.replaceMember(operation, name, (current) => {
    if (Array.isArray(current)) return current.filter((element) => !isMeant(element));
    return current !== null && isMeant(current) ? null : current;
  });
}

function meansEdge(edge: WantedEdge, meant: WantedEdge, saysMore: boolean): boolean {
  if (meant.id !== null) return edge.id === meant.id;
  return saysMore ? sameEdge(edge, meant) : sameTarget(edge.target, meant.target);
}
