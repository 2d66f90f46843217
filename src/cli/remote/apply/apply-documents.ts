import { type Client, type JsonObject, NotFoundError, SvcError } from '#client/index.ts';
import { type Document, nameOf } from './documents.ts';
import { KnownNames, NameError } from './known-names.ts';
import { isReference, isSame } from './reference.ts';
import type { Teller } from './teller.ts';

/** What the files have, beside what there is. */
export interface Plan {
  readonly names: KnownNames;
  /** The objects as the node has them; undefined of those that it does not have yet. */
  readonly found: ReadonlyMap<Document, JsonObject | undefined>;
  /** How many were refused already. */
  readonly failed: number;
}

export interface Outcome {
  readonly changed: number;
  readonly failed: number;
}

type Done = 'create' | 'update' | 'same';

/** Looks up what there is of each object. Changes nothing. */
export async function planDocuments(
  client: Client,
  given: readonly Document[],
  teller: Teller,
): Promise<Plan> {
  const names = new KnownNames(client, given);
  const found = new Map<Document, JsonObject | undefined>();
  const failed = await eachTried(given, teller, async (document) => {
    const known = await names.known(document);
    found.set(known, await find(client, known));
  });
  return { names, found, failed };
}

/**
 * Objects are made before they refer to each other, so that their order does not matter: what refers to one that is not
 * there yet is set in a second round.
 */
export async function applyPlan(
  client: Client,
  { names, found, failed }: Plan,
  teller: Teller,
  dryRun: boolean,
): Promise<Outcome> {
  const missing = new Set<string>();
  for (const [document, current] of found) if (current === undefined) missing.add(nameOf(document));
  const how = { teller, dryRun };
  const late: Document[] = [];
  let changed = 0;
  const first = await eachTried([...found.keys()], teller, async (document) => {
    const [early, rest] = splitReferences(document.content, missing);
    const before = found.get(document);
    // A reference that another object has brought is a change of this one, too.
    const current = dryRun || changed === 0 ? before : await find(client, document);
    const { done, id } = await applyOne(client, { ...document, content: early }, current, how);
    if (done !== 'same') changed += 1;
    if (before === undefined && !dryRun) missing.delete(nameOf(document));
    if (id !== undefined) names.learn(document, id);
    if (rest.length > 0)
      late.push({ ...document, id, revision: undefined, content: pick(document.content, rest) });
    else if (done === 'same') await tell(teller, document, 'same', {}, {});
  });
  const second = await eachTried(late, teller, async (document) => {
    if (dryRun) {
      changed += 1;
      await tell(teller, document, 'update', {}, document.content);
      return;
    }
    const known = await names.known(document);
    const { done } = await applyOne(client, known, await find(client, known), how);
    if (done !== 'same') changed += 1;
  });
  return { changed, failed: failed + first + second };
}

/** @returns how many were refused */
async function eachTried(
  documents: readonly Document[],
  teller: Teller,
  work: (document: Document) => Promise<void>,
): Promise<number> {
  let failed = 0;
  for (const document of documents) {
    try {
      await work(document);
    } catch (error) {
      if (!(error instanceof SvcError || error instanceof NameError)) throw error;
      teller.refused(nameOf(document), error);
      failed += 1;
    }
  }
  return failed;
}

async function applyOne(
  client: Client,
  document: Document,
  current: JsonObject | undefined,
  { teller, dryRun }: { readonly teller: Teller; readonly dryRun: boolean },
): Promise<{ readonly done: Done; readonly id: string | undefined }> {
  const { type, id, revision, content } = document;
  const objects = client.resource(type);
  if (current === undefined || id === undefined) {
    const made = await objects.create(content, { ...(id === undefined ? {} : { id }), dryRun });
    const given = '_id' in made && typeof made._id === 'string' && !dryRun ? made._id : id;
    await tell(teller, { ...document, id: given }, 'create', {}, content);
    return { done: 'create', id: given };
  }
  const secrets = await teller.secretsOf(type);
  const differing = Object.keys(content).filter(
    (name) => !secrets.has(name) && !isSame(current[name], content[name]),
  );
  if (differing.length === 0) return { done: 'same', id };
  const seen = revision ?? (typeof current['_rev'] === 'string' ? current['_rev'] : undefined);
  const options = { dryRun, ...(seen === undefined || seen === '' ? {} : { revision: seen }) };
  if (type.startsWith('managed/')) {
    const operations = differing.map((name) => ({
      operation: 'replace' as const,
      field: `/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`,
      value: content[name],
    }));
    await objects.patch(id, operations, options);
  } else await objects.update(id, content, options);
  await tell(teller, document, 'update', pick(current, differing), pick(content, differing));
  return { done: 'update', id };
}

async function find(client: Client, { type, id, content }: Document): Promise<JsonObject | undefined> {
  if (id === undefined) return undefined;
  try {
    return await client.resource(type).read(id, { fields: ['_id', '_rev', ...Object.keys(content)] });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** What can be set now, and the names of what refers to an object that is not there yet. */
function splitReferences(content: JsonObject, missing: ReadonlySet<string>): [JsonObject, string[]] {
  const refers = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(refers) : isReference(value) && missing.has(value._ref);
  const late = Object.keys(content).filter((name) => refers(content[name]));
  const early = Object.keys(content).filter((name) => !late.includes(name));
  return [pick(content, early), late];
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}

function tell(teller: Teller, document: Document, operation: Done, before: JsonObject, after: JsonObject) {
  return teller.tell({ type: document.type, resource: nameOf(document), operation, before, after });
}
