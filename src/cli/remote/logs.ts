import { asFilter, type Client, filter as filterOf, type JsonObject } from '#client/index.ts';
import { didYouMean } from '#errors/index.ts';
import { complain } from '../typed-name.ts';
import { UsageError } from '../usage-error.ts';
import { countOf, textOf } from './connection.ts';
import { logLine } from './log-line.ts';
import { isTable, say } from './output.ts';
import { sinceOf } from './time-argument.ts';
import { commandOf } from './verb.ts';
import { yamlText } from './yaml-text.ts';

const LEVELS = ['info', 'warn', 'error', 'fatal'];
const LINES = 100;
const PAGE = 500;
const POLL_MS = 1_000;

type Line = JsonObject & { readonly _id: string };

/** `svc logs`: what the node that answers has said. */
export const logs = commandOf('logs', 'show the log of the node that answers, and follow it', {
  does: 'the last lines, the oldest first; a node keeps 10,000, from info on',
  flags: {
    follow: { does: 'stay, and show what is said from now on' },
    level: { value: '<level>', does: `from that on: ${LEVELS.join(', ')}; default: info` },
    request: { value: '<id>', does: 'of one request or run, by the id that its answer or an error has' },
    filter: { value: '<filter>', does: `those that it finds: 'kind eq "config.refused"'` },
    since: { value: '<time>', does: 'such as -10m, 02:00, yesterday' },
    node: { value: '<node>', does: 'refuses to show the log of another one, behind a load balancer' },
    limit: { value: '<n>', does: `how many; default ${LINES}` },
  },
  example: 'svc logs --follow --level warn',
  async run({ client, flags, form }) {
    const filter = conditionOf({
      level: textOf(flags, 'level'),
      request: textOf(flags, 'request'),
      since: sinceOf(textOf(flags, 'since')),
      filter: textOf(flags, 'filter'),
    });
    const node = textOf(flags, 'node');
    const follower = new Follower(client, filter);
    const show = (lines: readonly Line[]) => {
      for (const line of lines) {
        if (node !== undefined && line['node'] !== node) {
          throw new UsageError(`this is node '${line['node']}'; --url names a node itself`);
        }
        if (isTable(form)) say(logLine(line));
        else if (form === 'yaml') say(yamlText([line]));
        else say(form === 'name' ? line._id : JSON.stringify(line));
      }
    };
    show(await follower.last(countOf(flags, 'limit') ?? LINES));
    while (flags['follow'] === true && process.stdout.writable) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      show(await follower.next());
    }
  },
});

/** Goes on from the lines that were read. Each node, and each life of one, has numbers of its own. */
class Follower {
  readonly #client: Client;
  readonly #filter: string;
  /** The last id by node. */
  readonly #read = new Map<string, string>();

  constructor(client: Client, filter: string) {
    this.#client = client;
    this.#filter = filter;
  }

  async last(count: number): Promise<readonly Line[]> {
    const lines: Line[] = [];
    const query = { filter: asFilter(this.#filter), sort: ['-_id'], pageSize: Math.min(count, PAGE) };
    for await (const line of this.#client.resource('log').query(query)) {
      lines.push(line);
      if (lines.length >= count) break;
    }
    return this.#remembered(lines.reverse());
  }

  async next(): Promise<readonly Line[]> {
    const lines: Line[] = [];
    const query = { filter: asFilter(this.#filter), sort: ['-_id'], pageSize: PAGE };
    for await (const line of this.#client.resource('log').query(query)) {
      const last = this.#read.get(String(line['node'])) ?? '';
      // The newest is older than what was read: the node has begun anew.
      const isAnew = lines.length === 0 && line._id < last;
      if (isAnew) {
        this.#read.delete(String(line['node']));
        complain(`Node ${line['node']} has been started anew.`);
      } else if (line._id <= last) break;
      lines.push(line);
    }
    return this.#remembered(lines.reverse());
  }

  #remembered(lines: readonly Line[]): readonly Line[] {
    for (const { _id, node } of lines) this.#read.set(String(node), _id);
    return lines;
  }
}

interface Wanted {
  readonly level: string | undefined;
  readonly request: string | undefined;
  readonly since: Date | undefined;
  readonly filter: string | undefined;
}

function conditionOf({ level, request, since, filter }: Wanted): string {
  const from = LEVELS.indexOf(level ?? 'info');
  if (from < 0) {
    const near = didYouMean(level ?? '', LEVELS) ?? `There are ${LEVELS.join(', ')}`;
    throw new UsageError(`there is no level '${level}' in a log. ${near}`);
  }
  const levels = LEVELS.slice(from).map((each) => filterOf`level eq ${each}`.text);
  const ids = ['requestId', 'transaction', 'run'].map(
    (name) => `${name} eq ${filterOf`${request ?? ''}`.text}`,
  );
  const parts = [
    ...(from === 0 ? [] : [levels.join(' or ')]),
    ...(request === undefined ? [] : [ids.join(' or ')]),
    ...(since === undefined ? [] : [filterOf`time ge ${since}`.text]),
    ...(filter === undefined ? [] : [filter]),
  ];
  return parts.map((part) => `(${part})`).join(' and ') || 'true';
}
