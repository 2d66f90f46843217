import { ConflictError, errorIdOf, ForbiddenError, NotFoundError, ResourceError } from '#errors/index.ts';
import {
  equalJson,
  getAt,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
} from '#json/index.ts';
import {
  Connection,
  type Context,
  formatPath,
  type PatchOperation,
  parsePath,
  type Request,
  type RequestSink,
  type Resource,
  type WriteContext,
} from '#resource/index.ts';
import type { AuditRow } from './audit-repository.ts';
import { type Left, planRevert, pointersOf, type Reversal } from './revert-plan.ts';

/** The router, as far as it is asked to take something back. */
export interface Reverter extends RequestSink {
  admit(context: Context, request: Request): Promise<void>;
}

interface Work {
  readonly router: Reverter;
  readonly context: WriteContext;
  readonly connection: Connection;
}

/**
 * Takes back what entries tell of, in one unit of work and with the rights of the caller: all of it, or nothing. Where
 * somebody has changed the same since, that is a conflict; a rehearsal lists conflicts and does the rest.
 *
 * @param entries of changes, the oldest first
 * @throws ConflictError `AUDIT_REVERT_CONFLICT` with all conflicts
 */
export async function revertChanges(
  router: Reverter,
  context: WriteContext,
  entries: readonly AuditRow[],
): Promise<JsonObject> {
  const { reversals, left, unknown } = planRevert(entries);
  const conflicts: Left[] = [...unknown];
  const reverted: JsonObject[] = [];
  const connection = new Connection(router, { ...context, survivable: true });
  for (const reversal of reversals.toSorted((one, other) => turnOf(one) - turnOf(other))) {
    const { resource } = reversal;
    const why = await carryOut({ router, context, connection }, reversal);
    if (why !== undefined) conflicts.push({ resource, ...why });
    else reverted.push({ resource, operation: operationOf(reversal), ...fieldsOf(reversal) });
  }
  if (conflicts.length > 0 && context.rehearsed !== true) {
    throw new ConflictError('Something else has happened since to what is to be taken back', {
      id: 'AUDIT_REVERT_CONFLICT',
      hint: 'Nothing was changed. _dryRun=true tells what could be taken back',
      detail: { conflicts },
    });
  }
  return { reverted, conflicts, left: [...left] };
}

/** Objects come back before their edges, and go after them. */
function turnOf({ kind, before, after }: Reversal): number {
  if (kind === 'edge') return 2;
  if (after === null) return 0;
  return before === null ? 3 : 1;
}

function operationOf({ before, after }: Reversal): string {
  if (before === null) return 'delete';
  return after === null ? 'create' : 'patch';
}

function fieldsOf({ fields, before, after }: Reversal): JsonObject {
  return before !== null && after !== null && fields.length > 0 ? { fields: [...fields] } : {};
}

/** What stands in the way of taking something back. */
type Obstacle = { readonly why: string; readonly id?: string };

/** @returns why it cannot be done; undefined when it is done */
async function carryOut(work: Work, reversal: Reversal): Promise<Obstacle | undefined> {
  try {
    const why = await (reversal.kind === 'edge' ? revertEdge(work, reversal) : revertObject(work, reversal));
    return why === undefined ? undefined : { why };
  } catch (error) {
    if (!(error instanceof ResourceError) || error.code >= 500) throw error;
    if (error instanceof ForbiddenError && errorIdOf(error) === 'ACCESS_DENIED') throw error;
    const id = errorIdOf(error);
    return { why: error.message, ...(id === undefined ? {} : { id: String(id) }) };
  }
}

