import { ServiceUnavailableError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import { answerFromMemory, collection, type RouteHandler } from '#resource/index.ts';

/** How many digits the numbers of lines have: as many as a node comes to, so that lines sort by their ids. */
const DIGITS = 12;

/** The last lines of a log, JSON, the oldest first. */
export interface NodeLog {
  readonly lines: LogLines | Promise<LogLines>;
}

type LogLines = readonly { readonly number: number; readonly text: string }[];

/** `/log`: the last lines of the log of the node that answers. @param ring undefined where scripts run, which have none */
export function logResource(ring: NodeLog | undefined): RouteHandler {
  return collection({
    description: { title: 'log of the node' },
    async query(_context, request) {
      if (ring === undefined) {
        throw new ServiceUnavailableError('The log is not to be had where scripts run', {
          id: 'LOG_ELSEWHERE',
          hint: 'Ask for it over HTTP, and let no script of router.json or script/access.js look at /log',
        });
      }
      const lines = await ring.lines;
      const rows = lines.map(({ number, text }) => {
        const line: JsonValue = JSON.parse(text);
        return { ...(isObject(line) ? line : {}), _id: String(number).padStart(DIGITS, '0') };
      });
      return answerFromMemory(request, rows);
    },
  });
}
