import { type Command, EXIT } from './command.ts';
import { urlOf } from './remote/connection.ts';
import { tellError } from './tell-error.ts';
import { isTold, tell, toldHelp, toldOptions } from './told.ts';

/** `svc health`: asks a node how it is, for container probes. */
export const health: Command = {
  name: 'health',
  summary: "ask a node's health endpoint, for container probes",
  help: `
  --url <url>         SVC_URL: the node; default: http://127.0.0.1:$PORT (8080)
  --live              only whether it lives, not whether it is ready
${toldHelp}

Exits 0 when it is well, 1 when it is not or cannot be reached.

Example: svc health --url http://127.0.0.1:8080
`,
  options: { url: { type: 'string' }, live: { type: 'boolean' }, ...toldOptions },

  async run(flags) {
    const url = `${urlOf(flags).replace(/\/+$/, '')}/health/${flags['live'] === true ? 'live' : 'ready'}`;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      const text = await response.text();
      tell(flags, JSON.parse(text), () => inLines(text));
      return response.ok ? EXIT.OK : EXIT.FINDING;
    } catch (error) {
      const { cause, message } = error as Error;
      const said = `${url}: ${cause instanceof Error ? cause.message : message}`;
      tellError(isTold(flags) === 'json', { message: said });
      return EXIT.FINDING;
    }
  },
};

/** A line for the node, and one for each of its parts that it tells of. */
function inLines(text: string): string {
  const { state, parts = {} } = JSON.parse(text) as Health;
  const width = Math.max(...Object.keys(parts).map((name) => name.length), 4);
  const line = (name: string, part: Part) =>
    `${part.state === 'up' ? '✓' : '✗'} ${name.padEnd(width)}  ${part.state}${part.detail === undefined ? '' : `  ${part.detail}`}`;
  return [line('node', { state }), ...Object.entries(parts).map(([name, part]) => line(name, part))].join(
    '\n',
  );
}

interface Part {
  readonly state: string;
  readonly detail?: string;
}

interface Health extends Part {
  readonly parts?: Readonly<Record<string, Part>>;
}
