import { BadRequestError, ConflictError, PreconditionFailedError, UnauthorizedError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  type CollectionProvider,
  type Context,
  formatPath,
  type Resource,
  requireSameId,
  resource,
  type WriteContext,
} from '#resource/index.ts';
import type { AttributeDelta } from './contract.ts';
import { attributesOf, deltasOfContent, deltasOfPatch } from './deltas.ts';
import { AUTHENTICATE, FOLLOWS } from './describe-object-type.ts';
import { type LiveSync, liveSyncActions, liveSyncOptions } from './live-sync.ts';
import type { SystemObjectType } from './object-type.ts';
import { objectOf } from './property-value.ts';
import { attributesFor, queryObjects, wantedBy } from './query-objects.ts';
import { revisionOf } from './revision-of.ts';
import { notFoundThere, type System } from './system.ts';

type Fields = Parameters<typeof wantedBy>[0];

/**
 * Objects of one kind of a system. What is written there is not taken back by a unit of work that fails later, and stays undone in a
 * rehearsal, which says what would be written.
 */
export function systemObjects(
  system: System,
  type: SystemObjectType,
  liveSync: LiveSync,
): CollectionProvider {
  const place = `system/${system.name}/${type.name}`;
  const find = async (context: Context, id: string, fields: Fields): Promise<JsonObject | undefined> => {
    const isWanted = wantedBy(fields);
    const entry = await system.find(type, id, attributesFor(type, isWanted), context.signal);
    return entry && objectOf(system.crypto, type, entry, isWanted);
  };
  const get = async (context: Context, id: string, fields: Fields = []): Promise<JsonObject> => {
    const object = await find(context, id, fields);
    if (object === undefined) throw notFoundThere(system.name, type.name, id);
    return object;
  };
  /** The object as it was read just now, if that is what the caller wants to change. */
  const required = async (context: Context, id: string, revision: string | null): Promise<JsonObject> => {
    const before = await get(context, id);
    const now = revisionOf(type, before);
    if (revision === null || revision === now) return before;
    throw new PreconditionFailedError(`Revision '${revision}' of '${place}/${id}' is not the current one`, {
      id: 'OBJECT_REVISION',
      hint: `Read it again: it is at revision '${now}' now`,
      detail: { revision: now },
    });
  };
  const shown = (object: JsonObject, fields: Fields): Resource => {
    const { _id, ...content } = object;
    const isWhole = fields.length === 0 || fields.some(([name = '*']) => name === '*');
    return resource(String(_id), isWhole ? revisionOf(type, object) : null, content);
  };
  /** What is written is told to the audit, and to whoever rehearses. */
  const change = async (
    context: WriteContext,
    id: string,
    deltas: readonly AttributeDelta[],
    {
      isPatch,
      fields,
      revision,
    }: { readonly isPatch: boolean; readonly fields: Fields; readonly revision: string | null },
  ): Promise<Resource> => {
    const before = await required(context, id, revision);
    if (context.rehearsed === true) {
      const after = { ...before, ...wouldBe(type, deltas) };
      context.unitOfWork.record({ resource: pathOf(place, id), operation: 'update', isPatch, before, after });
      return shown(after, fields);
    }
    const now = await system.update(type, id, deltas, context.signal);
    const after = (await find(context, now, fields)) ?? { ...before, _id: now };
    if (deltas.length > 0) {
      context.unitOfWork.record({
        resource: pathOf(place, now),
        operation: 'update',
        isPatch,
        before,
        after,
      });
    }
    return shown(after, fields);
  };
  return {
    async create(context, { newResourceId, content, fields, parameters }) {
      if (newResourceId !== null) {
        throw new BadRequestError('Create with client provided ID is not supported.', {
          id: 'SYSTEM_ID_GIVEN',
          field: '/_id',
          hint: `Another system makes up its ids: POST to ${place}?_action=create, and change an object by the id that it has`,
        });
      }
      const attributes = await attributesOf(system.crypto, type, content);
      const record = (id: string, after: JsonObject) =>
        context.unitOfWork.record({ resource: pathOf(place, id), operation: 'create', before: null, after });
      if (context.rehearsed === true) {
        const after = { ...readable(type, content), _id: '…' };
        record('…', after);
        return shown(after, fields);
      }
      const isDoubtful = parameters['isRepeated'] === 'true';
      if (isDoubtful && (await system.createIsBlind(type, attributes, context.signal)))
        throw unknownOutcome(place);
      const id = await system.create(type, attributes, context.signal);
      const after = (await find(context, id, fields)) ?? { ...readable(type, content), _id: id };
      record(id, after);
      return shown(after, fields);
    },
    read: async (context, { fields }, id) => shown(await get(context, id, fields), fields),
    async update(context, { content, fields, revision }, id) {
      requireSameId(content, id);
      const deltas = await deltasOfContent(system.crypto, type, content);
      return change(context, id, deltas, { isPatch: false, fields, revision });
    },
    async patch(context, { operations, fields, revision }, id) {
      const deltas = await deltasOfPatch(system.crypto, type, operations);
      return change(context, id, deltas, { isPatch: true, fields, revision });
    },
    async delete(context, { fields, revision }, id) {
      const before =
        revision === null ? await get(context, id, fields) : await required(context, id, revision);
      if (context.rehearsed !== true) await system.delete(type, id, context.signal);
      context.unitOfWork.record({ resource: pathOf(place, id), operation: 'delete', before, after: null });
      return shown(before, fields);
    },
    exists: async (context, id) => (await find(context, id, [['_id']])) !== undefined,
    query: (context, request) => queryObjects(system, type, request, context.signal),
    collectionActions: new ActionTable(
      {
        ...liveSyncActions(FOLLOWS, (context, request) =>
          liveSync(context, { system: system.name, type: type.name, ...liveSyncOptions(request) }),
        ),
        authenticate: {
          ...AUTHENTICATE,
          run: async (context, request) => {
            const [name, password] = [credential(request, 'username'), credential(request, 'password')];
            const _id = await system.authenticate(type, name, password, context.signal);
            return actionResult({ _id });
          },
        },
      },
      { anyCase: true },
    ),
  };
}

