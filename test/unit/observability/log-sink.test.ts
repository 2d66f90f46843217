import { describe, expect, it } from 'vitest';
import { createLogSink, createMetrics, type LogLevel, type Observation } from '#observability/index.ts';

function logged(level: LogLevel, ...observations: Observation[]): Record<string, unknown>[] {
  const lines: string[] = [];
  const sink = createLogSink({
    level,
    nodeId: 'n1',
    pretty: false,
    destination: { write: (line: string) => void lines.push(line) },
  });
  for (const observation of observations) sink.observe(observation);
  const written = lines.join('').split('\n').slice(0, -1);
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the log', () => {
  it('has one line per observation, with its level, node and kind', () => {
    expect(logged('info', { kind: 'node.joined', node: 'b', epoch: 3 })).toMatchObject([
      { level: 'info', node: 'n1', kind: 'node.joined', epoch: 3, msg: 'node b joined the cluster' },
    ]);
    const forged = logged('info', { kind: 'node.joined', node: 'b\r\n{"level":"info","msg":"x"}', epoch: 3 });
    expect(forged).toMatchObject([{ epoch: 3, time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) }]);
  });

  it('shows a terminal no character that it would obey, and no line of somebody else', () => {
    const lines: string[] = [];
    const sink = createLogSink({
      level: 'info',
      nodeId: 'n1',
      pretty: true,
      destination: { write: (line: string) => void lines.push(line) },
    });
    const name = 'b\u001b[2J\u202e\r\n07:00:00 INFO  all is well';
    sink.observe({ kind: 'node.joined', node: name, epoch: 3 });
    const { msg } = JSON.parse(lines.join('')) as { msg: string };
    expect(msg).toBe('node b\\u001b[2J\\u202e\\u000d\n    07:00:00 INFO  all is well joined the cluster');
  });

  it('has the name that the configuration gives its node, once it is known', () => {
    const lines = logged(
      'info',
      { kind: 'server.stopped' },
      { kind: 'node.named', node: 'blue' },
      { kind: 'server.stopped' },
    );
    expect(lines.map(({ node }) => node)).toEqual(['n1', 'blue']);
  });

  it('leaves out what is below its level', () => {
    const answered: Observation = {
      kind: 'http.answered',
      method: 'GET',
      path: '/',
      status: 200,
      ms: 1,
      requestId: 'r',
    };
    expect(logged('info', answered)).toEqual([]);
    expect(logged('debug', answered)).toHaveLength(1);
  });

  it('tells an error with its stack and its cause', () => {
    const error = new Error('outer', { cause: new Error('inner') });
    const [line] = logged('info', { kind: 'loop.failed', loop: 'poller', error });
    expect(line).toMatchObject({ level: 'warn', error: 'outer', stack: expect.stringMatching(/outer\n/) });
    expect(line!['cause']).toMatch(/inner/);
  });

  it('tells a failure that repeats at most every 30 seconds, and then how many were left out', () => {
    const lines: string[] = [];
    let now = 1_000;
    const sink = createLogSink({
      level: 'info',
      nodeId: 'n1',
      pretty: false,
      destination: { write: (line: string) => void lines.push(line) },
      now: () => now,
    });
    const fail = (loop: string, message: string) =>
      sink.observe({ kind: 'loop.failed', loop, error: new Error(message) });
    for (let n = 0; n < 20; n++) {
      fail('poller', 'no connection');
      now += 1_000;
    }
    fail('poller', 'another error');
    fail('heartbeat', 'no connection');
    now += 10_000;
    fail('poller', 'no connection');
    expect(
      lines
        .map((line) => JSON.parse(line))
        .map(({ msg, error, leftOut }) => [msg.split(':')[0], error, leftOut]),
    ).toEqual([
      ['poller', 'no connection', undefined],
      ['poller', 'another error', undefined],
      ['poller', 'no connection', 20],
    ]);
  });
});

describe('the metrics', () => {
  it('count outcomes by schedule, and show gauges as they are when asked', async () => {
    const metrics = createMetrics();
    metrics.gauge('svc_answer', 'The answer', () => 42);
    metrics.observe({
      kind: 'trigger.completed',
      schedule: 's',
      invoker: 'i',
      run: 'r',
      transaction: 'r',
      ms: 1,
      next: null,
      level: 'info',
    });
    metrics.observe({ kind: 'trigger.fired', schedule: 's', run: 'r', plannedAt: 0, lateMs: -0.4 });
    const text = await metrics.render();
    expect(text).toMatch(/svc_firings_total\{schedule="s",outcome="fired"\} 1/);
    expect(text).toMatch(/svc_trigger_lateness_seconds_sum 0/);
    expect(text).toMatch(/svc_answer 42/);
  });
});
