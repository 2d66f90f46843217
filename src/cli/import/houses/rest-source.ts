import { isObject, type JsonObject } from '#json/index.ts';
import { convertEdge } from '../repository/convert-edge.ts';
import { convertManaged, convertRaw } from '../repository/convert-object.ts';
import { convertInternalUser, convertLink } from '../repository/convert-table.ts';
import { ForeignSourceError } from '../repository/foreign-source-error.ts';
import type { ImportSource, ImportStep, Pages } from '../repository/import-source.ts';
import type { ForeignRow } from '../repository/item.ts';
import type { GivenHouse, HouseOptions } from './given-house.ts';

const ADMINISTRATOR = 'openidm-admin';
const REQUEST_MS = 120_000;
/** What the server keeps below `/repo` besides what has a step of its own. */
const RAW = ['ui/notification', 'internal/notification', 'internal/usermeta'] as const;
/** What a schedule shows of itself that is not part of what was declared. */
const OF_THE_SCHEDULER = ['_id', '_rev', 'triggers', 'nextRunDate', 'previousRunDate', 'schedule.config'];

/**
 * The repository of a server of the family, as its REST interface shows it to administrators: for one that keeps it in OrientDB,
 * or in a database that cannot be reached. Values come as they are stored, encrypted and hashed.
 */
export async function openRest(
  { place, user = ADMINISTRATOR, password }: GivenHouse,
  { types, crypto }: HouseOptions,
): Promise<ImportSource & AsyncDisposable> {
  if (password === undefined) throw new ForeignSourceError(`${place} needs --password-file`);
  const rest = new ForeignRest(place, user, password);
  await rest.first('repo/internal/user');
  const step = (path: string, given: Omit<ImportStep, 'pages'>, toRow = rowOf): ImportStep => ({
    ...given,
    pages: rest.pages(path, toRow),
  });
  const raw = (type: string, group: 'internal' | 'repo') =>
    step(`repo/${type}`, {
      group,
      about: `repo/${type}`,
      kind: 'repo',
      type,
      convert: (row) => convertRaw(type, row),
    });
  const user_ = { group: 'internal', about: 'repo/internal/user', kind: 'repo' } as const;
  const edge = { group: 'relationship', about: 'relationship', kind: 'relationship', type: '' } as const;
  const link = { group: 'link', about: 'repo/link', kind: 'link', type: '' } as const;
  return {
    place: place.replace(/\/+$/, ''),
    listSteps: async () => [
      raw('internal/role', 'internal'),
      step(
        'repo/internal/user',
        { ...user_, type: 'internal/user', convert: (row) => convertInternalUser(crypto, row) },
        rowOfUser,
      ),
      ...[...types.current().keys()].map((type) =>
        step(`repo/managed/${type}`, {
          group: 'managed',
          about: `managed/${type}`,
          kind: 'managed',
          type,
          convert: (row) => convertManaged(types, type, row),
        }),
      ),
      step('repo/relationships', { ...edge, convert: (row) => convertEdge(types, row) }),
      ...RAW.map((type) => raw(type, 'repo')),
      step('repo/link', { ...link, convert: convertLink }, rowOfLink),
    ],
    listLeft: async () => {
      const count = (await rest.first('workflow/processinstance', '_queryId=query-all-ids'))?.length ?? 0;
      const reason = 'Processes that are under way end at the other server; new ones begin here';
      return count === 0
        ? []
        : [{ about: 'workflow/processinstance', id: null, count, reason, isLeft: true }];
    },
    schedules: rest.pages('scheduler/job', rowOfSchedule),
    [Symbol.asyncDispose]: async () => {},
  };
}

type ToRow = (object: JsonObject, at: number) => ForeignRow;

