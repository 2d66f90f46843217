/** The door alone: its checks, its pages and its writer, with no database behind. */
import { BodyRoom, HttpServer, UnsentAnswers } from '#http/index.ts';
import { answerParent } from './child.ts';

answerParent(async (): Promise<string> => {
  const server = new HttpServer({
    host: '127.0.0.1',
    port: 0,
    bodyLimitBytes: 1_000_000,
    answerLimitBytes: 1_000_000,
    requestTimeoutMs: 60_000,
    requestDeadlineMs: 15_000,
    trustedProxies: [],
    publicUrl: undefined,
    publicPath: '',
    trustsTransactionId: false,
    rateLimit: undefined,
    bodies: new BodyRoom(1_000_000),
    unsent: new UnsentAnswers(1_000_000),
    diagnostics: 'open',
    resources: undefined,
    named: (request) => request,
    authenticate: () => Promise.reject(new Error('Nobody is asked for here')),
    health: { live: async () => true, started: async () => true, parts: async () => [] },
    metrics: { render: () => Promise.resolve(''), contentType: 'text/plain' },
    observe: () => {},
    describe: () => [],
    version: '0',
  });
  await server.start();
  return server.url;
});