async function revertObject(work: Work, reversal: Reversal): Promise<string | undefined> {
  const { connection } = work;
  const { resource, before, after } = reversal;
  const path = parsePath(resource);
  if (after === null) {
    const kept = new Set(reversal.fields.map((field) => parsePointer(field)[0]));
    const content = Object.fromEntries(
      Object.entries(before ?? {}).filter(([name]) => kept.has(name) && name !== '_id' && name !== '_rev'),
    );
    const collection = path.slice(0, -1);
    const [id = ''] = path.slice(-1);
    await admit(work, { ...PLAIN, method: 'create', path: collection, newResourceId: id, content });
    await connection.create(formatPath(collection), id, content);
    return undefined;
  }
  const current = await find(work, resource);
  const revision = current?.revision ?? null;
  if (before === null) {
    await admit(work, { ...PLAIN, method: 'delete', path, revision });
    if (current === undefined) return 'It is gone';
    if (revision !== after['_rev'] && !isOurs(work, resource)) return 'It was changed since it was created';
    await connection.delete(resource, revision);
    return undefined;
  }
  const wanted = pointersOf(reversal).map(([field, pointer]) => ({
    field,
    pointer,
    operation: operationTo(pointer, getAt(before, pointer)),
  }));
  const all = wanted.map(({ operation }) => operation);
  await admit(work, { ...PLAIN, method: 'patch', path, revision, operations: all });
  if (current === undefined) return 'It is gone';
  const operations: PatchOperation[] = [];
  for (const { field, pointer, operation } of wanted) {
    const [was, became, is] = [before, after, current.content].map((side) => getAt(side, pointer) ?? null);
    if (equalJson(is ?? null, was ?? null)) continue;
    if (!equalJson(is ?? null, became ?? null)) return `${field} was changed since`;
    operations.push(operation);
  }
  await connection.patch(resource, revision, operations);
  return undefined;
}

function operationTo(field: Pointer, value: JsonValue | undefined): PatchOperation {
  return value === undefined ? { operation: 'remove', field } : { operation: 'replace', field, value };
}

async function revertEdge(work: Work, { resource, before, after }: Reversal): Promise<string | undefined> {
  const { connection } = work;
  const path = parsePath(resource);
  const revision = after === null ? null : revisionOf(after);
  if (before === null) {
    await admit(work, { ...PLAIN, method: 'delete', path, revision });
    await connection.delete(resource, revision);
    return undefined;
  }
  const content = wantedEdge(before);
  if (after !== null) {
    await admit(work, { ...PLAIN, method: 'update', path, revision, content });
    await connection.update(resource, revision, content);
    return undefined;
  }
  const [property = ''] = path.slice(-2);
  const owner = path.slice(0, -2);
  const read = await find(work, formatPath(owner), { fields: [[property]] });
  if (read !== undefined && Array.isArray(getAt(read.content, [property]))) {
    const collection = path.slice(0, -1);
    await admit(work, { ...PLAIN, method: 'create', path: collection, newResourceId: null, content });
    await connection.create(formatPath(collection), null, content);
    return undefined;
  }
  const operations: PatchOperation[] = [{ operation: 'replace', field: [property], value: content }];
  await admit(work, { ...PLAIN, method: 'patch', path: owner, revision: null, operations });
  if (read === undefined) return `'${formatPath(owner)}' is gone`;
  await connection.patch(formatPath(owner), null, operations);
  return undefined;
}

function revisionOf({ _refProperties }: JsonObject): string | null {
  const revision = isObject(_refProperties) ? _refProperties['_rev'] : undefined;
  return typeof revision === 'string' ? revision : null;
}

function wantedEdge({ _ref, _refProperties }: JsonObject): JsonObject {
  const { _id, _rev, ...properties } = isObject(_refProperties) ? _refProperties : {};
  return {
    _ref: _ref ?? null,
    ...(Object.keys(properties).length === 0 ? {} : { _refProperties: properties }),
  };
}

/**
 * The caller may do it, as if it had asked for it by itself. This comes before any word of what stands there today: who
 * may not change it is told nothing of it.
 */
function admit({ router, context }: Work, request: Request): Promise<void> {
  return router.admit(context, request);
}

const PLAIN = { fields: [], parameters: {} } as const;

async function find(
  { connection }: Work,
  path: string,
  options?: Parameters<Connection['read']>[1],
): Promise<Resource | undefined> {
  try {
    return await connection.read(path, options);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Whether what has been taken back until now has changed it. */
function isOurs({ context }: Work, path: string): boolean {
  return context.unitOfWork.changes.some(({ resource }) => resource === path);
}
