import { NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import {
  Connection,
  type Context,
  formatPath,
  internalContext,
  parsePath,
  type RequestSink,
} from '#resource/index.ts';

export type Handle = RequestSink['handle'];
type Found = JsonObject | undefined;

/**
 * What conditions look up on the way to a judgement, as the server itself, so that no access rule is asked again. Each thing is
 * looked up once, so that all parts of a condition judge the same, and what is asked about again and again costs no more than once.
 */
export class Lookups {
  readonly #handle: Handle;
  readonly #pay: (found: JsonObject) => void;
  readonly #objects = new Map<string, Promise<Found>>();
  readonly #users = new Map<string, Promise<boolean>>();
  readonly #definitions = new Map<string, Promise<string | undefined>>();

  /** @param pay for each thing that is found; throws when that is too much */
  constructor(handle: Handle, pay: (found: JsonObject) => void = () => {}) {
    this.#handle = handle;
    this.#pay = pay;
  }

  /** A resource; undefined when there is none. */
  read(context: Context, path: string): Promise<Found> {
    return once(this.#objects, keyOf(context, path), () => this.#read(context, path));
  }

  /** Reads these relationships of an object. Those that have been looked up for another question are not read again. */
  async references(context: Context, path: string, names: readonly string[]): Promise<JsonObject> {
    const missing = names.filter((name) => !this.#objects.has(keyOf(context, path, name)));
    let reading: Promise<Found> | undefined;
    const read = () => {
      reading ??= this.#read(context, path, missing);
      return reading;
    };
    const found = await Promise.all(
      names.map(async (name) => {
        const object = await once(this.#objects, keyOf(context, path, name), read);
        return [name, object?.[name]] as const;
      }),
    );
    return Object.fromEntries(found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  }

  /** Whether a managed user has that name. */
  isManagedUser(context: Context, uid: string): Promise<boolean> {
    return once(this.#users, keyOf(context, uid), async () => {
      try {
        const { result } = await new Connection({ handle: this.#handle }, context).query('managed/user', {
          queryId: 'for-userName',
          parameters: { uid },
          fields: [['_id']],
        });
        return result.length > 0;
      } catch (error) {
        // Where there are no managed users, nobody is one.
        if (error instanceof NotFoundError) return false;
        throw error;
      }
    });
  }

  /** The path of the version of a process that its key starts; undefined when there is none. */
  latestDefinition(context: Context, key: string): Promise<string | undefined> {
    return once(this.#definitions, keyOf(context, key), async () => {
      const parameters = { _queryId: 'filtered-query', key };
      const asked = { queryId: parameters._queryId, parameters };
      const connection = new Connection({ handle: this.#handle }, context);
      const { result } = await connection.query('workflow/processdefinition', asked);
      const versions = result.flatMap(({ id, content }) =>
        id !== null && isObject(content) ? [{ id, version: Number(content['version']) }] : [],
      );
      const latest = versions.sort((one, other) => other.version - one.version)[0];
      return latest && formatPath(['workflow', 'processdefinition', latest.id]);
    });
  }

  /** @param names of the members to read; all when there are none */
  async #read(context: Context, path: string, names: readonly string[] = []): Promise<Found> {
    try {
      const fields = names.map((name) => [name]);
      const request = { method: 'read', path: parsePath(path), fields, parameters: {} } as const;
      const response = await this.#handle(internalContext(context), request);
      if (response.kind !== 'resource' || !isObject(response.content)) return undefined;
      const { id, revision, content } = response;
      this.#pay(content);
      return { ...content, _id: id, ...(revision === null ? {} : { _rev: revision }) };
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }
}

function once<Answer>(
  known: Map<string, Promise<Answer>>,
  key: string,
  look: () => Promise<Answer>,
): Promise<Answer> {
  const answer = known.get(key) ?? look();
  known.set(key, answer);
  return answer;
}

/** What is read may depend on in whose name. */
function keyOf({ security: { authorization } }: Context, ...what: readonly string[]): string {
  return JSON.stringify([authorization.component, authorization.id, ...what]);
}