/** It was asked for before, and has come to nobody knows what. */
function unknownOutcome(place: string): ConflictError {
  return new ConflictError(`Nobody knows whether it was made: '${place}' would make another one`, {
    id: 'SYSTEM_OUTCOME_UNKNOWN',
    hint: 'Look there: link the one that was made (svc link add), or have it made anew (svc queue drop, then svc sync once); a correlationQuery of the mapping finds it by itself',
  });
}

function credential({ parameters, content }: ActionRequest, name: string): string {
  const given: JsonValue = isObject(content) ? (content[name] ?? null) : null;
  const value = typeof given === 'string' ? given : (parameters[name] ?? '');
  // Many directories take a login without a password for one by nobody, and say yes.
  if (value !== '') return value;
  throw new UnauthorizedError(`'${name}' is missing`, {
    id: 'SYSTEM_INVALID_CREDENTIALS',
    field: `/${name}`,
  });
}

function pathOf(place: string, id: string): string {
  return `${place}/${formatPath([id])}`;
}

function readable({ properties }: SystemObjectType, content: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(content).filter(([name]) => properties.get(name)?.isReadable === true),
  );
}

/** Names of what would change; what it would come to only the other system knows. */
function wouldBe({ properties }: SystemObjectType, deltas: readonly AttributeDelta[]): JsonObject {
  const byNative = new Map([...properties.values()].map((one) => [one.native, one]));
  return Object.fromEntries(
    deltas.flatMap((delta) => {
      const property = byNative.get(delta.name);
      if (property?.isReadable !== true) return [];
      const values = 'replace' in delta ? delta.replace : delta.add;
      const texts = values.map((value) =>
        typeof value === 'number' || typeof value === 'boolean' ? value : String(value),
      );
      return [[property.name, property.isMultiValued ? texts : (texts[0] ?? null)]];
    }),
  );
}
