import { readFileSync } from 'node:fs';
import { didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { answerFromMemory, collection, type RouteHandler, resource } from '#resource/index.ts';

/** An error or finding as the code has it: in texts, `…` stands for what is only known when it is said. */
interface KnownError {
  readonly _id: string;
  /** Empty for a finding of a configuration, a process file or a script. */
  readonly codes: readonly number[];
  readonly messages: readonly string[];
  readonly hints: readonly string[];
  /** Pages of the documentation that name it. */
  readonly pages: readonly string[];
}

/** Written by `npm run docs`, with the table of docs/reference/errors.md. */
const FILE = new URL('errors.jsonl', import.meta.url);

/** `/info/error`: what each id of an error means. */
export function errorCatalogue(): RouteHandler {
  let known: ReadonlyMap<string, KnownError> | undefined;
  const errors = () => (known ??= readErrors());
  return collection({
    description: { title: 'error' },
    async query(_context, request) {
      return answerFromMemory(request, [...errors().values()].map(toJson));
    },
    async read(_context, _request, id) {
      const found = errors().get(id);
      if (found === undefined) {
        throw new NotFoundError(`There is no error '${id}'`, {
          id: 'INFO_NO_ERROR',
          hint: didYouMean(id, errors().keys()) ?? 'GET info/error?_queryFilter=true has them all',
        });
      }
      const { _id, ...content } = toJson(found);
      return resource(id, null, content);
    },
  });
}

function toJson({ _id, codes, messages, hints, pages }: KnownError): JsonObject {
  return { _id, codes: [...codes], messages: [...messages], hints: [...hints], pages: [...pages] };
}

function readErrors(): ReadonlyMap<string, KnownError> {
  const lines = readFileSync(FILE, 'utf8').trimEnd().split('\n');
  return new Map(lines.map((line) => JSON.parse(line) as KnownError).map((error) => [error._id, error]));
}
