import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, parsePointer, setMember } from '#json/index.ts';
import {
  bodyOf,
  listMember,
  NO_PAGING,
  namesOf,
  parsePatch,
  parsePath,
  type Request,
  type RequestMethod,
  textMember,
} from '#resource/index.ts';

/** A request that somebody might make, and who that is; null is the caller. */
export interface AccessQuestion {
  readonly request: Request;
  /** Whether nothing is said of what it is to write: neither `fields` nor `content`. */
  readonly isOpen: boolean;
  readonly as: string | null;
}

const MOST_QUESTIONS = 200;
/** In all questions together: each is parsed and judged as an operation of a patch. */
const MOST_FIELDS = 4_000;
const METHODS: readonly RequestMethod[] = ['create', 'read', 'update', 'delete', 'patch', 'action', 'query'];

const QUESTION = bodyOf(
  {
    method: { enum: [...METHODS] },
    path: textMember('Such as managed/user/kim'),
    action: textMember('Of an action, its name'),
    fields: listMember({ type: 'string' }, 'Pointers to what a patch or a creation would write'),
    content: { description: 'What would be sent' },
    as: textMember('The name by which somebody else logs in, for administrators'),
  },
  'method',
  'path',
);
const MEMBERS = namesOf(QUESTION);

/** Up to 200 of them, with up to 4,000 fields in all. */
export const QUESTIONS: JsonObject = { ...listMember(QUESTION), maxItems: MOST_QUESTIONS };

/**
 * @param content a list of `{method, path, action?, fields?, content?, as?}`
 * @throws BadRequestError `ACCESS_BAD_QUESTION` with the place
 */
export function parseQuestions(content: JsonValue): readonly AccessQuestion[] {
  if (!Array.isArray(content)) {
    throw bad(
      '',
      'The body must be a list of requests',
      'Such as [{"method": "read", "path": "managed/user/kim"}]',
    );
  }
  if (content.length > MOST_QUESTIONS) {
    throw bad(
      '',
      `${content.length} requests are asked about; ${MOST_QUESTIONS} are allowed`,
      'Ask more than once',
    );
  }
  const count = content.reduce<number>((sum, entry) => sum + countOfFields(entry), 0);
  if (count > MOST_FIELDS) {
    throw bad('', `${count} fields are asked about; ${MOST_FIELDS} are allowed`, 'Ask more than once');
  }
  return content.map((entry, index) => parseQuestion(entry, `/${index}`));
}

function countOfFields(entry: JsonValue): number {
  const fields = isObject(entry) ? entry['fields'] : undefined;
  return Array.isArray(fields) ? fields.length : 0;
}

function parseQuestion(entry: JsonValue, at: string): AccessQuestion {
  if (!isObject(entry)) throw bad(at, `${JSON.stringify(entry)} is no request`, 'It is {method, path, …}');
  const unknown = Object.keys(entry).find((name) => !MEMBERS.some((member) => member === name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, MEMBERS) ?? `There are ${MEMBERS.join(', ')}`;
    throw bad(`${at}/${unknown}`, `A request has no '${unknown}' here`, hint);
  }
  const { as = null } = entry;
  if (as !== null && (typeof as !== 'string' || as === '')) {
    throw bad(`${at}/as`, `${JSON.stringify(as)} is no name of a user`, 'The name that they log in with');
  }
  const request = requestOf(entry, at);
  const isOpen = entry['fields'] === undefined && entry['content'] === undefined && takesContent(request);
  return { request, isOpen, as };
}

/** Whether rules may look at what it is to write. */
function takesContent(request: Request): boolean {
  const { method } = request;
  return (
    ['create', 'update', 'patch'].includes(method) || (method === 'action' && request.action === 'patch')
  );
}

function requestOf(entry: JsonObject, at: string): Request {
  const { method, path } = entry;
  const kind = METHODS.find((known) => known === method);
  if (kind === undefined) {
    const hint =
      didYouMean(typeof method === 'string' ? method : '', METHODS) ?? `There are ${METHODS.join(', ')}`;
    throw bad(`${at}/method`, `${JSON.stringify(method ?? null)} is no kind of request`, hint);
  }
  if (typeof path !== 'string' || path === '') {
    throw bad(`${at}/path`, `${JSON.stringify(path ?? null)} is no path`, 'Such as managed/user/kim');
  }
  const common = { path: parsePath(path), fields: [], parameters: {} } as const;
  const fields = fieldsOf(entry, at);
  const content = entry['content'];
  if (fields !== undefined && content !== undefined) {
    throw bad(`${at}/fields`, "'fields' and 'content' exclude each other", 'Send one of them');
  }
  const takesFields =
    kind === 'patch' || kind === 'create' || (kind === 'action' && entry['action'] === 'patch');
  if (fields !== undefined && !takesFields) {
    throw bad(`${at}/fields`, `'fields' say nothing of '${kind}'`, "They go with 'patch' and 'create'");
  }
  const patch = fields?.map((field) => ({ operation: 'remove', field }));
  switch (kind) {
    case 'read':
      return { method: kind, ...common };
    case 'delete':
      return { method: kind, ...common, revision: null };
    case 'query':
      return {
        method: kind,
        ...common,
        queryId: null,
        queryExpression: null,
        queryFilter: { kind: 'literal', value: true },
        sortKeys: [],
        paging: NO_PAGING,
      };
    case 'patch':
      return { method: kind, ...common, revision: null, operations: parsePatch(patch ?? content ?? []) };
    case 'create':
      return { method: kind, ...common, newResourceId: null, content: contentOf(fields, content, at) };
    case 'update':
      return { method: kind, ...common, revision: null, content: contentOf(undefined, content, at) };
    case 'action': {
      const { action } = entry;
      if (typeof action !== 'string' || action === '') {
        throw bad(`${at}/action`, `${JSON.stringify(action ?? null)} is no action`, 'Its name');
      }
      const fallback = action === 'patch' ? [] : null;
      return { method: kind, ...common, action, content: patch ?? content ?? fallback };
    }
  }
}

function fieldsOf({ fields }: JsonObject, at: string): readonly string[] | undefined {
  if (fields === undefined) return undefined;
  const isList = Array.isArray(fields) && fields.every((field) => typeof field === 'string');
  if (!isList || fields.length > MOST_QUESTIONS) {
    throw bad(
      `${at}/fields`,
      `'fields' must be a list of at most ${MOST_QUESTIONS} pointers`,
      'Such as ["/mail"]',
    );
  }
  return fields;
}

function contentOf(
  fields: readonly string[] | undefined,
  content: JsonValue | undefined,
  at: string,
): JsonObject {
  if (fields === undefined) {
    if (content === undefined) return {};
    if (isObject(content)) return content;
    throw bad(`${at}/content`, "'content' must be an object", 'The object as it would be sent');
  }
  const object: JsonObject = {};
  for (const field of fields) setMember(object, parsePointer(field)[0] ?? '', null);
  return object;
}

function bad(field: string, message: string, hint: string): BadRequestError {
  return new BadRequestError(message, { id: 'ACCESS_BAD_QUESTION', field, hint });
}
