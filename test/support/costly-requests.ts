import type { HostileRequest } from './hostile-requests.ts';

const FIELDS = ['/a', '/b', '/l/x', '/l/y', '/deep/er/c', '/l', '/deep'] as const;

/** A request that asks for far more work than it is long, by chance; of those who are known. */
export function costlyRequest(
  random: () => number,
  headers: Readonly<Record<string, string>>,
): HostileRequest {
  const below = (most: number) => Math.floor(random() * most);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const times = <T>(count: number, make: (n: number) => T): T[] =>
    Array.from({ length: count }, (_, n) => make(n));
  const value = (): unknown =>
    pick<() => unknown>([
      () => 'x'.repeat(below(100_000)),
      () => times(below(20_000), (n) => n),
      () => times(below(2_000), (n) => ({ n, text: 'y'.repeat(below(20)) })),
      () => Object.fromEntries(times(below(3_000), (n) => [`name${n}`, n])),
      () => times(below(200), () => ({})).reduce<object>((inner) => ({ inner }), {}),
      () => below(9),
    ])();
  const operation = (n: number): object => {
    const field = pick(FIELDS);
    switch (pick(['copy', 'copy', 'copy', 'move', 'increment', 'remove', 'by value', 'add', 'deep'])) {
      case 'copy':
        return { operation: 'copy', from: field, field: `${pick(FIELDS)}/c${n}` };
      case 'move':
        return { operation: 'move', from: field, field: `/m${n}` };
      case 'increment':
        return { operation: 'increment', field: '/numbers', value: 1 };
      case 'remove':
        return { operation: 'remove', field };
      case 'by value':
        return { operation: 'remove', field: '/numbers', value: below(9) };
      case 'deep':
        return { operation: 'add', field: `/d${'/e'.repeat(below(250))}`, value: n };
      default:
        return { operation: 'add', field, value: n < 5 ? value() : n };
    }
  };
  const patch = () => [
    { operation: 'add', field: '/numbers', value: times(below(60_000), (n) => n) },
    { operation: 'add', field: '/l', value: { x: value() } },
    // What is done to numbers alone goes on until it is refused.
    ...(random() < 0.5
      ? times(below(3_000), () => ({ operation: 'increment', field: '/numbers', value: 1 }))
      : times(below(400), operation)),
  ];
  const filter = () =>
    pick([
      () => times(below(700), (n) => `a${n} eq ${n}`).join(' or '),
      () => `${'('.repeat(below(250))}true`,
      () => `${'!('.repeat(200)}a eq 1${')'.repeat(200)}`,
      () => `${'a/'.repeat(below(250))}b pr`,
      () => `userName in [${times(below(1_500), (n) => n).join(',')}]`,
    ])();
  const send = (method: string, path: string, body?: unknown): HostileRequest => ({
    method,
    path: `/svc/${path}`,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const query = () => {
    const asked = [`_queryFilter=${encodeURIComponent(filter())}`];
    if (random() < 0.3) asked.push(`_sortKeys=${times(below(20), (n) => `-s${n}`).join(',')}`);
    if (random() < 0.3) asked.push(`_fields=${times(below(600), (n) => `f${n}/g`).join(',')}`);
    return send('GET', `managed/user?${asked.join('&')}`);
  };
  const script = () =>
    pick([
      () =>
        `for (let i = 0; i < 50; i++) svc.patch('managed/user/ada', null, ${JSON.stringify(times(20, operation))})`,
      () => `let text = 'x'; for (let i = 0; i < ${below(40)}; i++) text += text; text.length`,
      () => `svc.create('repo/costly', null, { text: 'x'.repeat(${below(9_000_000)}) }); 1`,
      () => `for (;;) logger.trace('x')`,
      () => `svc.query('managed/user', { _queryFilter: ${JSON.stringify(filter())} }).resultCount`,
    ])();
  return pick([
    () => send('PATCH', 'managed/role/costly', patch()),
    () => send('PATCH', 'managed/user/ada', patch()),
    () => send('POST', 'managed/role/costly?_action=patch&_dryRun=true', patch()),
    () => send('PATCH', 'config/endpoint/echo?_dryRun=true', patch()),
    () => send('PUT', 'managed/role/costly', { name: 'costly', description: 'x', value: value() }),
    () => send('PUT', `repo/costly/r${below(5)}`, { value: value(), other: value() }),
    () =>
      send('POST', 'scheduler/job?_action=validateQuartzCronExpression', {
        cronExpression: '0 '.repeat(below(200_000)),
      }),
    query,
    () => send('POST', 'script?_action=eval', { type: 'text/javascript', source: script() }),
  ])();
}
