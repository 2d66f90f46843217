import { describe, expect, it } from 'vitest';
import type { ResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { isClaimable } from '../../../src/taskscanner/claimable.ts';
import { expandQuery, parseScanDefinition } from '../../../src/taskscanner/scan-definition.ts';
import { expandMacros } from '../../../src/taskscanner/scan-macro.ts';

const SCRIPT = { type: 'text/javascript', source: 'true' };
const FULL = {
  maxRecords: 2000,
  numberOfThreads: 5,
  waitForCompletion: 'true',
  scan: {
    object: 'managed/user',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a macro of the scan
    _queryFilter: '/sunset/date lt "${Time.now}" and !(/sunset/task-completed pr)',
    taskState: { started: '/sunset/task-started', completed: 'sunset/task-completed' },
    recovery: { timeout: '10m' },
  },
  task: { script: SCRIPT },
};

/** A copy with another value at a path; undefined takes it away. */
function withAt(path: string, value: unknown): JsonObject {
  const copy = structuredClone(FULL) as unknown as JsonObject;
  const keys = path.split('.');
  const parent = keys.slice(0, -1).reduce((at, key) => at[key] as JsonObject, copy);
  if (value === undefined) delete parent[keys.at(-1)!];
  else parent[keys.at(-1)!] = value as never;
  return copy;
}

function refusal(invokeContext: unknown): { message: string; field: string; id: string } {
  try {
    parseScanDefinition(invokeContext as never);
  } catch (error) {
    const { code, message, detail } = error as ResourceError;
    expect(code).toBe(400);
    return { message, ...(detail as { field: string; id: string }) };
  }
  throw new Error('it was accepted');
}

describe('the definition of a scan', () => {
  it('is read with its defaults', () => {
    expect(parseScanDefinition(FULL)).toMatchObject({
      object: 'managed/user',
      started: '/sunset/task-started',
      completed: 'sunset/task-completed',
      recovery: '10m',
      maxRecords: 2000,
      threads: 5,
      wait: true,
      synchronize: true,
      script: SCRIPT,
    });
    const { scan, task } = FULL;
    const { recovery: _, ...plain } = scan;
    expect(parseScanDefinition({ scan: plain, task })).toMatchObject({
      recovery: null,
      maxRecords: null,
      threads: 10,
      wait: false,
    });
  });

  it('may call a query by name, with every other key as a parameter', () => {
    const scan = {
      object: 'managed/user',
      _queryId: 'scan-tasks',
      property: '/sunset/date',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a macro of the scan
      condition: { before: '${Time.now + 1d}', level: 3 },
      taskState: { started: '/a', completed: '/b' },
    };
    const { query } = parseScanDefinition({ scan, task: FULL.task });
    const { parameters } = expandQuery(query, Date.parse('2026-08-01T10:00:00Z'));
    expect(parameters).toEqual({
      property: '/sunset/date',
      'condition.before': '2026-08-02T10:00:00.000Z',
      'condition.level': '3',
      'taskState.started': '/a',
      'taskState.completed': '/b',
    });
  });

  it('that says nothing of what it looks for looks at all', () => {
    const { query } = parseScanDefinition(withAt('scan._queryFilter', undefined));
    expect(query).toMatchObject({ queryFilter: 'true', queryId: null, queryExpression: null });
  });

  it.each([
    ['scan', undefined, '/scan'],
    ['task', undefined, '/task'],
    ['task.script', undefined, '/task/script'],
    ['task.script', { type: 'text/javascript' }, '/task/script'],
    ['scan.object', undefined, '/scan/object'],
    ['scan.object', 7, '/scan/object'],
    ['scan.taskState.started', undefined, '/scan/taskState/started'],
    ['scan.taskState.completed', '/', '/scan/taskState/completed'],
    ['scan.taskState.completed', '/sunset/task-started', '/scan/taskState'],
    ['scan._queryFilter', '/a lt', '/scan'],
    ['scan._queryId', 'query-all', '/scan'],
    ['scan.recovery.timeout', '10', '/scan/recovery/timeout'],
    ['scan.recovery.timeout', '10 m', '/scan/recovery/timeout'],
    ['scan.recovery.timeout', '1D', '/scan/recovery/timeout'],
    ['scan.recovery.timeout', 10, '/scan/recovery/timeout'],
    ['maxRecords', -1, '/maxRecords'],
    ['maxRecords', '5', '/maxRecords'],
    ['numberOfThreads', 0, '/numberOfThreads'],
    ['numberOfThreads', '5', '/numberOfThreads'],
    ['waitForCompletion', 'yes', '/waitForCompletion'],
  ])('is refused with %s = %j, naming the key', (path, value, field) => {
    expect(refusal(withAt(path, value))).toMatchObject({
      id: 'SCAN_INVALID',
      field: `/invokeContext${field}`,
    });
  });
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: macros of a scan
describe('a macro', () => {
  const now = Date.parse('2026-01-31T10:00:00.120Z');

  it.each([
    ['${Time.now}', '2026-01-31T10:00:00.120Z'],
    ['x < "${Time.now + 2d}"', 'x < "2026-02-02T10:00:00.120Z"'],
    ['${Time.now - 1h}/${Time.now + 10m}', '2026-01-31T09:00:00.120Z/2026-01-31T10:10:00.120Z'],
    ['${Time.now + 1M}', '2026-02-28T10:00:00.120Z'],
    ['${Time.now - 1y}', '2025-01-31T10:00:00.120Z'],
    ['\\${Time.now}', '\\${Time.now}'],
    ['${Time.now+1d}', '${Time.now+1d}'],
    ['${uid}', '${uid}'],
  ])('%s is %s', (text, expected) => expect(expandMacros(text, now)).toBe(expected));

  it('with an unknown unit is refused', () => {
    expect(() => expandMacros('${Time.now + 1w}', now)).toThrow("'1w' is not a duration");
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: macros of a scan

describe('an object', () => {
  const now = Date.parse('2026-08-01T10:00:00Z');
  const early = '2026-08-01T09:50:00.000Z';
  const late = '2026-08-01T09:50:00.001Z';
  const claimable = (
    state: JsonObject,
    recovery: string | null,
    { revision = '1', started = (state['started'] ?? null) as string | null } = {},
  ) =>
    isClaimable(
      { started: '/s/started', completed: '/s/completed', recovery },
      ['a', '1', started],
      { revision, content: { s: state } },
      now,
    );

  it('that was never started may be processed', () => {
    expect(claimable({}, null)).toBe(true);
    expect(claimable({ started: null, completed: null }, '10m')).toBe(true);
  });

  it('that was started is taken again after the recovery timeout, and never without one', () => {
    expect(claimable({ started: early }, '10m')).toBe(true);
    expect(claimable({ started: late }, '10m')).toBe(false);
    expect(claimable({ started: '2000-01-01T00:00:00.000Z' }, null)).toBe(false);
    expect(claimable({ started: '2026-07-01T10:00:00.000Z' }, '1M')).toBe(true);
    expect(claimable({ started: '2026-07-01T10:00:01.000Z' }, '1M')).toBe(false);
  });

  it('that was completed before is processed again when the query finds it', () => {
    expect(claimable({ started: early, completed: early }, null)).toBe(true);
  });

  it('that another scan has had since it was found is left alone', () => {
    expect(claimable({ started: early, completed: early }, null, { revision: '2' })).toBe(false);
    expect(claimable({ started: early }, '10m', { revision: '2', started: '2020' })).toBe(false);
    expect(claimable({ started: early }, '10m', { revision: '2' })).toBe(true);
  });

  it('with something else than a time at the started pointer cannot be judged', () => {
    expect(() => claimable({ started: true }, '10m')).toThrow("true at '/s/started' is no time");
  });
});
