/** Starts process instances and completes their task, as many clients at once as it is told, over kept connections. */
import { Agent, request } from 'node:http';
import { answerParent } from './child.ts';
import { Latency } from './latency.ts';
import { AUTHORIZATION } from './service.ts';

export interface WorkflowTask {
  readonly url: string;
  readonly key: string;
  /** Completes the task that the instance waits at. */
  readonly completes: boolean;
  readonly clients: number;
  readonly ms: number;
}

export interface WorkflowResult {
  /** Instances from start to end. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

answerParent(async ({ url, key, completes, clients, ms }: WorkflowTask): Promise<WorkflowResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const latency = new Latency();
  const startedAt = performance.now();
  let count = 0;
  const call = (path: string, body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { Authorization: AUTHORIZATION, 'Content-Type': 'application/json' };
      const sent = request(`${url}/svc/${path}`, { agent, method: 'POST', headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece) => {
          text += piece;
        });
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 300) resolve(text);
          else reject(new Error(`${path} answered ${response.statusCode}: ${text}`));
        });
      });
      sent.on('error', reject).end(body);
    });
  const start = JSON.stringify({ _key: key, department: 'Sales', count: 1 });
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - startedAt < ms) {
        const sentAt = performance.now();
        const { _id } = JSON.parse(await call('workflow/processinstance', start)) as { _id: string };
        // Ids of tasks follow from that of the instance; the first execution after the start event is number 2.
        if (completes)
          await call(`workflow/taskinstance/${_id.slice(0, -1)}2?_action=complete`, '{"decision":"yes"}');
        latency.add(performance.now() - sentAt);
        count++;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return { perSecond: count / seconds, p50Ms: latency.percentile(0.5), p99Ms: latency.percentile(0.99) };
});
