import { type Client, type JsonObject, SvcError } from '#client/index.ts';
import { type JsonObject as Json, placesOfSecrets, setAt } from '#json/index.ts';
import { printable } from '../../printable.ts';
import { complain } from '../../typed-name.ts';
import { isTable, say } from '../output.ts';
import { isRecord } from '../profiles.ts';
import type { Asked } from '../remote-command.ts';
import { showDifference } from '../report.ts';

const NOT_SHOWN = '(not shown)';

interface Told {
  readonly type: string;
  /** The path of the object, or the name that its file has for it. */
  readonly resource: string;
  readonly operation: 'create' | 'update' | 'delete' | 'same';
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** Tells what becomes of each object, without secrets: a file may have them, and a log of a pipeline is read by others. */
export class Teller {
  readonly #asked: Asked;
  readonly #secrets = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  async tell({ type, resource, operation, before = {}, after = {} }: Told): Promise<void> {
    const { form } = this.#asked;
    const secrets = await this.secretsOf(type);
    const change = { resource, operation, before: without(before, secrets), after: without(after, secrets) };
    if (form === 'name') say(resource);
    else if (!isTable(form)) say(JSON.stringify(change));
    else if (operation === 'same') say(`= ${resource}`);
    else showDifference(change);
  }

  /** @throws what is no refusal of this object alone */
  refused(resource: string, error: unknown): void {
    const isOfNode = error instanceof SvcError;
    if (isOfNode && (error.code === 401 || error.code >= 500)) throw error;
    if (!(error instanceof Error)) throw error;
    if (this.#asked.isMachineRead) {
      const body = isOfNode ? { ...error.body, requestId: error.requestId } : { message: error.message };
      console.error(printable(JSON.stringify({ resource, ...body })));
      return;
    }
    const hint = isOfNode && error.hint !== undefined ? `\n    hint: ${error.hint}` : '';
    complain(`✗ ${resource}  ${error.message}${hint}`);
  }

  /** The properties of a type that nobody is shown. */
  secretsOf(type: string): Promise<ReadonlySet<string>> {
    const known = this.#secrets.get(type) ?? readSecrets(this.#asked.client, type);
    this.#secrets.set(type, known);
    return known;
  }
}

async function readSecrets(client: Client, type: string): Promise<ReadonlySet<string>> {
  const [, name] = /^managed\/([^/]+)$/.exec(type) ?? [];
  if (name === undefined) return new Set();
  try {
    const { properties } = await client.resource('schema/managed').read(name);
    const all = Object.entries(isRecord(properties) ? properties : {});
    return new Set(all.filter(([, property]) => isSecret(property)).map(([member]) => member));
  } catch (error) {
    // Whoever may not see the type has been told so where its objects were read.
    if (error instanceof SvcError) return new Set();
    throw error;
  }
}

function isSecret(property: unknown): boolean {
  return isRecord(property) && (property['private'] === true || property['stored'] !== undefined);
}

function without(object: JsonObject, secrets: ReadonlySet<string>): JsonObject {
  const members = Object.entries(object).map(([name, value]): [string, unknown] => [
    name,
    secrets.has(name) && value !== undefined ? NOT_SHOWN : value,
  ]);
  // It was read as JSON. Of configuration no type says what is secret.
  const shown: Json = JSON.parse(JSON.stringify(Object.fromEntries(members)));
  for (const place of placesOfSecrets(shown)) setAt(shown, place, NOT_SHOWN);
  return shown;
}
