import { describe, expect, it } from 'vitest';
import type { ConfigChange } from '#config/config-change.ts';
import {
  ConfigStore,
  ConfigWatcher,
  endpointConfig,
  scheduleConfig,
  schedulerConfig,
  scriptConfig,
} from '#config/index.ts';
import { temporaryProject } from './temporary-project.ts';

const threads = (count: unknown) => JSON.stringify({ threadPool: { threadCount: count } });

async function openWatched(...files: Parameters<typeof temporaryProject>) {
  const project = await temporaryProject(...files);
  const store = await ConfigStore.open(project.options);
  const changes: ConfigChange[] = [];
  store.watch((change) => {
    changes.push(change);
  });
  const watcher = new ConfigWatcher({
    store,
    observe: (said) => {
      throw new Error(said.kind, { cause: said });
    },
  });
  return { ...project, store, changes, watcher, [Symbol.asyncDispose]: project[Symbol.asyncDispose] };
}

describe('the configuration watcher', () => {
  it('does nothing while nothing changes', async () => {
    await using watched = await openWatched({ 'conf/scheduler.json': threads(3) });
    await watched.watcher.runOnce();
    expect(watched.changes).toEqual([]);
    expect(watched.reports).toEqual([]);
  });

  it('takes over a changed file and tells what it was and is', async () => {
    await using watched = await openWatched({ 'conf/scheduler.json': threads(3) });
    await watched.write({ 'conf/scheduler.json': threads('4') });
    const seen: number[] = [];
    watched.store.watch(() => {
      seen.push(watched.store.get(schedulerConfig).threadCount);
    });
    await watched.watcher.runOnce();
    expect(watched.changes).toMatchObject([
      {
        id: 'scheduler',
        kind: 'changed',
        previous: { threadCount: 3 },
        current: { threadCount: 4 },
      },
    ]);
    expect(seen).toEqual([4]);
    expect(watched.reports).toEqual([{ kind: 'config.changed', id: 'scheduler', change: 'changed' }]);
  });

  it('sees files come and go', async () => {
    await using watched = await openWatched({ 'conf/schedule-a.json': '{"invokeService":"x"}' });
    await watched.write({ 'conf/schedule-b.json': '{"invokeService":"y"}' });
    await watched.remove('conf/schedule-a.json');
    await watched.watcher.runOnce();
    expect(watched.changes.map(({ id, kind }) => `${kind} ${id}`)).toEqual([
      'removed schedule/a',
      'added schedule/b',
    ]);
    expect(watched.changes[0]).toMatchObject({ previous: { invokeService: 'x' } });
    expect(watched.changes[0]).not.toHaveProperty('current');
    expect(watched.store.list(scheduleConfig).map(({ alias }) => alias)).toEqual(['b']);
  });

  it('falls back to the file of the installation, then to the defaults', async () => {
    await using watched = await openWatched(
      { 'conf/scheduler.json': threads(3), 'conf/managed.json': '{"objects":[{"name":"a"}]}' },
      { 'conf/scheduler.json': threads(5) },
    );
    await watched.remove('conf/scheduler.json');
    await watched.remove('conf/managed.json');
    await watched.watcher.runOnce();
    expect(watched.changes).toMatchObject([
      { id: 'scheduler', kind: 'changed', current: { threadCount: 5 } },
      { id: 'managed', kind: 'changed', current: { objects: [] } },
    ]);
  });

  it('keeps the old configuration while the new one is wrong, and says so once per content', async () => {
    await using watched = await openWatched({ 'conf/scheduler.json': threads(3) });
    await watched.write({ 'conf/scheduler.json': '{"threadPool"' });
    await watched.watcher.runOnce();
    await watched.watcher.runOnce();
    await watched.write({ 'conf/scheduler.json': threads('many') });
    await watched.watcher.runOnce();
    await watched.watcher.runOnce();
    expect(watched.changes).toEqual([]);
    expect(watched.store.get(schedulerConfig).threadCount).toBe(3);
    expect(watched.reports).toEqual([
      {
        kind: 'config.refused',
        id: 'scheduler',
        findings: ["conf/scheduler.json:1:14  expected ':', found the end of the file  [CONFIG_BAD_JSON]"],
      },
      {
        kind: 'config.refused',
        id: 'scheduler',
        findings: [
          'conf/scheduler.json:1:30  "threadPool.threadCount" must be a whole number from 1 to 10000, not "many"  [CONFIG_BAD_VALUE]',
        ],
      },
    ]);
  });

  it('reports a mistake again when it comes back after it was mended', async () => {
    await using watched = await openWatched({ 'conf/scheduler.json': threads(3) });
    for (const text of ['{', threads(3), '{']) {
      await watched.write({ 'conf/scheduler.json': text });
      await watched.watcher.runOnce();
    }
    expect(watched.reports.map(({ kind }) => kind)).toEqual(['config.refused', 'config.refused']);
  });

  it('takes over what is right beside what is wrong', async () => {
    await using watched = await openWatched({});
    await watched.write({
      'conf/schedule-good.json': '{"invokeService":"x"}',
      'conf/schedule-wrong.json': '{}',
    });
    await watched.watcher.runOnce();
    expect(watched.store.list(scheduleConfig).map(({ alias }) => alias)).toEqual(['good']);
    await watched.write({ 'conf/schedule-wrong.json': '{"invokeService":"y"}' });
    await watched.watcher.runOnce();
    expect(watched.changes.map(({ id, kind }) => `${kind} ${id}`)).toEqual([
      'added schedule/good',
      'added schedule/wrong',
    ]);
  });

  it('compares content, not text: layout, _id and _rev are no change', async () => {
    await using watched = await openWatched({ 'conf/scheduler.json': threads(3) });
    await watched.write({
      'conf/scheduler.json': '{ "_id": "scheduler", "_rev": "3",\n "threadPool": {"threadCount": 3} }',
    });
    await watched.watcher.runOnce();
    expect(watched.changes).toEqual([]);
  });

  it('takes a new order for a change, because the order of script sources counts', async () => {
    const script = (...names: string[]) =>
      JSON.stringify({
        ECMAScript: {},
        sources: Object.fromEntries(names.map((name) => [name, { directory: name }])),
      });
    await using watched = await openWatched({ 'conf/script.json': script('a', 'b') });
    await watched.write({ 'conf/script.json': script('b', 'a') });
    await watched.watcher.runOnce();
    expect(watched.changes.map(({ id }) => id)).toEqual(['script']);
    expect(Object.keys(watched.store.get(scriptConfig).sources)).toEqual(['b', 'a']);
  });

  it('does not give up a required configuration whose file is gone', async () => {
    await using project = await temporaryProject({
      'conf/script.json': '{"ECMAScript":{}, "properties":{"a":1}}',
    });
    const settings = { ...project.settings, installLocation: '/no/such/folder' };
    const store = await ConfigStore.open({ ...project.options, settings });
    await project.remove('conf/script.json');
    await store.reload();
    await store.reload();
    expect(store.get(scriptConfig).properties).toEqual({ a: 1 });
    expect(project.reports.map(({ kind }) => kind)).toEqual(['config.refused']);
  });

  it('changes nothing when a whole folder vanishes', async () => {
    await using watched = await openWatched({ 'conf/schedule-a.json': '{"invokeService":"x"}' });
    await watched.remove('conf');
    await expect(watched.watcher.runOnce()).rejects.toThrow('is gone');
    expect(watched.store.list(scheduleConfig)).toHaveLength(1);
    await watched.write({ 'conf/schedule-b.json': '{"invokeService":"x"}' });
    await watched.watcher.runOnce();
    expect(watched.store.list(scheduleConfig).map(({ alias }) => alias)).toEqual(['b']);
  });

  it('tells typed listeners of their definition only, until they leave', async () => {
    await using watched = await openWatched({});
    const services: (string | undefined)[] = [];
    const leave = watched.store.watchOnly(scheduleConfig, ({ current }) => {
      services.push(current?.invokeService);
    });
    await watched.write({
      'conf/schedule-a.json': '{"invokeService":"x"}',
      'conf/endpoint-a.json': '{"type":"groovy","file":"a"}',
    });
    await watched.watcher.runOnce();
    leave();
    await watched.write({ 'conf/schedule-a.json': '{"invokeService":"z"}' });
    await watched.watcher.runOnce();
    expect(services).toEqual(['x']);
    expect(watched.store.list(endpointConfig)).toHaveLength(1);
  });

  it('tells the others when one listener fails, and fails the round afterwards', async () => {
    await using watched = await openWatched({});
    const told: string[] = [];
    watched.store.watch(() => Promise.reject(new Error('cannot follow')));
    watched.store.watch(({ id }) => {
      told.push(id);
    });
    await watched.write({ 'conf/quota.json': '{}', 'conf/archive.json': '{}' });
    await expect(watched.watcher.runOnce()).rejects.toMatchObject({ errors: [{}, {}] });
    expect(told).toEqual(['archive', 'quota']);
    await watched.watcher.runOnce();
    expect(watched.changes).toHaveLength(2);
  });

  it('does not run two rounds at once', async () => {
    await using watched = await openWatched({});
    await watched.write({ 'conf/quota.json': '{}' });
    await Promise.all([watched.watcher.runOnce(), watched.watcher.runOnce(), watched.watcher.runOnce()]);
    expect(watched.changes).toHaveLength(1);
  });

  it('polls by itself between start and stop', async () => {
    await using project = await temporaryProject({ 'conf/boot/boot.properties': 'svc.fileinstall.poll=100' });
    const store = await ConfigStore.open(project.options);
    const watcher = new ConfigWatcher({ store, observe: () => {} });
    expect(watcher.intervalMs).toBe(100);
    const changed = new Promise<string>((resolve) => store.watch(({ id }) => resolve(id)));
    await watcher.start();
    await project.write({ 'conf/quota.json': '{}' });
    expect(await changed).toBe('quota');
    await watcher.stop();
    await watcher.stop();
  });

  it.each([
    ['svc.fileinstall.enabled=false', { enabled: false, intervalMs: 2000 }],
    ['svc.fileinstall.poll=soon', { enabled: true, intervalMs: 2000 }],
    ['svc.fileinstall.poll=1', { enabled: true, intervalMs: 100 }],
  ])('is set up by %s', async (line, expected) => {
    await using project = await temporaryProject({ 'conf/boot/boot.properties': line });
    const store = await ConfigStore.open(project.options);
    let rounds = 0;
    const counted = { properties: store.properties, reload: async () => void rounds++ };
    const watcher = new ConfigWatcher({ store: counted, observe: () => {} });
    expect(watcher).toMatchObject(expected);
    await watcher.start();
    await watcher.stop();
    if (!expected.enabled) expect(rounds).toBe(0);
  });
});
