import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  authenticationConfig,
  ConfigStore,
  clusterConfig,
  endpointConfig,
  managedConfig,
  repoConfig,
  scheduleConfig,
  schedulerConfig,
  scriptConfig,
} from '#config/index.ts';
import { temporaryProject } from './temporary-project.ts';

describe('the configuration store', () => {
  it('has defaults for every file but script.json', async () => {
    await using project = await temporaryProject({});
    const store = await ConfigStore.open(project.options);
    const { projectLocation, installLocation } = project.settings;
    expect(store.get(clusterConfig)).toEqual({
      instanceId: 'node-under-test',
      instanceTimeout: 30_000,
      instanceRecoveryTimeout: 30_000,
      instanceCheckInInterval: 5_000,
      instanceCheckInOffset: 0,
      enabled: true,
    });
    expect(store.get(schedulerConfig)).toEqual({
      threadCount: 10,
      serviceThreads: {},
      claims: true,
      dst: 'quartz',
      ledgerDays: 90,
      countDays: 731,
    });
    expect(store.get(managedConfig)).toEqual({ objects: [] });
    expect(store.get(repoConfig)).toEqual({ queries: {} });
    expect(store.get(authenticationConfig)).toMatchObject({
      serverAuthContext: { authModules: [], sessionModule: { tokenIdleTimeMinutes: 30, isSecure: 'auto' } },
    });
    expect(store.get(scriptConfig)).toMatchObject({
      properties: {},
      ECMAScript: { 'javascript.recompile.minimumInterval': -1 },
      Groovy: { 'groovy.recompile': true, 'groovy.source.encoding': 'UTF-8' },
    });
    expect(Object.entries(store.get(scriptConfig).sources)).toEqual([
      ['default', { directory: `${installLocation}/bin/defaults/script` }],
      ['install', { directory: installLocation }],
      ['project', { directory: projectLocation }],
      ['project-script', { directory: `${projectLocation}/script` }],
    ]);
    expect(project.reports).toMatchObject([]);
  });

  it('lets others have their turns between the steps of a look at a text, and between its checks', async () => {
    await using project = await temporaryProject({});
    const store = await ConfigStore.open(project.options);
    const turnsOf = async () => {
      let [turns, isLooking] = [0, true];
      const count = () => {
        turns += 1;
        if (isLooking) setImmediate(count);
      };
      setImmediate(count);
      const looked = await store.check('managed', '{"objects": [{"name": "user"}]}');
      isLooking = false;
      expect(looked.findings).toEqual([]);
      return turns;
    };
    const reading = await turnsOf();
    expect(reading).toBeGreaterThanOrEqual(4);
    for (const _ of [1, 2, 3]) store.addCheck(managedConfig, () => undefined);
    expect(await turnsOf()).toBeGreaterThanOrEqual(reading + 3);
  });

  it('ships a script.json with the values that deployments expect there', async () => {
    const shipped = await readFile(new URL('../../../conf/script.json', import.meta.url), 'utf8');
    await using project = await temporaryProject({}, { 'conf/script.json': shipped });
    const store = await ConfigStore.open(project.options);
    const { projectLocation, installLocation } = project.settings;
    expect(store.get(scriptConfig)).toMatchObject({
      properties: {},
      ECMAScript: { 'javascript.recompile.minimumInterval': 60_000 },
      Groovy: {
        'groovy.source.encoding': 'UTF-8',
        'groovy.target.directory': `${installLocation}/classes`,
        'groovy.classpath': `${installLocation}/lib`,
        'groovy.recompile': true,
        'groovy.recompile.minimumInterval': 60_000,
      },
    });
    expect(Object.entries(store.get(scriptConfig).sources)).toEqual([
      ['default', { directory: `${installLocation}/bin/defaults/script` }],
      ['install', { directory: installLocation }],
      ['project', { directory: projectLocation }],
      ['project-script', { directory: `${projectLocation}/script` }],
    ]);
    expect(project.reports).toMatchObject([]);
  });

  it('accepts booleans and numbers that are written as strings or come from properties', async () => {
    await using project = await temporaryProject({
      'conf/boot/boot.properties': 'svc.threads=4\nsvc.scheduler.execute.persistent.schedules=False',
      'conf/scheduler.json': JSON.stringify({
        threadPool: { threadCount: '&{svc.threads}' },
        scheduler: { executePersistentSchedules: '&{svc.scheduler.execute.persistent.schedules}' },
        advancedProperties: {
          'org.quartz.jobStore.misfireThreshold': 5000,
          x: true,
          '#y': 'a property is free',
        },
      }),
      'conf/cluster.json': '{ "instanceTimeout": "20000", "enabled": "false", "#enabled": true }',
      'conf/script.json':
        '{ "ECMAScript": {}, "sources": { "#off": {}, "b": { "directory": "b" }, "a": { "directory": "a" } } }',
    });
    const store = await ConfigStore.open(project.options);
    expect(store.get(schedulerConfig)).toEqual({
      threadCount: 4,
      serviceThreads: {},
      claims: false,
      misfireThresholdMs: 5000,
      dst: 'quartz',
      ledgerDays: 90,
      countDays: 731,
    });
    expect(store.get(clusterConfig)).toMatchObject({ instanceTimeout: 20_000, enabled: false });
    expect(Object.keys(store.get(scriptConfig).sources)).toEqual(['b', 'a']);
  });

  it('lists the configurations of a factory, project before installation', async () => {
    await using project = await temporaryProject(
      { 'conf/endpoint-b.json': '{"type":"text/javascript","source":"mine"}' },
      {
        'conf/endpoint-b.json': '{"type":"text/javascript","source":"theirs"}',
        'conf/endpoint-c-d.json': '{"type":"groovy","source":"theirs","x":{"_queryFilter":"true","#x":[1]}}',
      },
    );
    const store = await ConfigStore.open(project.options);
    expect(store.list(endpointConfig)).toEqual([
      { alias: 'b', value: { type: 'text/javascript', source: 'mine' } },
      { alias: 'c-d', value: { type: 'groovy', source: 'theirs', x: { _queryFilter: 'true', '#x': [1] } } },
    ]);
  });

  it('has the schedules of the project with all their defaults, and none of the installation', async () => {
    await using project = await temporaryProject(
      { 'conf/schedule-b.json': '{"invokeService":"mine", "startTime": null, "persisted":"true"}' },
      { 'conf/schedule-c.json': '{"invokeService":"theirs"}' },
    );
    const store = await ConfigStore.open(project.options);
    const defaults = {
      enabled: true,
      persisted: false,
      concurrentExecution: false,
      recoverable: false,
      transactional: true,
      coalesce: false,
      concurrencyKey: null,
      type: 'cron',
      schedule: null,
      startTime: null,
      endTime: null,
      timeZone: null,
      misfirePolicy: 'fireAndProceed',
      invokeContext: null,
      invokeLogLevel: 'info',
    };
    expect(store.list(scheduleConfig)).toEqual([
      { alias: 'b', value: { ...defaults, persisted: true, invokeService: 'mine' } },
    ]);
  });

  it('keeps unknown keys of lenient files, and warns of what looks misspelt', async () => {
    const managed = {
      objects: [{ name: 'user', iconClass: 'fa', schema: { propertes: {} }, _meta: 1 }],
      ui: 1,
    };
    await using project = await temporaryProject({
      'conf/managed.json': JSON.stringify(managed),
      'conf/endpoint-echo.json':
        '{"type":"groovy","_type":"text/javascript","file":"echo.groovy","apiKey":{"a":[1]}}',
    });
    const store = await ConfigStore.open(project.options);
    expect(store.get(managedConfig)).toEqual(managed);
    expect(store.list(endpointConfig)[0]?.value).toEqual({
      type: 'groovy',
      _type: 'text/javascript',
      file: 'echo.groovy',
      apiKey: { a: [1] },
    });
    expect(project.reports.map((report) => report.kind)).toEqual([
      'config.note',
      'config.note',
      'config.note',
      'config.warned',
    ]);
    expect(project.reports.at(-1)).toMatchObject({
      kind: 'config.warned',
      message: `conf/managed.json:1:55  "objects[0].schema.propertes" is read by nothing — Did you mean 'properties'?  [CONFIG_UNREAD_KEY]`,
    });
  });

  it('warns of what a file of the field has and nothing here reads, and of files that nothing reads', async () => {
    await using project = await temporaryProject({
      'conf/access.json': '{}',
      'conf/mine.json': '{}',
      'conf/audit.json': '{"eventHandlers":[],"eventTopics":{"activity":{"filters":{}}}}',
      'conf/router.json': `{"filters":[{"onReqest":{},"onRequest":{"type":"text/javascript","source":"1","mine":1}}]}`,
      'conf/managed.json': JSON.stringify({
        objects: [{ name: 'a', icon: 'x', schema: { properties: { b: { type: 'string', enum: ['c'] } } } }],
      }),
    });
    await ConfigStore.open(project.options);
    const warnings = project.reports.flatMap((said) => (said.kind === 'config.warned' ? [said.message] : []));
    expect(warnings).toEqual([
      'conf/access.json is read by nothing. Who may do what stands in script/access.js',
      expect.stringMatching(/"eventTopics.activity.filters" is read by nothing — Did you mean 'filter'/),
      expect.stringMatching(/^conf\/audit.json:1:2 {2}"eventHandlers" is read by nothing — Entries are kept/),
      expect.stringMatching(/"objects\[0\].schema.properties.b.enum" is not in force: .*Write policies/),
      expect.stringMatching(/"filters\[0\].onReqest" is read by nothing — Did you mean 'onRequest'/),
    ]);
  });

  it('warns of references without a value and leaves them in the text', async () => {
    await using project = await temporaryProject({
      'conf/endpoint-a.json': '{"type":"groovy","file":"a.groovy","url":"&{svc.x}/&{svc.y}/&{svc.x}"}',
    });
    const store = await ConfigStore.open(project.options);
    expect(store.list(endpointConfig)[0]?.value).toMatchObject({ url: '&{svc.x}/&{svc.y}/&{svc.x}' });
    expect(project.reports).toMatchObject([
      { kind: 'config.warned', message: 'conf/endpoint-a.json: no value for svc.x, svc.y' },
    ]);
  });

  it('warns of a file whose name looks misspelt', async () => {
    await using project = await temporaryProject({
      'conf/scheduler-nightly.json': '{}',
      'conf/schedule.json': '{}',
      'conf/policy.json': '{}',
      'conf/ui-configuration.json': '{}',
    });
    await ConfigStore.open(project.options);
    expect(project.reports).toMatchObject([
      { kind: 'config.warned', message: `conf/schedule.json is read by nothing. Did you mean 'scheduler'?` },
      {
        kind: 'config.warned',
        message: `conf/scheduler-nightly.json is read by nothing. Did you mean 'schedule'?`,
      },
    ]);
  });

  it('gives the raw text with references for any file, with or without a definition', async () => {
    await using project = await temporaryProject({
      'conf/policy.json': '{"a":"&{svc.node.id}"}',
      'conf/cluster.json': '{"instanceId":"&{svc.node.id}"}',
      'conf/.hidden.json': '{',
      'conf/notes.txt': '{',
    });
    const store = await ConfigStore.open(project.options);
    expect(store.findRaw('policy')).toEqual({ a: '&{svc.node.id}' });
    expect(store.findRaw('cluster')).toEqual({ instanceId: '&{svc.node.id}' });
    expect(store.findRaw('absent')).toBeUndefined();
    expect(store.ids().toSorted()).toEqual([
      'audit',
      'authentication',
      'cluster',
      'managed',
      'policy',
      'repo',
      'router',
      'scheduler',
      'scim',
      'script',
      'sync',
      'workflow',
    ]);
  });

  it('refuses to answer for a definition that it does not know', async () => {
    await using project = await temporaryProject({});
    const store = await ConfigStore.open({ ...project.options, definitions: [scriptConfig] });
    expect(() => store.get(clusterConfig)).toThrow("'cluster'");
    expect(() => store.list(scheduleConfig)).toThrow("'schedule'");
  });
});
