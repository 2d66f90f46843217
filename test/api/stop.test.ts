import { expect, it } from 'vitest';
import { startTestServer } from '../support/server.ts';

it('a server stops although a client keeps its connection busy, and answers all that it was asked', async () => {
  const server = await startTestServer();
  const statuses = new Set<number>();
  const ask = async () => {
    const response = await fetch(`${server.url}/health/live`);
    await response.text();
    statuses.add(response.status);
  };
  const askUntilRefused = async (): Promise<string> => {
    for (;;) {
      try {
        await ask();
      } catch (error) {
        return (error as { cause: { code: string } }).cause.code;
      }
    }
  };
  await ask();
  const clients = [askUntilRefused(), askUntilRefused()];
  await server[Symbol.asyncDispose]();
  expect(await Promise.all(clients)).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
  expect([...statuses]).toEqual([200]);
});
