import { randomUUID } from 'node:crypto';
import { BadRequestError, ForbiddenError, NotFoundError, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type Context,
  collection,
  dbOf,
  formatPath,
  questionReaderOf,
  type Resource,
  type RouteHandler,
  readerOf,
  requireSameId,
  resource,
  type WriteContext,
} from '#resource/index.ts';
import { type ItemKind, readItem, requireName, rolesOf, VIEW } from './item-kind.ts';
import {
  deleteItem,
  findItem,
  type ItemRow,
  insertItem,
  queryItems,
  type Seer,
  updateItem,
} from './item-repository.ts';
import { type ItemPlatform, requireRoom } from './require-room.ts';

/** `/preference`, `/view` or `/draft`: what the caller keeps, and the views that are shared with it. */
export function itemResource(platform: ItemPlatform, kind: ItemKind): RouteHandler {
  const isView = kind === VIEW;

  async function find(context: Context, id: string): Promise<ItemRow> {
    const db = await readerOf(platform, context);
    const found = await findItem(db, kind, await seerOf(platform, context), id);
    if (found === undefined) throw new NotFoundError(`There is no ${kind.name} '${id}'`);
    return found;
  }

  /** Others see a shared view, and only administrators change it. */
  async function findForChange(context: WriteContext, id: string, revision: string | null): Promise<ItemRow> {
    const found = await find(context, id);
    if (found.owner !== pathOf(context) && !(await platform.router.maySeeScripts(context))) {
      throw new ForbiddenError('Access denied', {
        id: 'ACCESS_DENIED',
        hint: 'Only its owner changes a view',
      });
    }
    if (revision !== null && revision !== String(found.rev)) throw otherRevision(kind, id, found.rev);
    return found;
  }

  return collection({
    description: { title: kind.name },
    read: async (_context, _request, id) => toResource(await find(_context, id)),
    async query(context, request) {
      const page = await queryItems(
        await questionReaderOf(platform, context),
        kind,
        await seerOf(platform, context),
        request,
      );
      return pageResult(page, ({ id }) => id, toResource);
    },
    async create(context, { newResourceId, content }) {
      const id = newResourceId ?? (isView ? randomUUID() : null);
      if (id === null) throw needsName(kind);
      if (isView && newResourceId !== null) throw needsNoId(newResourceId);
      requireName(kind, id);
      if (!isView) requireSameId(content, id);
      const data = readItem(kind, id, content);
      await requireOwnRoles(platform, context, data);
      const db = await dbOf(platform, context);
      const item = { id, owner: pathOf(context), data, roles: rolesOf(data) };
      await requireRoom(platform, context, kind, item);
      const made = await insertItem(db, kind, item);
      if (made === undefined) throw exists(kind, id);
      record(context, kind, made, null, data);
      return { ...toResource(made), created: true };
    },
    async update(context, { content, revision }, id) {
      const before = await findForChange(context, id, revision);
      requireSameId(content, id);
      const data = readItem(kind, id, content);
      await requireOwnRoles(platform, context, data);
      const db = await dbOf(platform, context);
      const item = { id, owner: before.owner, data, roles: rolesOf(data) };
      await requireRoom(platform, context, kind, item, rolesOf(before.data));
      const after = await updateItem(db, kind, item, before.rev);
      if (after === undefined) throw otherRevision(kind, id, before.rev + 1);
      record(context, kind, before, before.data, data);
      return toResource(after);
    },
    async delete(context, { revision }, id) {
      const before = await findForChange(context, id, revision);
      if (!(await deleteItem(await dbOf(platform, context), kind, before))) {
        throw otherRevision(kind, id, before.rev + 1);
      }
      record(context, kind, before, before.data, null);
      return toResource(before);
    },
    // The server gives views their ids, so that a PUT creates none.
    exists: async (context, id) =>
      isView ||
      (await findItem(await readerOf(platform, context), kind, await seerOf(platform, context), id)) !==
        undefined,
  });
}

function pathOf({ security }: Context): string {
  const { component, id } = security.authorization;
  return `${component}/${id}`;
}

async function seerOf({ router }: ItemPlatform, context: Context): Promise<Seer> {
  const { roles } = context.security.authorization;
  return { path: pathOf(context), roles, seesAll: await router.maySeeScripts(context) };
}

/** Views are shared with roles that one has oneself; else anybody could put something before the eyes of everybody. */
async function requireOwnRoles({ router }: ItemPlatform, context: Context, data: JsonObject): Promise<void> {
  const own = context.security.authorization.roles;
  const foreign = rolesOf(data).find((role) => !own.includes(role));
  if (foreign === undefined || (await router.maySeeScripts(context))) return;
  throw new ForbiddenError(`A view is shared with roles of its owner, and '${foreign}' is none`, {
    id: 'PERSONAL_FOREIGN_ROLE',
    field: '/roles',
    hint: `Your roles are ${own.join(', ')}`,
  });
}

function exists(kind: ItemKind, id: string): PreconditionFailedError {
  return new PreconditionFailedError(`The ${kind.name} '${id}' exists already`, { id: 'OBJECT_EXISTS' });
}

function needsName({ name }: ItemKind): BadRequestError {
  return new BadRequestError(`A ${name} needs a name`, {
    id: 'PERSONAL_BAD_NAME',
    hint: `PUT it to /${name}/<name>`,
  });
}

function needsNoId(id: string): BadRequestError {
  return new BadRequestError(`The server gives views their ids, and takes no '${id}'`, {
    id: 'PERSONAL_BAD_NAME',
    hint: 'POST it to /view',
  });
}

function otherRevision({ name }: ItemKind, id: string, rev: number): PreconditionFailedError {
  return new PreconditionFailedError(`The ${name} '${id}' has changed`, {
    id: 'OBJECT_REVISION',
    hint: `Read it again: it is at revision '${rev}' now`,
  });
}

/** A draft may hold what was never meant to be stored, so that only its writing is told. */
function record(
  { unitOfWork }: WriteContext,
  kind: ItemKind,
  { id, owner }: ItemRow,
  before: JsonObject | null,
  after: JsonObject | null,
): void {
  const privates: ReadonlySet<string> = new Set(kind.name === 'draft' ? ['value'] : []);
  const told = (data: JsonObject | null) =>
    data && Object.fromEntries(Object.entries(data).filter(([name]) => !privates.has(name)));
  const operation = before === null ? 'create' : after === null ? 'delete' : 'update';
  unitOfWork.record({
    resource: formatPath([kind.name, id]),
    operation,
    owner,
    before: told(before),
    after: told(after),
  });
}

function toResource({ id, owner, rev, data, updated_at, expires_at }: ItemRow): Resource {
  return resource(id, String(rev), {
    ...data,
    owner,
    updatedAt: updated_at.toISOString(),
    ...(expires_at === null ? {} : { expiresAt: expires_at.toISOString() }),
  });
}