class ForeignRest {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(place: string, user: string, password: string) {
    this.#base = place.replace(/\/+$/, '');
    this.#headers = {
      'X-OpenIDM-Username': user,
      'X-OpenIDM-Password': password,
      'X-OpenIDM-NoSession': 'true',
      'X-Requested-With': 'svc',
    };
  }

  pages(path: string, toRow: ToRow): Pages {
    const rest = this;
    return async function* (size, wanted) {
      let offset = 0;
      let before: string | undefined;
      for (;;) {
        const found = await rest.#page(path, size, offset);
        const rows = found.map((object, at) => toRow(object, offset + at));
        // A server that knows no pages gives all of them again and again.
        if (rows.length === 0 || rows[0]?.id === before) return;
        before = rows[0]?.id;
        const ids = await wanted?.(rows.map(({ id, rev }) => ({ id, rev })));
        yield {
          keys: rows.map(({ id }) => id),
          rows: ids === undefined ? rows : rows.filter(({ id }) => ids.has(id)),
        };
        if (rows.length !== size) return;
        offset += rows.length;
      }
    };
  }

  /** What a query begins with; undefined where there is no such collection. @throws ForeignSourceError */
  async first(path: string, query = '_queryFilter=true&_pageSize=1'): Promise<JsonObject[] | undefined> {
    const { status, result } = await this.#ask(`${path}?${query}`);
    if (status === 401 || status === 403) {
      throw new ForeignSourceError(`${this.#base} has refused the administrator (${status})`);
    }
    return status === 200 ? result : undefined;
  }

  async #page(path: string, size: number, offset: number): Promise<JsonObject[]> {
    const paging = `_pageSize=${size}&_pagedResultsOffset=${offset}`;
    let { status, result } = await this.#ask(`${path}?_queryFilter=true&_sortKeys=_id&${paging}`);
    // Older ones have no filters below /repo.
    if (status !== 200 && status !== 404) {
      ({ status, result } = await this.#ask(`${path}?_queryId=query-all&${paging}`));
    }
    if (status === 200) return result;
    // There is nothing of what this version of the server does not know.
    if (status === 404 && offset === 0) return [];
    throw new ForeignSourceError(`${this.#base} has answered ${status} for ${path}, from ${offset}`);
  }

  async #ask(path: string): Promise<{ readonly status: number; readonly result: JsonObject[] }> {
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(`${this.#base}/${path}`, {
        headers: this.#headers,
        // The password is for this server, and for no other.
        redirect: 'manual',
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      body = JSON.parse((await response.text()) || 'null');
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      throw new ForeignSourceError(`${this.#base} cannot be read: ${said}`, { cause: error });
    }
    const found = isObject(body) ? body['result'] : undefined;
    return { status: response.status, result: Array.isArray(found) ? found.filter(isObject) : [] };
  }
}

function rowOf(object: JsonObject, at: number): ForeignRow {
  const { _id, _rev } = object;
  return { key: String(at), id: String(_id), rev: String(_rev ?? '0'), text: JSON.stringify(object) };
}

/** An object as the row of a table would be, whose columns are texts. */
function columns(object: JsonObject, at: number, texts: JsonObject): ForeignRow {
  return { ...rowOf(object, at), text: JSON.stringify(texts) };
}

function rowOfUser(object: JsonObject, at: number): ForeignRow {
  const { password = null, roles = null } = object;
  const text = (value: typeof roles) => (typeof value === 'string' ? value : JSON.stringify(value));
  return columns(object, at, {
    ...(password === null ? {} : { pwd: text(password) }),
    ...(roles === null ? {} : { roles: text(roles) }),
  });
}

function rowOfLink(object: JsonObject, at: number): ForeignRow {
  const members = Object.entries(object).map(([name, value]) => [name.toLowerCase(), value] as const);
  return columns(object, at, Object.fromEntries(members));
}

function rowOfSchedule(object: JsonObject, at: number): ForeignRow {
  const declared = Object.entries(object).filter(([name]) => !OF_THE_SCHEDULER.includes(name));
  const triggers = Array.isArray(object['triggers']) ? object['triggers'].filter(isObject) : [];
  const paused = triggers.length > 0 && triggers.every(({ state }) => state === 'PAUSED' || state === 1);
  return columns(object, at, { schedule: Object.fromEntries(declared), paused });
}
