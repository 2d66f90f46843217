import type { ApiKeySettings } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import { BadRequestError, ConflictError, ForbiddenError, NotFoundError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type Context,
  collection,
  dbOf,
  isAdministrator,
  questionReaderOf,
  type Resource,
  type RouteHandler,
  readerOf,
  requireSameId,
  resource,
  type WriteContext,
} from '#resource/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';
import type { KnownRoles } from '../access/known-roles.ts';
import { createApiKey, isKey, KEY_ID } from './api-key-module.ts';
import { deleteKey, findKey, insertKey, type ListedKey, queryKeys } from './api-key-repository.ts';
import { refuseWithoutPassword } from './refuse-without-password.ts';

const MOST_KEYS = 1_000;
const MOST_ROLES = 50;
const MOST_WORDS = 200;
const ONCE_MORE = 'Send your password once more in the header X-Svc-Reauth-Password';
const MEMBERS = ['_id', 'roles', 'description', 'expiresAt'];

export interface ApiKeyResourceOptions {
  readonly database: Database;
  /** The settings of the enabled modules `API_KEY`. Without one no key lets anybody in. */
  readonly modules: () => readonly ApiKeySettings[];
  readonly knownRoles: Pick<KnownRoles, 'warnings'>;
}

/**
 * `/apikey`: keys of programs. Whoever makes one is shown it once; the server keeps its hash, and when it was used last. A key is
 * never changed: make another one, and delete it.
 */
export function apiKeyResource({ database, modules, knownRoles }: ApiKeyResourceOptions): RouteHandler {
  const platform = { database };

  async function find(context: Context, id: string): Promise<ListedKey> {
    const found = await findKey(await readerOf(platform, context), id);
    if (found === undefined) throw new NotFoundError(`API key '${id}' not found`);
    return found;
  }

  return collection({
    description: { title: 'apikey' },
    read: async (context, _request, id) => toResource(await find(context, id)),
    async query(context, request) {
      const page = await queryKeys(await questionReaderOf(platform, context), request);
      return pageResult(page, ({ id }) => id, toResource);
    },
    async create(context, { newResourceId, content }) {
      refuseWithoutPassword(context, ONCE_MORE);
      refuseKeys(context);
      const id = newResourceId ?? content['_id'] ?? null;
      requireFree(id, modules());
      requireSameId(content, id);
      const asked = readKey(content);
      requireOwnRoles(context, asked.roles);
      const { key, hash } = createApiKey(id);
      const { component, id: creator } = context.security.authorization;
      const row = { id, hash, ...asked, created_by: `${component}/${creator}` };
      const db = await dbOf(platform, context);
      const made = await insertKey(db, row, MOST_KEYS);
      if (made === undefined) throw await whyNotMade(db, id);
      const shown = shownOf(made);
      record(context, id, null, shown);
      // A rehearsal makes none that anybody could use.
      const secret = context.unitOfWork.dryRun ? {} : { key };
      const doubts = await knownRoles.warnings(db, asked.roles);
      const warnings = doubts.length === 0 ? {} : { warnings: [...doubts] };
      return { ...resource(id, null, { ...shown, ...secret, ...warnings }), created: true };
    },
    async delete(context, _request, id) {
      refuseWithoutPassword(context, ONCE_MORE);
      const found = await find(context, id);
      if (!(await deleteKey(await dbOf(platform, context), id))) {
        throw new NotFoundError(`API key '${id}' not found`);
      }
      record(context, id, shownOf(found), null);
      return toResource(found);
    },
    // No key is ever changed: a PUT makes one, or is told that it is there.
    exists: async () => false,
  });
}

function requireFree(id: JsonValue, modules: readonly ApiKeySettings[]): asserts id is string {
  if (typeof id !== 'string' || !KEY_ID.test(id)) {
    throw new BadRequestError(`${JSON.stringify(id).slice(0, 100)} cannot be the id of an API key`, {
      id: 'APIKEY_BAD_ID',
      field: '/_id',
      hint: 'PUT it to /apikey/<id>, of up to 64 letters, digits, - and _',
    });
  }
  if (modules.length === 0) {
    throw new ConflictError('No key would let anybody in: there is no module API_KEY', {
      id: 'APIKEY_NO_MODULE',
      hint: 'Enable the module API_KEY in authentication.json',
    });
  }
  if (modules.some(({ keys }) => keys.some((key) => key.id === id))) {
    throw new ConflictError(`authentication.json has a key '${id}'`, {
      id: 'APIKEY_CONFIGURED',
      hint: 'Give this one another id',
    });
  }
}

