import { type Command, EXIT } from './command.ts';

/** `svc health`: asks a node how it is, for container probes. */
export const health: Command = {
  name: 'health',
  summary: "ask a node's health endpoint, for container probes",
  help: `
  --url <url>         the node; default http://127.0.0.1:$PORT (8080)
  --live              only whether it lives, not whether it is ready

Exits 0 when it is well, 1 when it is not or cannot be reached.

Example: svc health --url http://127.0.0.1:8080
`,
  options: { url: { type: 'string' }, live: { type: 'boolean' } },

  async run(flags) {
    const base = flags['url'] ?? `http://127.0.0.1:${process.env['PORT'] ?? '8080'}`;
    const url = `${base}/health/${flags['live'] === true ? 'live' : 'ready'}`;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      console.log(await response.text());
      return response.ok ? EXIT.OK : EXIT.FINDING;
    } catch (error) {
      const { cause, message } = error as Error;
      console.error(`${url}: ${cause instanceof Error ? cause.message : message}`);
      return EXIT.FINDING;
    }
  },
};
