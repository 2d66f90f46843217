/**
 * Has the same conversation with a server as often as it can, several at once, over kept connections. What an answer says goes into
 * the next request, so that servers of different houses can be asked for the same by the same client.
 */
import { Agent, request } from 'node:http';
import { answerParent } from '../child.ts';
import { Latency } from '../latency.ts';
import type { Conversation, ConversationResult, Step } from './conversation.ts';

let lastNumber = 0;

answerParent(async (task: Conversation): Promise<ConversationResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: task.clients });
  const latency = new Latency();
  const startedAt = performance.now();
  let count = 0;
  let next = 0;
  /** Undefined when all has been said. */
  const subject = (): string | undefined => {
    if (task.eachOnce) return task.about[next++];
    if (performance.now() - startedAt >= task.ms) return undefined;
    return task.about[Math.floor(Math.random() * task.about.length)] ?? '';
  };
  await Promise.all(
    Array.from({ length: task.clients }, async () => {
      for (let about = subject(); about !== undefined; about = subject()) {
        const known: Record<string, string> = { about, number: String(++lastNumber) };
        const sentAt = performance.now();
        for (const step of task.steps) {
          const answer = await ask(agent, task, step, known);
          for (const [name, path] of Object.entries(step.takes ?? {})) known[name] = memberAt(answer, path);
        }
        latency.add(performance.now() - sentAt);
        count++;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  return { count, perSecond: count / seconds, p99Ms: latency.percentile(0.99) };
});

function ask(
  agent: Agent,
  { url, headers }: Conversation,
  { method, path, body }: Step,
  known: Readonly<Record<string, string>>,
): Promise<string> {
  const fill = (text: string) => text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => known[name] ?? '');
  const text = body === undefined ? undefined : fill(body);
  const own = text === undefined ? {} : { 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${fill(path)}`,
      { agent, method, headers: { ...headers, ...own } },
      (answer) => {
        let said = '';
        answer.setEncoding('utf8').on('data', (piece) => {
          said += piece;
        });
        answer.on('end', () => {
          if ((answer.statusCode ?? 500) < 300) resolve(said);
          else reject(new Error(`${method} ${url}${fill(path)} answered ${answer.statusCode}: ${said}`));
        });
      },
    );
    sent.on('error', reject).end(text);
  });
}

/** @param path such as `result.0._id` */
function memberAt(text: string, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>(
      (within, name) => (within as Record<string, unknown> | undefined)?.[name],
      JSON.parse(text),
    );
  if (typeof value !== 'string') throw new Error(`There is no '${path}' in ${text}`);
  return value;
}
