import { Batcher, type Database } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { findObject, objectStore } from '#repo/index.ts';
import {
  isStorableText,
  NO_PAGING,
  parsePath,
  type QueryRequest,
  type RequestSink,
  type Response,
  systemContext,
} from '#resource/index.ts';
import { type Account, type PropertyMapping, STATUS, toAccount } from './account.ts';
import { listAccountRevisions, listInternalRoles } from './account-repository.ts';
import { foldName, nameKey } from './login-name.ts';
import { findByLoginName } from './login-name-repository.ts';
import { foldRole } from './role-names.ts';

/** Where users are asked for, as the server itself. */
export interface UserDirectory extends RequestSink {
  /** Whether a query answers these properties as they are stored: no script and no derivation has a hand in them. */
  answersAsStored(query: QueryRequest, properties: readonly string[]): boolean;
  /** Grows with each change of the configuration, which may change what answers are made of. */
  readonly generation: number;
}

/** The accounts of one collection. */
export interface AccountFinder {
  find(name: string): Promise<Account | undefined>;
  /**
   * Changes with the account, and is read now: an account that was found after it was read, and has it still, is as it
   * was. Undefined where nothing tells that much; the account is then to be found anew.
   */
  revision(account: Account): Promise<string | undefined>;
}

export interface AccountPlace {
  /** Such as `managed/user` or `repo/internal/user`. */
  readonly queryOnResource: string;
  readonly mapping: PropertyMapping;
  readonly defaultRoles: readonly string[];
  /**
   * Whether people write the name themselves, and then show that it is theirs: however they write it, it means the account
   * whose name it looks like. An issuer or a proxy that states a name may know somebody else by one that looks the same.
   */
  readonly nameIs: 'typed' | 'stated';
}

/** Finds users in raw storage by their id, or elsewhere by a property. */
export function accountFinder(database: Database, users: UserDirectory, place: AccountPlace): AccountFinder {
  const { find, revision } =
    parsePath(place.queryOnResource)[0] === 'repo'
      ? inStorage(database, place)
      : behind(database, users, place);
  // Nobody has such a name: it is as unknown as any other, and the database need not refuse it.
  const isName = (name: string) => name.length <= LONGEST_NAME && isStorableText(name);
  return { find: async (name) => (isName(name) ? find(name) : undefined), revision };
}

/**
 * The names by which accounts come in are remembered, and characters that are not seen give an account any number of
 * them.
 */
const LONGEST_NAME = 2_700;

function inStorage(database: Database, place: AccountPlace): AccountFinder {
  const { queryOnResource: component, mapping, defaultRoles, nameIs } = place;
  const store = objectStore(parsePath(component).slice(1));
  const byFoldedName = async (name: string) => {
    const noted = await findByLoginName(database.db, nameKey(name), foldName(name));
    return noted?.collection === component ? findObject(database.db, store, noted.id) : undefined;
  };
  return {
    async find(name) {
      const exact = await findObject(database.db, store, name);
      const user = exact ?? (nameIs === 'typed' ? await byFoldedName(name) : undefined);
      if (user === undefined) return undefined;
      // What is stored raw is written by administrators: a plain name is what they mean.
      const facts = { component, name: user.id, mapping, defaultRoles, internalRoles: NONE };
      return toAccount({ ...user.data, _id: user.id }, facts);
    },
    // Finding it is one statement for all that is asked in a moment, and nothing costs less.
    revision: async () => undefined,
  };
}

const NONE: ReadonlySet<string> = new Set();

function behind(database: Database, users: UserDirectory, place: AccountPlace): AccountFinder {
  const { queryOnResource: component, mapping, defaultRoles, nameIs } = place;
  const path = parsePath(component);
  const { authenticationId, userCredential, userRoles } = mapping;
  const properties = [authenticationId, userCredential, userRoles, STATUS].filter((name) => name !== '');
  const queryFor = (property: string, value: string): QueryRequest => ({
    method: 'query',
    path,
    fields: properties.map((property) => [property]),
    parameters: {},
    queryId: null,
    queryExpression: null,
    queryFilter: { kind: 'compare', operator: 'eq', pointer: [property], value },
    sortKeys: [],
    paging: { ...NO_PAGING, pageSize: 2 },
  });
  const isManaged = path.length === 2 && path[0] === 'managed';
  const anybody = queryFor(authenticationId, '');
  const ask = async (query: QueryRequest) => {
    const response = await answer(users, query);
    return response?.kind === 'query' ? response.result : [];
  };
  const revisions = new Batcher<string, string | undefined>({
    maxInFlight: 2,
    maxBatch: 500,
    async run(ids) {
      const type = { type: path[1]!, rolesProperty: userRoles };
      const found = await listAccountRevisions(database.db, type, ids);
      return ids.map((id) => found.get(id));
    },
  });
  return {
    async find(name) {
      let found = await ask(queryFor(authenticationId, name));
      if (found.length === 0 && nameIs === 'typed') {
        const noted = await findByLoginName(database.db, nameKey(name), foldName(name));
        const isIts = ({ content }: (typeof found)[number]) => {
          const own = (content as JsonObject)[authenticationId];
          // Another module may find it by this name, and this one by another.
          return typeof own === 'string' && foldName(own) === foldName(name);
        };
        if (noted?.collection === component) found = (await ask(queryFor('_id', noted.id))).filter(isIts);
      }
      // Two accounts of one name: nobody can say whose password it is.
      const [user] = found;
      if (user === undefined || found.length > 1) return undefined;
      const internalRoles = new Set((await listInternalRoles(database.db)).map(foldRole));
      const content: JsonObject = { ...(user.content as JsonObject), _id: user.id };
      const own = content[authenticationId];
      const facts = { component, mapping, defaultRoles, internalRoles };
      return toAccount(content, { ...facts, name: typeof own === 'string' ? own : name });
    },
    async revision({ id }) {
      if (!isManaged || !users.answersAsStored(anybody, properties)) return undefined;
      const { generation } = users;
      const revision = await revisions.add(id);
      return revision && `${generation} ${revision}`;
    },
  };
}

/** Where there is no such collection, there is no such user. */
async function answer(users: RequestSink, request: QueryRequest): Promise<Response | undefined> {
  try {
    return await users.handle(systemContext(), request);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
