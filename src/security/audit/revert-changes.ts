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
  applyPatch,
  type Context,
  formatPath,
  nestedContext,
  nextContext,
  type PatchOperation,
  parsePath,
  type Request,
  type RequestSink,
  type Resource,
  type ResourcePath,
  type Response,
  type WriteContext,
} from '#resource/index.ts';
import type { AuditRow } from './audit-repository.ts';
import { type Left, planRevert, pointersOf, type Reversal } from './revert-plan.ts';

/** The router, as far as it is asked to take something back. */
export interface Reverter extends RequestSink {
  admit(context: Context, request: Request): Promise<void>;
  maySeeScripts(context: Context): Promise<boolean>;
}

interface Work {
  readonly router: Reverter;
  readonly context: WriteContext;
  readonly seesAll: boolean;
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
  const seesAll = await router.maySeeScripts(context);
  const work = { router, context: { ...context, survivable: true }, seesAll };
  for (const reversal of reversals.toSorted((one, other) => turnOf(one) - turnOf(other))) {
    const { resource } = reversal;
    const why = await carryOut(work, reversal);
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
  const { resource, before, after } = reversal;
  const path = parsePath(resource);
  if (after === null) {
    const kept = new Set(reversal.fields.map((field) => parsePointer(field)[0]));
    const content = Object.fromEntries(
      Object.entries(before ?? {}).filter(([name]) => kept.has(name) && name !== '_id' && name !== '_rev'),
    );
    const [id = ''] = path.slice(-1);
    await ask(work, { ...PLAIN, method: 'create', path: path.slice(0, -1), newResourceId: id, content });
    return undefined;
  }
  if (before === null) {
    await admit(work, { ...PLAIN, method: 'delete', path, revision: null });
    const current = await find(work, path);
    if (typeof current === 'string') return current;
    const { revision } = current;
    if (revision !== after['_rev'] && !isOurs(work, resource)) return 'It was changed since it was created';
    await ask(work, { ...PLAIN, method: 'delete', path, revision });
    return undefined;
  }
  const wanted = pointersOf(reversal).map(([field, pointer]) => ({
    field,
    pointer,
    operation: operationTo(pointer, getAt(before, pointer)),
  }));
  const all = wanted.map(({ operation }) => operation);
  const change = (content: JsonObject, revision: string | null, operations: PatchOperation[]) =>
    changeOf(work, path, { content, revision, operations });
  await admit(work, await change(after, null, all));
  const current = await find(work, path);
  if (typeof current === 'string') return current;
  const { revision } = current;
  const isUntouched = revision !== null && revision === after['_rev'];
  const operations: PatchOperation[] = [];
  for (const { field, pointer, operation } of wanted) {
    const is = getAt(current.content, pointer);
    if (is === undefined && !work.seesAll) {
      // What is hidden looks as if it were not there.
      if (!isUntouched) return `${field} is not shown to you, and so it cannot be compared`;
    } else {
      if (equalJson(is ?? null, getAt(before, pointer) ?? null)) continue;
      if (!equalJson(is ?? null, getAt(after, pointer) ?? null)) return `${field} was changed since`;
    }
    operations.push(operation);
  }
  const content = isObject(current.content) ? current.content : {};
  await ask(work, await change(content, revision, operations));
  return undefined;
}

/** Resources that take no patches: they are written as a whole. */
const WHOLE: ReadonlySet<string> = new Set(['scheduler']);

/** @param change.content as it is */
async function changeOf(
  { context }: Work,
  path: ResourcePath,
  {
    content,
    revision,
    operations,
  }: {
    readonly content: JsonObject;
    readonly revision: string | null;
    readonly operations: PatchOperation[];
  },
): Promise<Request> {
  if (!WHOLE.has(path[0] ?? '')) return { ...PLAIN, method: 'patch', path, revision, operations };
  const { _id, _rev, ...own } = content;
  const { budget } = context;
  return {
    ...PLAIN,
    method: 'update',
    path,
    revision,
    content: await applyPatch(own, operations, { budget }),
  };
}

function operationTo(field: Pointer, value: JsonValue | undefined): PatchOperation {
  return value === undefined ? { operation: 'remove', field } : { operation: 'replace', field, value };
}

async function revertEdge(work: Work, { resource, before, after }: Reversal): Promise<string | undefined> {
  const path = parsePath(resource);
  const revision = after === null ? null : revisionOf(after);
  if (before === null) {
    await ask(work, { ...PLAIN, method: 'delete', path, revision });
    return undefined;
  }
  const content = wantedEdge(before);
  if (after !== null) {
    await ask(work, { ...PLAIN, method: 'update', path, revision, content });
    return undefined;
  }
  const [property = ''] = path.slice(-2);
  const owner = path.slice(0, -2);
  const collection = path.slice(0, -1);
  const made: Request = { ...PLAIN, method: 'create', path: collection, newResourceId: null, content };
  const operations: PatchOperation[] = [{ operation: 'replace', field: [property], value: content }];
  const set: Request = { ...PLAIN, method: 'patch', path: owner, revision: null, operations };
  await admit(work, made).catch(() => admit(work, set));
  const read = await find(work, owner, [[property]]);
  if (typeof read === 'string') return read === GONE ? `'${formatPath(owner)}' is gone` : read;
  await ask(work, Array.isArray(getAt(read.content, [property])) ? made : set);
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

/** Asks as the caller itself would: an entry gives nobody a right, and is no way round what is asked of callers. */
function ask({ router, context }: Work, request: Request): Promise<Response> {
  return router.handle(nextContext(context), request);
}

const PLAIN = { fields: [], parameters: {} } as const;
const GONE = 'It is gone';

/**
 * What the caller sees of it. Who may evaluate scripts may see it whole.
 *
 * @returns a sentence where it sees nothing
 */
async function find(
  { router, context, seesAll }: Work,
  path: ResourcePath,
  fields: readonly Pointer[] = [],
): Promise<Resource | string> {
  const reader = seesAll ? nestedContext(context) : nextContext(context);
  try {
    const found = await router.handle(reader, { method: 'read', path, fields, parameters: {} });
    return found.kind === 'resource' ? found : GONE;
  } catch (error) {
    if (error instanceof NotFoundError) return GONE;
    if (error instanceof ForbiddenError) return 'You may not read it, and so it cannot be compared';
    throw error;
  }
}

/** Whether a change that was taken back before has changed it. */
function isOurs({ context }: Work, path: string): boolean {
  return context.unitOfWork.changes.some(({ resource }) => resource === path);
}
