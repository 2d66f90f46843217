import { type PropertySource, secretReferences } from '#config/index.ts';
import { isStandIn, standInOf } from '#crypto/index.ts';
import { BadRequestError } from '#errors/index.ts';
import {
  cloneJson,
  equalJson,
  formatPointer,
  getAt,
  isObject,
  type JsonObject,
  type Pointer,
  setAt,
} from '#json/index.ts';
import { secretPlaces } from './config-secrets.ts';

/** Of these a secret belongs to all the rest: a script gets it, or the host is at another place. */
const BOUND_AS_A_WHOLE: ReadonlySet<string> = new Set(['endpoint', 'external.email']);

/** Of a schedule to all that its script is, and is given; when it runs may change. */
const BOUND_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  schedule: ['invokeService', 'invokeContext'],
};

/**
 * A configuration as anybody is shown it. In place of a secret stands a seal, and of a password in a URL a blank, which
 * can be sent back and is of no use elsewhere: neither the secret nor the envelope that holds it leaves the server.
 * Scripts of the server may decrypt, so they are given envelopes as they are.
 */
export function sealed(id: string, content: JsonObject, showsEnvelopes = false): JsonObject {
  const copy = cloneJson(content);
  for (const pointer of secretPlaces(id, content)) {
    const secret = getAt(content, pointer)!;
    if (!(showsEnvelopes && isObject(secret))) setAt(copy, pointer, standInOf(secret));
  }
  return copy;
}

/**
 * What was sent, with secrets in place of their seals. A secret is kept only while all that is beside it stays: else
 * who changes the host of a server would be sent the password of the old one. The same holds for a reference to a property
 * that is a secret.
 *
 * @throws BadRequestError `CONFIG_SECRET_BOUND`
 */
export function withKeptSecrets(
  id: string,
  given: JsonObject,
  before: JsonObject,
  properties: PropertySource,
): JsonObject {
  const kept = cloneJson(given);
  for (const pointer of secretPlaces(id, given)) {
    const seal = getAt(given, pointer)!;
    if (!isStandIn(seal)) continue;
    const source = secretPlaces(id, before).find(
      (place) =>
        isSamePlace(place, pointer) &&
        equalJson(standInOf(getAt(before, place)!), seal) &&
        isBoundAlike(id, { content: before, pointer: place }, { content: given, pointer }),
    );
    if (source === undefined) throw notKept(pointer);
    setAt(kept, pointer, getAt(before, source)!);
  }
  for (const pointer of secretReferences(given, properties)) {
    const stays =
      getAt(before, pointer) === getAt(given, pointer) &&
      isBoundAlike(id, { content: before, pointer }, { content: given, pointer });
    if (!stays) throw notKept(pointer);
  }
  return kept;
}

/** Members of a list may move. */
function isSamePlace(left: Pointer, right: Pointer): boolean {
  const known = (pointer: Pointer) => formatPointer(pointer).replace(/\/\d+(?=\/|$)/g, '/#');
  return known(left) === known(right);
}

interface Place {
  readonly content: JsonObject;
  readonly pointer: Pointer;
}

function isBoundAlike(id: string, left: Place, right: Place): boolean {
  const name = id.split('/', 1)[0]!;
  const isWhole = BOUND_AS_A_WHOLE.has(name);
  const beside = ({ content, pointer }: Place) => {
    const copy = cloneJson(content);
    for (const place of secretPlaces(id, content)) {
      const standIn = standInOf(getAt(content, place)!);
      // The host of a URL stays to be compared: it is where the other secrets go.
      setAt(copy, place, typeof standIn === 'string' ? standIn : null);
    }
    const members = BOUND_MEMBERS[name]?.map((member) => copy[member] ?? null);
    return members ?? getAt(copy, isWhole ? [] : pointer.slice(0, -1)) ?? null;
  };
  return equalJson(beside(left), beside(right));
}

function notKept(pointer: Pointer): BadRequestError {
  const field = formatPointer(pointer);
  return new BadRequestError(
    `The secret at ${field} is kept only while all that is beside it stays as it is`,
    {
      id: 'CONFIG_SECRET_BOUND',
      field,
      hint: 'Send the secret itself',
    },
  );
}
