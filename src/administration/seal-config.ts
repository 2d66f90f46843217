import { definitionOf, type PropertySource, secretReferences } from '#config/index.ts';
import { isEnvelope, isStandIn, standInOf } from '#crypto/index.ts';
import { BadRequestError } from '#errors/index.ts';
import {
  cloneJson,
  equalJson,
  formatPointer,
  getAt,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  partAt,
  setAt,
} from '#json/index.ts';
import { secretPlaces } from './config-secrets.ts';

/** Configurations in which a secret belongs to all the rest: a script gets it, or the host stands in another member. */
const BOUND_AS_A_WHOLE: ReadonlySet<string> = new Set(['endpoint', 'external.email']);

/** Members to which all secrets of a schedule belong: its script, and what that is given. When it runs may change. */
const BOUND_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  schedule: ['invokeService', 'invokeContext'],
};

/** Configurations in which a secret of a script belongs also to what is beside the script: which requests it is given. */
const BOUND_BESIDE_SCRIPT: ReadonlySet<string> = new Set(['router', 'authentication']);

/**
 * A configuration as anybody is shown it. In place of a secret stands a seal, and of a password in a URL a blank, which
 * can be sent back and is of no use elsewhere: neither the secret nor the envelope that holds it leaves the server.
 * Scripts of the server may decrypt, so they are given envelopes as they are.
 */
export function sealed(id: string, content: JsonObject, showsEnvelopes = false): JsonObject {
  const copy = cloneJson(content);
  for (const pointer of secretPlaces(id, content)) {
    const secret = partAt(content, pointer);
    if (!(showsEnvelopes && isObject(secret))) setAt(copy, pointer, standInOf(secret));
  }
  return copy;
}

/**
 * What was sent, with secrets in place of their seals. A secret is kept only while all that is beside it stays: else
 * who changes the host of a server would be sent the password of the old one. One within a script reference stays with all
 * of that script. The same holds for a reference to a property that is a secret.
 *
 * @param client who sends it; nobody outside of the server has an envelope, so one that comes from there is stolen or made up
 * @throws BadRequestError `CONFIG_SECRET_BOUND`, `CRYPTO_FOREIGN_ENVELOPE`
 */
export function withKeptSecrets(
  id: string,
  given: JsonObject,
  before: JsonObject,
  {
    properties,
    client,
  }: { readonly properties: PropertySource; readonly client: { readonly isExternal: boolean } },
): JsonObject {
  const kept = cloneJson(given);
  for (const pointer of secretPlaces(id, given)) {
    const seal = partAt(given, pointer);
    if (!isStandIn(seal)) {
      if (client.isExternal && isEncryptedValue(seal)) throw foreign(pointer);
      continue;
    }
    const source = secretPlaces(id, before).find(
      (place) =>
        isSamePlace(place, pointer) &&
        equalJson(standInOf(partAt(before, place)), seal) &&
        isBoundAlike(id, { content: before, pointer: place }, { content: given, pointer }),
    );
    if (source === undefined) throw notKept(pointer);
    setAt(kept, pointer, partAt(before, source));
  }
  for (const pointer of secretReferences(given, properties)) {
    const stays =
      equalJson(getAt(before, pointer) ?? null, getAt(given, pointer) ?? null) &&
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
  const name = definitionOf(id);
  const boundTo = ({ content, pointer }: Place) => {
    const copy = cloneJson(content);
    for (const place of secretPlaces(id, content)) {
      const standIn = standInOf(partAt(content, place));
      // The host of a URL stays to be compared: it is where the other secrets go.
      setAt(copy, place, typeof standIn === 'string' ? standIn : null);
    }
    const members = BOUND_MEMBERS[name]?.map((member) => copy[member] ?? null);
    if (members !== undefined) return members;
    if (BOUND_AS_A_WHOLE.has(name)) return copy;
    const owner = ownerOf(name, copy, pointer);
    return [getAt(copy, owner) ?? null, ...namesAbove(copy, owner)];
  };
  return equalJson(boundTo(left), boundTo(right));
}

/** What uses a secret: the outermost script reference around it, since others may be what that is given, or else what is beside it. */
function ownerOf(name: string, content: JsonObject, pointer: Pointer): Pointer {
  const around = pointer.map((_, length) => pointer.slice(0, length));
  const script = around.find((place) => isScriptReference(getAt(content, place)));
  if (script === undefined) return pointer.slice(0, -1);
  return BOUND_BESIDE_SCRIPT.has(name) ? script.slice(0, -1) : script;
}

function isScriptReference(value: JsonValue | undefined): boolean {
  if (!isObject(value) || typeof value['type'] !== 'string') return false;
  return ['source', 'file', 'name'].some((member) => value[member] !== undefined);
}

/** How the members of lists around it are called: a hook of another type is another hook. */
function namesAbove(content: JsonObject, owner: Pointer): JsonValue[] {
  return owner.flatMap((token, at) => {
    const element = /^\d+$/.test(token) ? getAt(content, owner.slice(0, at + 1)) : undefined;
    return isObject(element) ? [element['name'] ?? element['policyId'] ?? null] : [];
  });
}

/** Hashes are no secret that anybody could be shown. */
function isEncryptedValue(value: JsonValue): boolean {
  return isEnvelope(value) && getAt(value, ['$crypto', 'type']) !== 'salted-hash';
}

function foreign(pointer: Pointer): BadRequestError {
  const field = formatPointer(pointer);
  return new BadRequestError(`'${field}' holds an encrypted value that nobody was shown`, {
    id: 'CRYPTO_FOREIGN_ENVELOPE',
    field,
    hint: 'Send the secret itself; the server shows a seal in its place',
  });
}

function notKept(pointer: Pointer): BadRequestError {
  const field = formatPointer(pointer);
  return new BadRequestError(
    `The secret at ${field} is kept only while all that it is used with stays as it is`,
    {
      id: 'CONFIG_SECRET_BOUND',
      field,
      hint: 'Write the secret again',
    },
  );
}
