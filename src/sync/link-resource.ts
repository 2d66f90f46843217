import { randomUUID } from 'node:crypto';
import { type Database, isTaken } from '#database/index.ts';
import {
  BadRequestError,
  ConflictError,
  didYouMean,
  NotFoundError,
  PreconditionFailedError,
} from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  bodyOf,
  type Context,
  collection,
  dbOf,
  NO_BODY,
  questionReaderOf,
  type Resource,
  type RouteHandler,
  readerOf,
  requireSameId,
  resource,
  type WriteContext,
} from '#resource/index.ts';
import {
  deleteLink,
  deleteLinksOfType,
  findLinkById,
  insertLink,
  type LinkRow,
  type NewLink,
  queryLinks,
  updateLink,
} from './link-repository.ts';
import { endsOf, sideOf } from './linked-pair.ts';
import type { LinkType } from './mapping.ts';
import type { Mappings } from './mappings.ts';
import type { SyncPlatform } from './stage.ts';

export interface LinkPlatform extends Pick<SyncPlatform, 'requireAccount'> {
  readonly database: Database;
  readonly mappings: Mappings;
}

const MEMBERS = ['linkType', 'linkQualifier', 'firstId', 'secondId'];
/** What the server says of one itself; it may come back. */
const OF_THE_SERVER = ['_id', '_rev'];
const LONGEST_ID = 1_000;

/** `/repo/link`: which objects belong together. Wrong ones are mended here. */
export function linkResource(platform: LinkPlatform): RouteHandler {
  async function find(context: Context, id: string): Promise<LinkRow> {
    const found = await findLinkById(await readerOf(platform, context), id);
    if (found === undefined) throw new NotFoundError(`There is no link '${id}'`);
    return found;
  }

  async function findForChange(context: WriteContext, id: string, revision: string | null): Promise<LinkRow> {
    const found = await find(context, id);
    if (revision !== null && revision !== String(found.rev)) throw otherRevision(id, found.rev);
    return found;
  }

  return collection({
    description: { title: 'link' },
    read: async (context, _request, id) => toResource(await find(context, id)),
    async query(context, request) {
      return pageResult(
        await queryLinks(await questionReaderOf(platform, context), request),
        ({ id }) => id,
        toResource,
      );
    },
    async create(context, { newResourceId, content }) {
      const id = newResourceId ?? randomUUID();
      requireSameId(content, id);
      const link = readLink(platform, id, content);
      await requireEnds(platform, context, link);
      const made = await insertLink(await dbOf(platform, context), link);
      if (made === undefined) throw taken(link);
      record(context, 'create', null, made);
      return { ...toResource(made), created: true };
    },
    async update(context, { content, revision }, id) {
      const before = await findForChange(context, id, revision);
      requireSameId(content, id);
      const link = readLink(platform, id, content);
      await requireEnds(platform, context, link);
      const db = await dbOf(platform, context);
      const after = await updateLink(db, link, before.rev).catch((error: unknown) => {
        throw isTaken(error) ? taken(link) : error;
      });
      if (after === undefined) throw otherRevision(id, before.rev + 1);
      record(context, 'update', before, after);
      return toResource(after);
    },
    async delete(context, { revision }, id) {
      const before = await findForChange(context, id, revision);
      if (!(await deleteLink(await dbOf(platform, context), id, before.rev))) {
        throw otherRevision(id, before.rev + 1);
      }
      record(context, 'delete', before, null);
      return toResource(before);
    },
    collectionActions: new ActionTable({
      command: {
        does: 'Deletes all links of a `mapping` (or of that type of links), by the `commandId` that clients of the field send: `delete-mapping-links`',
        takes: NO_BODY,
        answers: bodyOf({ linkType: { type: 'string' }, deleted: { type: 'integer' } }, 'deleted'),
        run: async (context, request) => actionResult(await deleteLinksOf(platform, context, request)),
      },
    }),
    exists: async (context, id) => (await findLinkById(await readerOf(platform, context), id)) !== undefined,
  });
}

/** A mapping writes what a link leads to, with the rights of the server: a caller leads it to no account that is stronger. */
async function requireEnds(
  { mappings, requireAccount }: LinkPlatform,
  context: WriteContext,
  link: NewLink,
): Promise<void> {
  for (const mapping of mappings.active) {
    if (mapping.linkType.name !== link.linkType) continue;
    const side = sideOf(mapping.linkType, 'target');
    await requireAccount(context, { collection: mapping.target, id: link[side].id }, `/${side}Id`);
  }
}