function readKey(content: JsonObject): Pick<ListedKey, 'roles' | 'description' | 'expires_at'> {
  const other = Object.keys(content).find((name) => !MEMBERS.includes(name));
  if (other !== undefined)
    throw bad(other, `An API key has no '${other}'`, `There are ${MEMBERS.join(', ')}`);
  const { roles, description = null, expiresAt = null } = content;
  const isList =
    Array.isArray(roles) &&
    roles.length > 0 &&
    roles.length <= MOST_ROLES &&
    roles.every((role) => typeof role === 'string' && role !== '' && role.length <= MOST_WORDS);
  if (!isList) {
    const hint = 'Such as ["svc-authorized"]: what the program may do';
    throw bad('roles', `'roles' must be a list of 1 to ${MOST_ROLES} names of roles`, hint);
  }
  if (description !== null && (typeof description !== 'string' || description.length > MOST_WORDS)) {
    throw bad(
      'description',
      `'description' must be a text of at most ${MOST_WORDS} characters`,
      'A few words',
    );
  }
  return { roles: roles.map(String), description, expires_at: readEnd(expiresAt) };
}

function readEnd(expiresAt: JsonValue): Date | null {
  if (expiresAt === null) return null;
  const end = typeof expiresAt === 'string' && ISO.test(expiresAt) ? parseInstant(expiresAt) : Number.NaN;
  if (isInstant(end) && end > Date.now()) return new Date(end);
  const shown = JSON.stringify(expiresAt).slice(0, 100);
  throw bad('expiresAt', `${shown} is no time in the future`, 'Such as 2030-01-01T00:00:00Z');
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** A key that makes another one has no end. */
function refuseKeys({ client, security }: Context): void {
  if (!client.isExternal || !isKey(security)) return;
  throw new ForbiddenError('An API key makes no API keys', {
    id: 'APIKEY_BY_KEY',
    hint: 'Let a person, or a script of the server, make it',
  });
}

/** A caller who may make keys, and is no administrator, gives them no more roles than it has. */
function requireOwnRoles({ client, security }: Context, roles: readonly string[]): void {
  const own = security.authorization.roles;
  const foreign = roles.find((role) => !own.includes(role));
  if (foreign === undefined || !client.isExternal || isAdministrator(security)) return;
  throw new ForbiddenError(`An API key has roles of whoever makes it, and '${foreign}' is none`, {
    id: 'APIKEY_FOREIGN_ROLE',
    field: '/roles',
    hint: `Your roles are ${own.join(', ')}`,
  });
}

async function whyNotMade(db: Parameters<typeof findKey>[0], id: string): Promise<ConflictError> {
  if ((await findKey(db, id)) !== undefined) {
    return new ConflictError(`There is an API key '${id}'`, {
      id: 'APIKEY_EXISTS',
      hint: 'A key is never changed: make another one, and delete it',
    });
  }
  return new ConflictError(`There are ${MOST_KEYS} API keys, and no more are kept`, {
    id: 'APIKEY_TOO_MANY',
    hint: 'Delete those that are over, or that nobody uses',
  });
}

function bad(name: string, message: string, hint: string): BadRequestError {
  return new BadRequestError(message, { id: 'APIKEY_BAD', field: `/${name}`, hint });
}

function record(
  { unitOfWork }: WriteContext,
  id: string,
  before: JsonObject | null,
  after: JsonObject | null,
): void {
  unitOfWork.record({
    resource: `apikey/${id}`,
    operation: before === null ? 'create' : 'delete',
    before,
    after,
  });
}

function shownOf(row: ListedKey): JsonObject {
  return {
    roles: [...row.roles],
    description: row.description,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    expiresAt: row.expires_at?.toISOString() ?? null,
  };
}

function toResource(row: ListedKey): Resource {
  return resource(row.id, null, shownOf(row));
}
