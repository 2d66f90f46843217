import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Client, createClient, filter } from '#client/index.ts';
import { connectionOf, type Flags } from './connection.ts';
import { FORMS } from './output.ts';
import { isRecord, readProfiles } from './profiles.ts';
import { pathOf, TOP_LEVEL } from './remote-command.ts';
import { TOPICS } from './topics.ts';

const FRESH_MS = 60_000;
const PATIENCE_MS = 1_500;
const MOST = 50;
const MOST_KEPT = 100;

/** A word of a command line that is being typed. */
interface Typing {
  readonly name: string;
  /** The place of the word, as the help has it, such as `[<id>]`. */
  readonly place: string;
  /** What stands at the places of the command so far, the last being typed. */
  readonly given: readonly string[];
  readonly typed: string;
  /** All words of the line. */
  readonly words: readonly string[];
}

/** Where `<id>` is one of, by command. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  schedule: 'scheduler/job',
  scan: 'taskscanner',
  operation: 'operation',
  recon: 'recon',
  process: 'workflow/processinstance',
  task: 'workflow/taskinstance',
  'dead-letter': 'workflow/job/deadletter',
  'api-key': 'apikey',
};
const WORDS: Readonly<Record<string, readonly string[]>> = {
  METHOD: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
};
const VALUES: Readonly<Record<string, readonly string[]>> = {
  output: FORMS,
  level: ['info', 'warn', 'error', 'fatal'],
};

/** What may stand at a place of the command; nothing where that is not known, or no node answers. */
export async function candidatesFor({
  name,
  place,
  given,
  typed,
  words,
}: Typing): Promise<readonly string[]> {
  const kind = place.replace(/[[\]<>…]/g, '').trim();
  const fits = (all: readonly string[]) => all.filter((each) => each.startsWith(typed));
  if (WORDS[kind] !== undefined) return fits(WORDS[kind]);
  if (kind === 'profile') return fits(profileNames());
  const node = new AskedNode(words);
  if (kind === 'type') return fits([...(await node.types()), ...TOP_LEVEL]);
  if (kind === 'topic' && name === 'events') {
    return fits([...TOPICS, ...(await node.types()).map((type) => `object:${type}`)]);
  }
  if (kind === 'node') return fits(await node.nodes());
  const collection = collectionOf(name, kind, given);
  return collection === undefined ? [] : fits(await node.ids(collection, typed));
}

/** What may be the value of a flag. */
export async function candidatesForFlag(
  flag: string,
  words: readonly string[],
  typed: string,
): Promise<readonly string[]> {
  const fits = (all: readonly string[]) => all.filter((each) => each.startsWith(typed));
  if (flag === 'profile') return fits(profileNames());
  if (flag === 'type') return fits(await new AskedNode(words).types());
  return fits(VALUES[flag] ?? []);
}

function collectionOf(name: string, kind: string, given: readonly string[]): string | undefined {
  if (kind === 'role' || kind === 'user') return `managed/${kind}`;
  if (kind === 'schedule') return 'scheduler/job';
  if (kind.startsWith('ERROR_ID')) return 'info/error';
  if (kind === 'key') return 'workflow/processdefinition';
  if (kind !== 'id') return undefined;
  const [type = ''] = given;
  return given.length > 1 ? pathOf(type) : COLLECTIONS[name];
}

function profileNames(): readonly string[] {
  try {
    return Object.keys(readProfiles().profiles);
  } catch {
    return [];
  }
}

/** A node that is asked while somebody types: not for long, and not for the same again within a minute. */
class AskedNode {
  readonly #client: Client | undefined;
  readonly #who: string;

  constructor(words: readonly string[]) {
    const given = (flag: string): Flags => {
      const at = words.indexOf(`--${flag}`);
      const value = at < 0 ? undefined : words[at + 1];
      return value === undefined ? {} : { [flag]: value };
    };
    const flags = { ...given('url'), ...given('profile') };
    try {
      const connection = connectionOf(flags);
      const hasty: typeof fetch = (input, init) =>
        (connection.fetch ?? fetch)(input, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
      this.#client = createClient({ ...connection, fetch: hasty });
      this.#who = JSON.stringify([connection.url, flags['profile'], process.env['SVC_USER']]);
    } catch {
      this.#who = '';
    }
  }

  types(): Promise<readonly string[]> {
    return this.#kept('schema', async (client) => {
      const schema = await client.send<{ readonly types: readonly { readonly type: string }[] }>({
        method: 'GET',
        path: ['schema'],
      });
      return schema.types.map(({ type }) => type);
    });
  }

  nodes(): Promise<readonly string[]> {
    return this.#kept('cluster', async (client) => {
      const cluster = await client.send<{ readonly results: readonly { readonly instanceId: string }[] }>({
        method: 'GET',
        path: ['cluster'],
      });
      return cluster.results.map(({ instanceId }) => instanceId);
    });
  }

  ids(path: string, typed: string): Promise<readonly string[]> {
    return this.#kept(`${path} ${typed}`, async (client) => {
      const isByName = path.startsWith('workflow/');
      const field = path === 'workflow/processdefinition' ? 'key' : '_id';
      const found = new Set<string>();
      const query = isByName ? { queryId: 'filtered-query' } : { filter: filter`_id sw ${typed}` };
      const pages = client
        .resource(path)
        .query({ ...query, fields: [field], pageSize: MOST })
        .pages();
      for await (const { result } of pages) {
        for (const each of result) found.add(String(each[field]));
        break;
      }
      return [...found];
    });
  }

  async #kept(what: string, ask: (client: Client) => Promise<readonly string[]>): Promise<readonly string[]> {
    if (this.#client === undefined) return [];
    const key = `${this.#who} ${what}`;
    const cache = readCache();
    const known = cache[key];
    if (known !== undefined && Date.now() - known.at < FRESH_MS) return known.words;
    try {
      const words = await ask(this.#client);
      writeCache({ ...cache, [key]: { at: Date.now(), words } });
      return words;
    } catch {
      // Whoever presses the tab key wants no word of what went wrong.
      return [];
    }
  }
}

type Cache = Readonly<Record<string, { readonly at: number; readonly words: readonly string[] }>>;

function cacheFile(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'svc', 'completion.json');
}

function readCache(): Cache {
  try {
    const read: unknown = JSON.parse(readFileSync(cacheFile(), 'utf8'));
    if (!isRecord(read)) return {};
    const entries = Object.entries(read).flatMap(([key, value]) => {
      if (!isRecord(value) || typeof value['at'] !== 'number' || !Array.isArray(value['words'])) return [];
      return [[key, { at: value['at'], words: value['words'].map(String) }] as const];
    });
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

/** For its owner alone, as what a node shows is. */
function writeCache(cache: Cache): void {
  const fresh = Object.entries(cache).filter(([, { at }]) => Date.now() - at < FRESH_MS);
  try {
    mkdirSync(dirname(cacheFile()), { recursive: true, mode: 0o700 });
    writeFileSync(cacheFile(), JSON.stringify(Object.fromEntries(fresh.slice(-MOST_KEPT))), { mode: 0o600 });
  } catch {
    // It is asked again then.
  }
}
