import { type Client, ConflictError, type JsonObject, NotFoundError, SvcError } from '#client/index.ts';
import { EXIT } from '../command.ts';
import { complain } from '../typed-name.ts';
import { DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { type Document, isReference, isSame, readDocuments } from './documents.ts';
import { isTable, printable, say } from './output.ts';
import type { Asked } from './remote-command.ts';
import { showDifference } from './report.ts';
import { UsageError } from './usage-error.ts';
import { commandOf, type Flag } from './verb.ts';

const FILE: Readonly<Record<string, Flag>> = {
  file: {
    value: '<file>',
    short: 'f',
    does: 'JSON, one object a line, a folder of *.json, or - for the input',
  },
};

const NOTES = `An object is {"_type": "managed/role", "_id": "auditor", …}. Of a managed object what it does not say stays as it is; any other
becomes just what it says. Objects may refer to each other: {"_ref": "managed/role/auditor"}.`;

/** `svc apply -f …` */
export const apply = commandOf(
  'apply',
  'make objects what files say they are',
  {
    does: 'ends with 1 when one of them was refused; the others are applied',
    flags: { ...FILE, ...DRY_RUN },
    example: 'svc apply -f roles/ --dry-run',
    async run(asked) {
      const { failed } = await applyAll(asked, asked.flags['dry-run'] === true);
      return failed === 0 ? EXIT.OK : EXIT.FINDING;
    },
  },
  NOTES,
);

/** `svc diff -f …` */
export const diff = commandOf(
  'diff',
  'tell how objects differ from what files say',
  {
    does: 'ends with 0 when they are the same, with 1 when they differ',
    flags: FILE,
    example: 'svc diff -f roles/',
    async run(asked) {
      const { changed, failed } = await applyAll(asked, true);
      return changed + failed === 0 ? EXIT.OK : EXIT.FINDING;
    },
  },
  NOTES,
);

interface Outcome {
  readonly changed: number;
  readonly failed: number;
}

/**
 * Objects are made before they refer to each other, so that their order does not matter: what refers to one that is not
 * there yet is set in a second round.
 */
async function applyAll(asked: Asked, dryRun: boolean): Promise<Outcome> {
  const place = textOf(asked.flags, 'file');
  if (place === undefined) throw new UsageError('-f <file> is missing');
  const documents = readDocuments(place);
  const missing = new Set<string>();
  const found = new Map<Document, JsonObject | undefined>();
  for (const document of documents) {
    const current = await find(asked.client, document);
    found.set(document, current);
    if (current === undefined) missing.add(pathOf(document));
  }
  let [changed, failed] = [0, 0];
  const late: Document[] = [];
  for (const document of documents) {
    const [early, rest] = splitReferences(document.content, missing);
    const isNew = found.get(document) === undefined;
    try {
      // A reference that another object has brought is a change of this one, too.
      const current = dryRun || changed === 0 ? found.get(document) : await find(asked.client, document);
      const told = await applyOne(asked, { ...document, content: early }, dryRun, current);
      if (told !== 'same') changed += 1;
      if (isNew && !dryRun) missing.delete(pathOf(document));
      if (rest.length > 0)
        late.push({ ...document, revision: undefined, content: pick(document.content, rest) });
      else if (told === 'same') tell(asked, document, 'same', {}, {});
    } catch (error) {
      failed += 1;
      refused(document, error);
    }
  }
  for (const document of late) {
    if (dryRun) {
      changed += 1;
      tell(asked, document, 'update', {}, document.content);
      continue;
    }
    try {
      if ((await applyOne(asked, document, false, await find(asked.client, document))) !== 'same')
        changed += 1;
    } catch (error) {
      failed += 1;
      refused(document, error);
    }
  }
  return { changed, failed };
}

async function applyOne(
  asked: Asked,
  document: Document,
  dryRun: boolean,
  current: JsonObject | undefined,
): Promise<'create' | 'update' | 'same'> {
  const { type, id, revision, content } = document;
  const objects = asked.client.resource(type);
  if (current === undefined) {
    await objects.create(content, { id, dryRun });
    tell(asked, document, 'create', {}, content);
    return 'create';
  }
  const names = Object.keys(content).filter((name) => !isSame(current[name], content[name]));
  if (names.length === 0) return 'same';
  const seen = revision ?? (typeof current['_rev'] === 'string' ? current['_rev'] : undefined);
  const options = { dryRun, ...(seen === undefined || seen === '' ? {} : { revision: seen }) };
  if (type.startsWith('managed/')) {
    const operations = names.map((name) => ({
      operation: 'replace' as const,
      field: `/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`,
      value: content[name],
    }));
    await objects.patch(id, operations, options);
  } else await objects.update(id, content, options);
  tell(asked, document, 'update', pick(current, names), pick(content, names));
  return 'update';
}

async function find(client: Client, { type, id, content }: Document): Promise<JsonObject | undefined> {
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
  return [
    pick(
      content,
      Object.keys(content).filter((name) => !late.includes(name)),
    ),
    late,
  ];
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}

function pathOf({ type, id }: Document): string {
  return `${type}/${id}`;
}

function tell(
  { form }: Asked,
  document: Document,
  operation: 'create' | 'update' | 'same',
  before: JsonObject,
  after: JsonObject,
): void {
  const resource = pathOf(document);
  if (form === 'name') say(resource);
  else if (!isTable(form)) say(JSON.stringify({ resource, operation, before, after }));
  else if (operation === 'same') say(`= ${resource}`);
  else showDifference({ resource, operation, before, after });
}

function refused(document: Document, error: unknown): void {
  if (!(error instanceof SvcError) || error.code === 401 || error.code >= 500) throw error;
  const hint = error instanceof ConflictError ? undefined : error.hint;
  complain(
    printable(`✗ ${pathOf(document)}  ${error.message}${hint === undefined ? '' : `\n    hint: ${hint}`}`),
  );
}