const DELETE_LINKS = 'delete-mapping-links';

/** @throws BadRequestError `SYNC_BAD_LINK` */
async function deleteLinksOf(
  platform: LinkPlatform,
  context: WriteContext,
  { parameters }: ActionRequest,
): Promise<JsonObject> {
  const { commandId = '', mapping: name = '' } = parameters;
  if (commandId !== DELETE_LINKS) {
    throw bad(
      'commandId',
      `There is no command '${commandId}'`,
      `Say commandId=${DELETE_LINKS}&mapping=<name>`,
    );
  }
  const known = platform.mappings.active.find((each) => each.name === name || each.linkType.name === name);
  if (known === undefined) {
    const names = platform.mappings.active.map((each) => each.name);
    const hint = didYouMean(name, names) ?? `There are ${names.join(', ') || 'none'}`;
    throw bad('mapping', `There is no mapping '${name}'`, hint);
  }
  const linkType = known.linkType.name;
  const deleted = await deleteLinksOfType(await dbOf(platform, context), linkType);
  const before = { linkType, links: deleted };
  context.unitOfWork.record({ resource: 'repo/link', operation: 'delete', before, after: null });
  return { linkType, deleted };
}

/** @throws BadRequestError `SYNC_BAD_LINK` */
function readLink({ mappings }: LinkPlatform, id: string, content: JsonObject): NewLink {
  for (const name of Object.keys(content)) {
    if (MEMBERS.includes(name) || OF_THE_SERVER.includes(name)) continue;
    throw bad(
      name,
      `A link has no '${name}'`,
      didYouMean(name, MEMBERS) ?? `There are ${MEMBERS.join(', ')}`,
    );
  }
  const text = (name: string, otherwise?: string): string => {
    const value = content[name] ?? otherwise;
    if (typeof value === 'string' && value !== '' && value.length <= LONGEST_ID) return value;
    throw bad(name, `'${name}' of a link must be a text of 1 to ${LONGEST_ID} characters`, 'Such as an id');
  };
  const linkType = text('linkType');
  const types = new Map(mappings.active.map((mapping) => [mapping.linkType.name, mapping.linkType]));
  const type: LinkType | undefined = types.get(linkType);
  if (type === undefined) {
    const hint = didYouMean(linkType, types.keys()) ?? `There are ${[...types.keys()].join(', ') || 'none'}`;
    throw bad('linkType', `No mapping has links of the type '${linkType}'`, hint);
  }
  return {
    id,
    linkType,
    qualifier: text('linkQualifier', 'default'),
    ...endsOf(type, text('firstId'), text('secondId')),
  };
}

function bad(name: string, message: string, hint: string): BadRequestError {
  return new BadRequestError(message, { id: 'SYNC_BAD_LINK', field: `/${name}`, hint });
}

function taken({ linkType, qualifier, first, second }: NewLink): ConflictError {
  return new ConflictError(
    `There is a link of '${first.id}' or '${second.id}' already, of the type '${linkType}' and the qualifier '${qualifier}'`,
    { id: 'SYNC_LINK_TAKEN', hint: 'Query repo/link by firstId and secondId, and delete the wrong one' },
  );
}

function otherRevision(id: string, rev: number): PreconditionFailedError {
  return new PreconditionFailedError(`The link '${id}' has changed`, {
    id: 'OBJECT_REVISION',
    hint: `Read it again: it is at revision '${rev}' now`,
  });
}

function record(
  { unitOfWork }: WriteContext,
  operation: 'create' | 'update' | 'delete',
  before: LinkRow | null,
  after: LinkRow | null,
): void {
  const id = (after ?? before)?.id ?? '';
  unitOfWork.record({ resource: `repo/link/${id}`, operation, before: told(before), after: told(after) });
}

function told(row: LinkRow | null): JsonObject | null {
  return row && { _id: row.id, _rev: String(row.rev), ...contentOf(row) };
}

function contentOf({ link_type, qualifier, first_id, second_id }: LinkRow): JsonObject {
  return { linkType: link_type, linkQualifier: qualifier, firstId: first_id, secondId: second_id };
}

function toResource(row: LinkRow): Resource {
  return resource(row.id, String(row.rev), contentOf(row));
}
