import { ConflictError } from '#errors/index.ts';
import { isObject, type JsonObject, type Pointer } from '#json/index.ts';
import { type ClientResource, findExternalId, hasPendingName, setExternalId } from '#repo/index.ts';
import {
  type Context,
  formatPath,
  mapInTurns,
  type PatchOperation,
  type QueryResult,
  type ReadRequest,
  type Resource,
  readerOf,
  resource,
  type WriteContext,
  writeContext,
} from '#resource/index.ts';
import { changesTo, newContent, readContent, type Said } from './content.ts';
import { type EdgeChanges, noChanges } from './edge-changes.ts';
import { changeEdges } from './edges.ts';
import { fieldsFor, type Shown } from './fields.ts';
import { patchResource } from './patch.ts';
import { type Parameters, readQuery } from './read-query.ts';
import { represent } from './representation.ts';
import { requireWhole } from './required.ts';
import { type ResourceType, writtenLists } from './resource-type.ts';
import {
  type Ask,
  baseOf,
  clientOf,
  pathOf,
  type ScimPlatform,
  type Scope,
  storedTypeOf,
} from './scim-platform.ts';
import { readSelection, type Selection } from './selection.ts';
import { answersWhole, shownFor } from './shown-on-the-way.ts';
import { contentOf, requireRevision, withReferences } from './stored-resource.ts';

/** One page, as RFC 7644, 3.4.2, and RFC 9865 have it. */
export interface ScimPage extends QueryResult {
  readonly startIndex?: number;
}

