import { ConflictError, PreconditionFailedError } from '#errors/index.ts';
import { isObject, type JsonObject, type Pointer } from '#json/index.ts';
import {
  type Context,
  dbOf,
  mapInTurns,
  type PatchOperation,
  type QueryResult,
  type Resource,
  readerOf,
} from '#resource/index.ts';
import { changesTo, newContent, readContent, type Said } from './content.ts';
import { changeEdges } from './edges.ts';
import { findFacts, setExternalId } from './object-repository.ts';
import { type EdgeChanges, patchResource } from './patch.ts';
import { type Parameters, readQuery } from './read-query.ts';
import { nameOf, represent } from './representation.ts';
import type { Attribute, ResourceType } from './resource-type.ts';
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

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#platform = scope.platform;
    this.#context = scope.context;
    this.#type = scope.type;
    this.#ask = scope.ask;
  }

  async read(id: string, parameters: Parameters): Promise<Resource> {
    const selection = readSelection(this.#type, parameters);
    return this.#show(await this.#load(id, selection), selection);
  }

  async query(parameters: Parameters): Promise<ScimPage> {
    const selection = readSelection(this.#type, parameters);
    const { request, count, startIndex } = await readQuery(this.#scope, parameters);
    const page = await this.#ask.all({ ...request, fields: this.#fields(selection) });
    const rows = count === 0 ? [] : page.result;
    const facts = await this.#facts(rows.map(({ id }) => id ?? ''));
    const result = await mapInTurns(rows, (row) => this.#shown(row, selection, facts));
    if (startIndex === undefined)
      return { ...page, result, pagedResultsCookie: count === 0 ? null : page.pagedResultsCookie };
    return { ...page, result, pagedResultsCookie: null, startIndex };
  }

  async create(resource: JsonObject, parameters: Parameters): Promise<Resource> {
    const selection = readSelection(this.#type, parameters);
    const said = readContent(this.#type, resource);
    const answer = await this.#ask.one({
      method: 'create',
      path: pathOf(this.#type),
      fields: this.#fields(selection),
      nestedFields: true,
      parameters: {},
      newResourceId: null,
      content: newContent(this.#type, said),
    });
    await this.#keepExternalId(answer.id ?? '', said);
    return { ...(await this.#show(answer, selection)), created: true };
  }

  /** What the client can write and has not named is cleared (RFC 7644, 3.5.1). */
  async replace(
    id: string,
    revision: string | null,
    resource: JsonObject,
    parameters: Parameters,
  ): Promise<Resource> {
    const said = readContent(this.#type, resource);
    const isHeld = ({ binding, returned }: Attribute) =>
      returned !== 'never' && !(binding.kind === 'reference' && binding.isArray);
    const stored = await this.#load(id, valuesOf(isHeld));
    this.#requireRevision(stored, revision);
    const lists = said.references.filter(({ reference }) => reference.isArray);
    const edges = new Map<string, EdgeChanges>(
      lists.map(({ reference: { property }, refs }) => [
        property,
        { all: refs, added: new Set<string>(), removed: new Set<string>() },
      ]),
    );
    return this.#change(stored, revision, said, edges, parameters, true);
  }

  async patch(
    id: string,
    revision: string | null,
    operations: readonly PatchOperation[],
    parameters: Parameters,
  ): Promise<Resource> {
    const isWritable = ({ binding, mutability, returned }: Attribute) =>
      mutability !== 'readOnly' && returned !== 'never' && !(binding.kind === 'reference' && binding.isArray);
    const stored = await this.#load(id, valuesOf(isWritable));
    this.#requireRevision(stored, revision);
    const facts = await this.#facts([id]);
    const before = this.#represent(stored, facts);
    const { resource, edges } = await patchResource(this.#type, before, operations, this.#context.budget);
    const said = readContent(this.#type, resource);
    // Lists of references are not in the resource that was patched.
    const single = { ...said, references: said.references.filter(({ reference }) => !reference.isArray) };
    return this.#change(stored, revision, single, edges, parameters);
  }

  async remove(id: string, revision: string | null): Promise<Resource> {
    const path = pathOf(this.#type, id);
    return await this.#ask.one({ method: 'delete', path, fields: [['_id']], parameters: {}, revision });
  }

  async #change(
    stored: Resource,
    revision: string | null,
    said: Said,
    edges: ReadonlyMap<string, EdgeChanges>,
    parameters: Parameters,
    keepsFlags = false,
  ): Promise<Resource> {
    const selection = readSelection(this.#type, parameters);
    const id = stored.id ?? '';
    const operations = changesTo(contentOf(stored), said, { keepsFlags });
    if (operations.length > 0) {
      const path = pathOf(this.#type, id);
      // Where somebody else was faster, all of it is done again with what they have made.
      const judgedAt = stored.revision;
      await this.#ask.one({
        method: 'patch',
        path,
        fields: [['_id']],
        parameters: {},
        revision,
        judgedAt,
        operations,
      });
    }
    for (const [property, changes] of edges) await changeEdges(this.#scope, id, property, changes);
    await this.#keepExternalId(id, said);
    return this.#show(await this.#load(id, selection), selection);
  }

  async #keepExternalId(id: string, { externalId }: Said): Promise<void> {
    if (externalId === undefined) return;
    const db = await dbOf(this.#platform, this.#context);
    const key = { client: clientOf(this.#context), type: storedTypeOf(this.#type), id };
    if (await setExternalId(db, key, externalId)) return;
    throw new ConflictError(`Another ${this.#type.name} has the externalId '${externalId}' already`, {
      id: 'SCIM_NOT_UNIQUE',
      field: '/externalId',
    });
  }

  async #load(id: string, selection: Shown): Promise<Resource> {
    const fields = this.#fields(selection);
    const answer = await this.#ask.one({
      method: 'read',
      path: pathOf(this.#type, id),
      fields,
      nestedFields: true,
      parameters: {},
    });
    return answer;
  }

  async #show(stored: Resource, selection: Selection): Promise<Resource> {
    return this.#shown(stored, selection, await this.#facts([stored.id ?? '']));
  }

  #shown(stored: Resource, selection: Selection, facts: Awaited<ReturnType<typeof findFacts>>): Resource {
    return {
      kind: 'resource',
      id: stored.id,
      revision: stored.revision,
      content: selection.select(this.#represent(stored, facts)),
      fieldsSelected: true,
    };
  }

  #represent({ id, revision, content }: Resource, facts: Awaited<ReturnType<typeof findFacts>>): JsonObject {
    const { externalId = null, created, lastModified } = facts.get(id ?? '') ?? {};
    return represent(
      this.#type,
      {
        id: id ?? '',
        revision: revision ?? '',
        content: isObject(content) ? content : {},
        ...(externalId === null ? {} : { externalId }),
        ...(created === undefined ? {} : { created }),
        ...(lastModified === undefined ? {} : { lastModified }),
      },
      { types: this.#platform.types(), base: baseOf(this.#context) },
    );
  }

  async #facts(ids: readonly string[]) {
    const db = await readerOf(this.#platform, this.#context);
    return findFacts(db, clientOf(this.#context), storedTypeOf(this.#type), ids);
  }

  #requireRevision({ id, revision }: Resource, wanted: string | null): void {
    if (wanted === null || wanted === revision) return;
    throw new PreconditionFailedError(
      `Revision '${wanted}' of the ${this.#type.name} '${id}' is not the current one`,
      {
        id: 'OBJECT_REVISION',
        hint: `Read it again: it is at revision '${revision}' now`,
      },
    );
  }

  /** What has to be read for these attributes; of a reference to one, its name as well. */
  #fields({ shows, showsPart }: Shown): readonly Pointer[] {
    const fields = new Set<string>(['_id', '_rev']);
    const deep: Pointer[] = [];
    for (const attribute of this.#type.attributes.filter(shows)) {
      const { binding } = attribute;
      if (binding.kind === 'property') fields.add(binding.pointer[0] ?? '');
      if (binding.kind === 'parts') {
        for (const { property } of attribute.subAttributes)
          if (property !== undefined) fields.add(property.pointer[0] ?? '');
      }
      if (binding.kind === 'elements') {
        for (const { parts } of binding.elements)
          for (const { pointer } of parts.values()) fields.add(pointer[0] ?? '');
      }
      if (binding.kind === 'reference') {
        const isNamed = showsPart(attribute, binding.isArray ? 'display' : 'displayName');
        const target = this.#platform
          .types()
          .find(({ collection }) => binding.collections.includes(collection));
        const name = isNamed && target !== undefined ? nameOf(target) : undefined;
        if (name === undefined) fields.add(binding.property);
        else deep.push([binding.property, ...name]);
      }
    }
    return [...[...fields].map((name) => [name]), ...deep];
  }
}

type Shown = Pick<Selection, 'shows' | 'showsPart'>;

/** Nothing of other objects. */
function valuesOf(shows: Selection['shows']): Shown {
  return { shows, showsPart: () => false };
}

function contentOf({ content }: Resource): JsonObject {
  return isObject(content) ? content : {};
}
