import type { Call } from '#client/index.ts';
import { didYouMean } from '#errors/index.ts';
import { UsageError } from '../usage-error.ts';
import { ASSIGNMENTS, contentOf, FILE_FLAG } from './content.ts';
import { showAnswer } from './report.ts';
import { commandOf } from './verb.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** `svc api <METHOD> <path>`: any request. */
export const api = commandOf('api', 'send any request', {
  does: 'a path below /svc, with its parameters; the rest is the body',
  takes: ['<METHOD>', '<path>', ASSIGNMENTS],
  flags: { ...FILE_FLAG, 'if-match': { value: '<rev>', does: 'the header If-Match' } },
  example: "svc api GET 'scheduler/firing?_queryFilter=true&_pageSize=3'",
  async run({ client, flags, form }, given: string, path: string, ...rest: string[]) {
    const method = METHODS.find((each) => each === given.toUpperCase());
    if (method === undefined) {
      throw new UsageError(
        `there is no method '${given}'. ${didYouMean(given.toUpperCase(), METHODS) ?? `There are ${METHODS.join(', ')}`}`,
      );
    }
    const hasBody = rest.length > 0 || flags['file'] !== undefined;
    const call: Call = {
      method,
      ...splitPath(path),
      ...(hasBody ? { body: contentOf(flags, rest) } : {}),
      ...(typeof flags['if-match'] === 'string' ? { headers: { 'If-Match': `"${flags['if-match']}"` } } : {}),
    };
    showAnswer(await client.send(call), form);
  },
});

function splitPath(text: string): Pick<Call, 'path' | 'parameters'> {
  const at = text.indexOf('?');
  const path = (at < 0 ? text : text.slice(0, at)).replace(/^\/?(?:svc\/)?/, '').replace(/\/$/, '');
  return {
    path: path.split('/').map(decoded),
    parameters: Object.fromEntries(new URLSearchParams(at < 0 ? '' : text.slice(at + 1))),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UsageError(`'${part}' is no part of a path`);
  }
}