/** The resources of one type, for one request. */
export class ScimObjects {
  readonly #scope: Scope;
  readonly #platform: ScimPlatform;
  readonly #context: Context;
  readonly #type: ResourceType;
  readonly #ask: Ask;
  readonly #paths = new Map<string, readonly string[]>();

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#platform = scope.platform;
    this.#context = scope.context;
    this.#type = scope.type;
    this.#ask = scope.ask;
  }

  async read(id: string, parameters: Parameters): Promise<Resource> {
    const selection = readSelection(this.#type, parameters);
    const { stored, externalId } = await this.#loadNamed(id, selection);
    return this.#shown(stored, selection, externalId);
  }

  async query(parameters: Parameters): Promise<ScimPage> {
    const selection = readSelection(this.#type, parameters, this.#scope.schemas);
    const { request, count, startIndex } = await readQuery(this.#scope, parameters);
    const page = await this.#ask.all({ ...request, fields: this.#fields(selection), withTimes: true });
    const rows = count === 0 ? [] : page.result;
    const result = await mapInTurns(rows, (row) => this.#shown(row, selection, row.externalId));
    if (startIndex === undefined)
      return { ...page, result, pagedResultsCookie: count === 0 ? null : page.pagedResultsCookie };
    return { ...page, result, pagedResultsCookie: null, startIndex };
  }

  async create(resource: JsonObject, parameters: Parameters): Promise<Resource> {
    const selection = readSelection(this.#type, parameters);
    requireWhole(this.#type, resource);
    const said = readContent(this.#type, resource);
    const answer = await this.#ask.one({
      method: 'create',
      path: pathOf(this.#type),
      fields: this.#fields(shownFor(this.#type, selection).toWrite),
      nestedFields: true,
      parameters: {},
      newResourceId: null,
      content: newContent(this.#type, said),
      withTimes: true,
    });
    const { externalId = null } = said;
    const id = answer.id ?? '';
    const stored = this.#isWhole(id) ? answer : await this.#load(id, selection);
    await this.#keepExternalId(id, null, externalId);
    return { ...this.#shown(stored, selection, externalId), created: true };
  }

  /** What the client can write and has not named is cleared (RFC 7644, 3.5.1). */
  async replace(
    id: string,
    revision: string | null,
    resource: JsonObject,
    parameters: Parameters,
  ): Promise<Resource> {
    const selection = readSelection(this.#type, parameters);
    requireWhole(this.#type, resource);
    const said = readContent(this.#type, resource);
    const before = await this.#loadToChange(id, revision, 'isHeld', selection);
    const lists = said.references.filter(({ reference }) => reference.isArray);
    const edges = new Map<string, EdgeChanges>(
      lists.map(({ reference: { property }, refs }) => [property, { ...noChanges(), all: refs }]),
    );
    return this.#change(before, said, edges, { keepsFlags: true });
  }

  async patch(
    id: string,
    revision: string | null,
    operations: readonly PatchOperation[],
    parameters: Parameters,
  ): Promise<Resource> {
    const selection = readSelection(this.#type, parameters);
    const before = await this.#loadToChange(id, revision, 'isWritable', selection);
    const shown = this.#represent(before.stored, before.externalId);
    const { resource, edges } = await patchResource(this.#type, shown, operations, this.#context.budget);
    const said = readContent(this.#type, resource);
    // Lists of references are not in the resource that was patched.
    const single = { ...said, references: said.references.filter(({ reference }) => !reference.isArray) };
    const isNamed = parameters['attributes'] !== undefined || parameters['excludedAttributes'] !== undefined;
    // A list that clients write may be long, and is not what was asked for (RFC 7644, 3.5.2).
    return this.#change(before, single, edges, { isAnswered: isNamed || answersWhole(this.#type) });
  }

  /**
   * Removes an object with what only it says of others: a group goes with its members, though a role that somebody
   * has stays.
   */
  async remove(id: string, revision: string | null): Promise<Resource> {
    if (this.#type.isKept) {
      const operation = { operation: 'replace', field: ['active'], value: false } as const;
      return this.patch(id, revision, [operation], { attributes: 'id' });
    }
    const path = pathOf(this.#type, id);
    const lists = this.#ask.isServer ? writtenLists(this.#type) : [];
    const none = { ...noChanges(), all: [] };
    let current =
      lists.length === 0 && revision === null
        ? null
        : requireRevision(this.#type, await this.#load(id, SHOWS_NOTHING), revision);
    for (const { property } of lists) {
      // What that makes of the object is the revision that it is deleted at.
      const changed = await changeEdges(this.#scope, id, property, none);
      if (current !== null) current = changed ?? current;
    }
    const common = { path, fields: [['_id']], parameters: {} };
    return this.#ask.one({ method: 'delete', ...common, revision: current });
  }

  /**
   * Whether a write answers with what a read shows: neither hooks nor filters have a say in that, and what is written without a
   * transaction changes no relationship.
   */
  #isWhole(id: string): boolean {
    if (this.#type.isCalculated || !writeContext(this.#context).unitOfWork.isLight) return false;
    const path = this.#pathOf(id);
    return !this.#platform.router.judgesAnswer({ method: 'read', path, fields: [], parameters: {} });
  }

  /** Reads what is changed, and what the answer shows. */
  async #loadToChange(
    id: string,
    revision: string | null,
    isNeeded: 'isHeld' | 'isWritable',
    selection: Selection,
  ): Promise<Before> {
    const { stored, externalId } = await this.#loadNamed(
      id,
      shownFor(this.#type, selection)[isNeeded],
      SHOWS_ALL,
      { toChange: true },
    );
    const isComplete = answersWhole(this.#type);
    const required = requireRevision(this.#type, stored, revision);
    return { stored, externalId, revision: required, isComplete, selection };
  }

  async #change(
    { stored, externalId, revision, isComplete, selection }: Before,
    said: Said,
    edges: ReadonlyMap<string, EdgeChanges>,
    { keepsFlags = false, isAnswered = true }: { keepsFlags?: boolean; isAnswered?: boolean } = {},
  ): Promise<Resource> {
    const id = stored.id ?? '';
    const operations = changesTo(contentOf(stored), said, { keepsFlags });
    const answer =
      operations.length === 0
        ? stored
        : await this.#ask.one({
            method: 'patch',
            path: this.#pathOf(id),
            fields: this.#fields(shownFor(this.#type, selection).toWrite),
            nestedFields: true,
            parameters: {},
            revision,
            // Where somebody else was faster, all of it is done again with what they have made.
            judgedAt: stored.revision,
            operations,
            withTimes: true,
          });
    let { revision: now } = answer;
    for (const [property, changes] of edges)
      now = (await changeEdges(this.#scope, id, property, changes)) ?? now;
    const { externalId: name = externalId } = said;
    if (!isAnswered) {
      await this.#keepExternalId(id, externalId, name);
      return { ...resource(id, now, {}), fieldsSelected: true };
    }
    const isKnown = isComplete && edges.size === 0 && (answer === stored || this.#isWhole(id));
    const shown = isKnown ? withReferences(this.#type, answer, stored) : await this.#load(id, selection);
    await this.#keepExternalId(id, externalId, name);
    return this.#shown(shown, selection, name);
  }

  async #keepExternalId(id: string, before: string | null, externalId: string | null): Promise<void> {
    if (before === externalId) return;
    const { unitOfWork }: WriteContext = writeContext(this.#context);
    if (!(await setExternalId(unitOfWork, this.#clientResource(id), externalId))) {
      throw new ConflictError(`Another ${this.#type.name} has the externalId '${externalId}' already`, {
        id: 'SCIM_NOT_UNIQUE',
        field: '/externalId',
      });
    }
    const { endpoint } = this.#type;
    unitOfWork.record({
      resource: formatPath(['scim', endpoint, id]),
      operation: 'update',
      isPatch: true,
      before: before === null ? {} : { externalId: before },
      after: externalId === null ? {} : { externalId },
      owner: clientOf(this.#context),
    });
  }

  /** Loads an object with the client's name for it, if that is shown; by one statement where nothing else is asked for. */
  async #loadNamed(
    id: string,
    selection: Shown,
    named: Pick<Selection, 'shows'> = selection,
    how: Pick<ReadRequest, 'toChange'> = {},
  ): Promise<Pick<Before, 'stored' | 'externalId'>> {
    if (!this.#showsExternalId(named)) {
      return { stored: await this.#load(id, selection, how), externalId: null };
    }
    const { unitOfWork } = this.#context;
    const mayBeStale = unitOfWork !== null && hasPendingName(unitOfWork);
    const knownTo = mayBeStale ? {} : { knownTo: clientOf(this.#context) };
    const stored = await this.#load(id, selection, { ...how, ...knownTo });
    if (stored.externalId !== undefined) return { stored, externalId: stored.externalId };
    const db = await readerOf(this.#platform, this.#context);
    return { stored, externalId: await findExternalId(db, this.#clientResource(id)) };
  }

  async #load(
    id: string,
    selection: Shown,
    how: Pick<ReadRequest, 'knownTo' | 'toChange'> = {},
  ): Promise<Resource> {
    return this.#ask.one({
      method: 'read',
      path: this.#pathOf(id),
      fields: this.#fields(selection),
      nestedFields: true,
      parameters: {},
      withTimes: true,
      ...how,
    });
  }

  /** What is known of the way to a resource is known of this one list. */
  #pathOf(id: string): readonly string[] {
    const path = this.#paths.get(id) ?? pathOf(this.#type, id);
    this.#paths.set(id, path);
    return path;
  }

  #shown(stored: Resource, selection: Selection, externalId: string | null = null): Resource {
    return {
      kind: 'resource',
      id: stored.id,
      revision: stored.revision,
      content: selection.select(this.#represent(stored, externalId)),
      fieldsSelected: true,
    };
  }

  #represent({ id, revision, content, times }: Resource, externalId: string | null): JsonObject {
    return represent(
      this.#type,
      {
        id: id ?? '',
        revision: revision ?? '',
        content: isObject(content) ? content : {},
        ...(externalId === null ? {} : { externalId }),
        ...(times === undefined ? {} : { times }),
      },
      { types: this.#platform.types(), base: baseOf(this.#context) },
    );
  }

  #showsExternalId({ shows }: Pick<Selection, 'shows'>): boolean {
    return this.#type.attributes.some((one) => one.binding.kind === 'externalId' && shows(one));
  }

  #clientResource(id: string): ClientResource {
    return { client: clientOf(this.#context), type: storedTypeOf(this.#type), id };
  }

  #fields(shown: Shown): readonly Pointer[] {
    return fieldsFor(this.#type, this.#platform.types(), shown);
  }
}

const SHOWS_ALL: Pick<Selection, 'shows'> = { shows: () => true };
const SHOWS_NOTHING: Shown = { shows: () => false, showsPart: () => false };

/** A resource as it is before a change. */
interface Before {
  readonly stored: Resource;
  readonly externalId: string | null;
  /** The revision that the client has named. */
  readonly revision: string | null;
  /** Whether all that the answer shows has been read. */
  readonly isComplete: boolean;
  readonly selection: Selection;
}
