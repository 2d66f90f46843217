import type { Database } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { findObject, objectStore } from '#repo/index.ts';
import {
  isStorableText,
  NO_PAGING,
  parsePath,
  type Request,
  type RequestSink,
  type Response,
  systemContext,
} from '#resource/index.ts';
import { type Account, type PropertyMapping, toAccount } from './account.ts';

export type FindAccount = (authenticationId: string) => Promise<Account | undefined>;

export interface AccountPlace {
  /** Such as `managed/user` or `repo/internal/user`. */
  readonly queryOnResource: string;
  readonly mapping: PropertyMapping;
  readonly defaultRoles: readonly string[];
}

/** Finds users in raw storage by their id, or elsewhere by a property, as the server itself. */
export function accountFinder(database: Database, resources: RequestSink, place: AccountPlace): FindAccount {
  const find = finderIn(database, resources, place);
  // Nobody has such a name: it is as unknown as any other, and the database need not refuse it.
  return async (name) => (isStorableText(name) ? find(name) : undefined);
}

function finderIn(database: Database, resources: RequestSink, place: AccountPlace): FindAccount {
  const { queryOnResource, mapping, defaultRoles } = place;
  const path = parsePath(queryOnResource);
  if (path[0] === 'repo') {
    const store = objectStore(path.slice(1));
    return async (name) => {
      const user = await findObject(database.db, store, name);
      return user && toAccount({ ...user.data, _id: name }, queryOnResource, mapping, defaultRoles);
    };
  }
  return async (name) => {
    const fields = ['*', mapping.authenticationId, mapping.userCredential, mapping.userRoles];
    const response = await answer(resources, {
      method: 'query',
      path,
      fields: fields.filter((field) => field !== '').map((field) => [field]),
      parameters: {},
      queryId: null,
      queryExpression: null,
      queryFilter: { kind: 'compare', operator: 'eq', pointer: [mapping.authenticationId], value: name },
      sortKeys: [],
      paging: { ...NO_PAGING, pageSize: 2 },
    });
    const found = response?.kind === 'query' ? response.result : [];
    // Two accounts of one name: nobody can say whose password it is.
    const [user] = found;
    if (user === undefined || found.length > 1) return undefined;
    return toAccount(
      { ...(user.content as JsonObject), _id: user.id },
      queryOnResource,
      mapping,
      defaultRoles,
    );
  };
}

/** Where there is no such collection, there is no such user. */
async function answer(resources: RequestSink, request: Request): Promise<Response | undefined> {
  try {
    return await resources.handle(systemContext(), request);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
