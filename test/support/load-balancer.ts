import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** Says which node answered. */
export const ANSWERED_BY = 'x-answered-by';

/** A plain HTTP load balancer: each request goes to the next node, whoever sends it. */
export interface LoadBalancer extends AsyncDisposable {
  readonly url: string;
}

/** @param nodes their base URLs; one that cannot be reached is passed over */
export async function startLoadBalancer(nodes: readonly string[]): Promise<LoadBalancer> {
  let turn = 0;
  const server = createServer(async (asked, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    for (let tried = 0; tried < nodes.length; tried++) {
      const node = nodes[turn++ % nodes.length]!;
      if (await pass(node, asked, Buffer.concat(chunks), answer)) return;
    }
    answer.writeHead(502).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @returns false when the node cannot be reached */
function pass(node: string, asked: IncomingMessage, body: Buffer, answer: ServerResponse): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { method, url, headers } = asked;
  const passed = request(`${node}${url}`, {
    method,
    headers: { ...headers, host: new URL(node).host },
    // A connection that is kept may be closed by the node at the very moment.
    agent: false,
  });
  passed.once('error', () => resolve(false));
  passed.once('response', (response) => {
    answer.writeHead(response.statusCode!, { ...response.headers, [ANSWERED_BY]: node });
    response.pipe(answer);
    resolve(true);
  });
  passed.end(body);
  return promise;
}
