import { rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { makeDue, processFile, untilDeadLetter, workflowApi } from '../support/workflow.ts';
import {
  boundary,
  end,
  error,
  extension,
  flow,
  path,
  service,
  start,
  tag,
  timer,
  user,
} from '../unit/workflow/engine/bpmn.ts';
import '../support/takes-long.ts';

const $ = (expression: string) => `\${${expression}}`;

const v1 = processFile(
  'moving',
  start() + user('keep', { 'flowable:assignee': 'amy' }) + end() + path('s', 'keep', 'e'),
);
const v2 = processFile(
  'moving',
  start() +
    user('keep', { name: $("'Renamed '.concat(topic)"), 'flowable:assignee': 'ben' }) +
    boundary('late', 'keep', timer('PT1H')) +
    user('next') +
    end() +
    end('over') +
    path('s', 'keep', 'next', 'e') +
    flow('late', 'over'),
);
const v3 = processFile('moving', start() + user('another') + end() + path('s', 'another', 'e'));
const groovy = processFile(
  'groovy',
  start() +
    tag(
      'scriptTask',
      'greet',
      { 'flowable:resultVariable': 'greeting' },
      "<script><![CDATA[def names = ['a', 'b']; execution.setVariable('count', names.size()); 'Hello ' + whom.toUpperCase()]]></script>",
    ) +
    tag(
      'scriptTask',
      'assign',
      { scriptFormat: 'groovy', 'flowable:autoStoreVariables': 'true' },
      '<script><![CDATA[total = count * 10; count = count + 1; def hidden = 1]]></script>',
    ) +
    tag(
      'scriptTask',
      'fail',
      { scriptFormat: 'groovy' },
      "<script><![CDATA[if (whom == 'amy') throw new org.flowable.engine.delegate.BpmnError('BROKEN', 'no luck')]]></script>",
    ) +
    boundary('caught', 'fail', error('broken')) +
    user('mend') +
    end() +
    path('s', 'greet', 'assign', 'fail', 'e') +
    path('caught', 'mend', 'e'),
);

async function zip(entries: Record<string, string | Buffer>): Promise<Buffer> {
  const file = new ZipFile();
  for (const [name, content] of Object.entries(entries)) file.addBuffer(Buffer.from(content), name);
  file.end();
  const chunks: Buffer[] = [];
  for await (const chunk of file.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;
const deployed = (file: string, count = 1) =>
  server.observed(
    'workflow.deployed',
    (said) =>
      said.file === file &&
      server.observations.filter((one) => one.kind === 'workflow.deployed' && one.file === file).length >=
        count,
  );
const failed = (file: string) => server.observed('workflow.deployFailed', (said) => said.file === file);
const versions = async (key: string) =>
  (await workflow.list('processdefinition', `key=${key}`)).map((row: { version: number }) => row.version);

beforeAll(async () => {
  server = await startTestServer({
    deploymentIntervalMs: 50,
    files: {
      'workflow/moving.bpmn20.xml': v1,
      'workflow/groovy.bpmn20.xml': groovy,
      'workflow/other.xml': '<beans xmlns="http://www.springframework.org/schema/beans"/>',
      'workflow/lost.xml': '<definitions><process id="lost"><startEvent id="s"/></process></definitions>',
      'workflow/off.bpmn20.xml': processFile('off', start() + end() + path('s', 'e'), {
        isExecutable: 'false',
      }),
      'workflow/bad.bpmn20.xml': '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process',
      'workflow/script.bpmn20.xml': processFile(
        'script',
        start() +
          tag('scriptTask', 'oops', { scriptFormat: 'javascript' }, '<script>if (</script>') +
          end() +
          path('s', 'oops', 'e'),
      ),
    },
  });
  ({ api } = server);
  workflow = workflowApi(api);
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('the watched directory', () => {
  test('has been deployed when the server is up: what is BPMN, executable and without mistakes', async () => {
    const keys = (await workflow.list('processdefinition')).map((row: { key: string }) => row.key);
    expect(keys.sort()).toEqual(['groovy', 'moving', 'script']);
    const refused = (file: string) =>
      server.observations.find((one) => one.kind === 'workflow.deployFailed' && one.file === file);
    expect(refused('bad.bpmn20.xml')).toBeDefined();
    expect(refused('off.bpmn20.xml')).toBeDefined();
    expect(refused('other.xml')).toBeUndefined();
  });

  test('tells of a file that has everything of a process but the namespace', async () => {
    const passedOver = server.observations.filter(({ kind }) => kind === 'workflow.passedOver');
    const hint = expect.stringContaining('xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"');
    expect(passedOver).toMatchObject([{ file: 'lost.xml', hint }]);
    const body = { name: 'lost.bpmn20.xml', content: '<process id="lost"/>' };
    const refused = await api('POST', 'workflow/deployment?_action=deploy', { body });
    expect([refused.status, refused.body.detail.hint]).toEqual([400, hint]);
  });

  test('a script that does not compile is told at the deployment, and fails when it is reached', async () => {
    const [{ _id: id }] = await workflow.list('processdefinition', 'key=script');
    const said = await server.observed('workflow.deployed', ({ file }) => file === 'script.bpmn20.xml');
    expect(said.findings).toEqual([expect.stringContaining("'oops' holds a script with a mistake")]);
    const reached = await api('POST', 'workflow/processinstance', { body: { _processDefinitionId: id } });
    expect([reached.status, reached.body.message]).toEqual([
      503,
      expect.stringContaining('does not compile'),
    ]);
    const late = `<scriptTask id="gr" scriptFormat="groovy" flowable:async="true">
      <script>new com.example.NobodyHasThis()</script></scriptTask>`;
    const content = processFile('late', start() + late + end() + path('s', 'gr', 'e'));
    const deployed = await api('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'late.bpmn20.xml', content },
    });
    expect([deployed.status, deployed.body.definitions[0].findings]).toEqual([
      200,
      [expect.objectContaining({ id: 'WORKFLOW_BAD_SCRIPT', element: 'gr' })],
    ]);
    const instance = await workflow.start('late');
    await untilDeadLetter(server, instance);
  });

  test('a script that does not compile keeps its process out where scripts are strict', async () => {
    await api('PUT', 'config/workflow', { body: { scripts: { strict: true } } });
    const mistaken = `<scriptTask id="js" scriptFormat="javascript"><script>var a = 1;\nvar b = (;</script></scriptTask>`;
    const content = processFile('mistaken', start() + mistaken + end() + path('s', 'js', 'e'));
    const told = await api('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'mistaken.bpmn20.xml', content },
    });
    expect([told.status, told.body.message]).toEqual([
      400,
      expect.stringContaining('(line 2 of the script)'),
    ]);
    await api('PUT', 'config/workflow', { body: {} });
  });

  test('a script without a language is Groovy', async () => {
    const id = await workflow.start('groovy', { whom: 'amy' });
    const { processVariables } = await workflow.get(`processinstance/${id}`);
    expect(processVariables).toMatchObject({ greeting: 'Hello AMY', count: 3, total: 20 });
    expect(processVariables).not.toHaveProperty('hidden');
    expect(await workflow.openTasks(id)).toEqual(['mend']);
  });

  test('a changed file is a new version, a touched one is not; instances stay, migrate, or cannot', async () => {
    const stays = await workflow.start('moving', { topic: 'x' });
    const ends = await workflow.start('moving', { topic: 'x' });
    const migrate = (id: string) => api('POST', `workflow/processinstance/${id}?_action=migrate`);
    const already = await migrate(stays);
    expect([already.status, already.body.message]).toEqual([
      400,
      expect.stringContaining('already on the latest'),
    ]);
    expect((await migrate('nobody')).status).toBe(400);

    await server.project.write('workflow/moving.bpmn20.xml', v1);
    await server.project.write(
      'workflow/new.bpmn20.xml',
      processFile('new', start() + end() + path('s', 'e')),
    );
    await deployed('new.bpmn20.xml');
    expect(await versions('moving')).toEqual([1]);

    await server.project.write('workflow/moving.bpmn20.xml', v2);
    await deployed('moving.bpmn20.xml', 2);
    expect(await versions('moving')).toEqual([1, 2]);
    const [before] = await workflow.tasks(stays);
    expect(before.processDefinitionId).toMatch(/^moving:1:/);
    const moved = await migrate(stays);
    expect([moved.status, moved.body]).toEqual([200, { 'Successfully migrated process instance': stays }]);
    const [after] = await workflow.tasks(stays);
    expect(after).toMatchObject({ _id: before._id, assignee: 'amy', name: 'Renamed x' });
    expect(after.processDefinitionId).toMatch(/^moving:2:/);
    const { waitsFor } = await workflow.get(`processinstance/${stays}?_fields=waitsFor`);
    expect(waitsFor.map((wait: { type: string }) => wait.type)).toEqual(['task', 'timer']);
    await workflow.completeAt(stays, 'keep');
    expect(await workflow.openTasks(stays)).toEqual(['next']);

    await server.project.write('workflow/moving.bpmn20.xml', v3);
    await deployed('moving.bpmn20.xml', 3);
    const refused = await migrate(ends);
    expect([refused.status, refused.body.message]).toEqual([500, expect.stringContaining("'keep'")]);
    await workflow.completeAt(ends, 'keep');
    expect((await workflow.get(`processinstance/${ends}`)).endTime).not.toBeNull();

    const [latest] = await workflow.list('processdefinition', 'key=moving&version=3');
    const [running] = await workflow.list('processdefinition', 'key=moving&version=2');
    const blocked = await api('DELETE', `workflow/processdefinition/${running._id}`);
    expect([blocked.status, blocked.body.detail.id]).toEqual([409, 'WORKFLOW_IN_USE']);
    const gone = await api('DELETE', `workflow/processdefinition/${latest._id}`);
    expect([gone.status, gone.body._id]).toEqual([200, latest._id]);
    expect((await api('DELETE', `workflow/processdefinition/${latest._id}`)).status).toBe(404);
    expect(await versions('moving')).toEqual([1, 2]);
    const again = await workflow.start('moving', { topic: 'y' });
    expect(await workflow.openTasks(again)).toEqual(['keep']);
  });

  test('an archive brings forms and images along, and goes as a whole', async () => {
    const image = Buffer.from('89504e470d0a1a0a', 'hex');
    const bar = await zip({
      'one.bpmn20.xml': processFile(
        'one',
        start('s', '', { 'flowable:formKey': 'start.xhtml' }) +
          user('fill', { 'flowable:formKey': 'fill.xhtml' }) +
          end() +
          path('s', 'fill', 'e'),
      ),
      'two.bpmn': processFile('two', start() + end() + path('s', 'e')),
      'start.xhtml': '<form>{{start}}</form>',
      'fill.xhtml': '<form>{{fill}}</form>',
      'one.one.png': image,
    });
    await writeFile(join(server.project.location, 'workflow', 'both.bar'), bar);
    await deployed('both.bar');
    const [one] = await workflow.list('processdefinition', 'key=one');
    const [two] = await workflow.list('processdefinition', 'key=two');
    expect(one.deploymentId).toBe(two.deploymentId);
    expect(one.processDiagramResourceName).toBe('one.one.png');
    const read = await workflow.get(`processdefinition/${one._id}?_fields=*,diagram`);
    expect(read).toMatchObject({
      formResourceKey: 'start.xhtml',
      formGenerationTemplate: '<form>{{start}}</form>',
    });
    expect(read.diagram).toBe(image.toString('base64'));
    const raw = await fetch(
      `${server.url}/svc/workflow/processdefinition/${one._id}?_fields=/diagram&_mimeType=image/png`,
      {
        headers: { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': 'Correct-Horse-9' },
      },
    );
    expect([raw.headers.get('content-type'), Buffer.from(await raw.arrayBuffer())]).toEqual([
      'image/png',
      image,
    ]);
    const task = await workflow.get(`processdefinition/${one._id}/taskdefinition/fill`);
    expect(task.formGenerationTemplate).toBe('<form>{{fill}}</form>');
    expect((await workflow.get(`processdefinition/${two._id}?_fields=diagram`)).diagram).toBeUndefined();
    expect((await api('DELETE', `workflow/processdefinition/${two._id}`)).status).toBe(200);
    expect(await versions('one')).toEqual([]);

    await writeFile(join(server.project.location, 'workflow', 'hostile.bar'), 'no zip at all');
    await failed('hostile.bar');
  });

  test('a removed file is undeployed, or, while instances run, suspended until it comes back', async () => {
    const text = processFile('brief', start() + user('stay') + end() + path('s', 'stay', 'e'));
    await server.project.write('workflow/brief.bpmn20.xml', text);
    await deployed('brief.bpmn20.xml');
    const id = await workflow.start('brief');
    await server.project.remove('workflow/brief.bpmn20.xml');
    const { outcome } = await server.observed(
      'workflow.undeployed',
      ({ file }) => file === 'brief.bpmn20.xml',
    );
    expect(outcome).toBe('suspended');
    const create = () => api('POST', 'workflow/processinstance', { body: { _key: 'brief' } });
    expect((await create()).status).toBe(409);
    expect(await workflow.list('processdefinition', 'key=brief')).toMatchObject([{ suspended: true }]);
    expect((await workflow.completeAt(id, 'stay')).status).toBe(200);

    await server.project.write(
      'workflow/gone.bpmn20.xml',
      processFile('gone', start() + end() + path('s', 'e')),
    );
    await deployed('gone.bpmn20.xml');
    await server.project.remove('workflow/gone.bpmn20.xml');
    await server.observed(
      'workflow.undeployed',
      ({ file, outcome: how }) => file === 'gone.bpmn20.xml' && how === 'undeployed',
    );
    expect(await versions('gone')).toEqual([]);
  });

  test('a file can be deployed over REST, and rehearsed', async () => {
    const content = processFile('rest', start() + service('sum', $('1')) + end() + path('s', 'sum', 'e'));
    const deploy = (query: string, body: unknown) =>
      api('POST', `workflow/deployment?_action=deploy${query}`, { body });
    const rehearsed = await deploy('&_dryRun=true', { name: 'rest.bpmn20.xml', content });
    expect(rehearsed.body.result.definitions).toHaveLength(1);
    expect(await versions('rest')).toEqual([]);
    const done = await deploy('', { name: 'rest.bpmn20.xml', content });
    expect(done.body).toMatchObject({ unchanged: false, definitions: [{ findings: [] }] });
    expect((await deploy('', { name: 'rest.bpmn20.xml', content })).body).toMatchObject({ unchanged: true });
    expect((await deploy('', { name: 'x.bpmn20.xml', content: 'x' })).status).toBe(400);
    expect((await deploy('', { name: 'x.bar', content: 'x' })).status).toBe(400);
    expect((await deploy('', {})).status).toBe(400);
    const long = await deploy('', { name: `${'n'.repeat(300)}.bpmn20.xml`, content });
    expect([long.status, long.body.detail.id, long.body.message]).toEqual([
      400,
      'WORKFLOW_NAME_TOO_LONG',
      expect.stringContaining('255 are allowed'),
    ]);
  });
});

describe('deployments of one process', () => {
  const called = (key: string) =>
    processFile(
      key,
      start() + tag('callActivity', 'call', { calledElement: 'twofold' }) + end() + path('s', 'call', 'e'),
    );
  const deploy = (name: string, content: string) =>
    api('POST', 'workflow/deployment?_action=deploy', { body: { name, content } });

  test('a call of what is not there is told, and no longer when it is', async () => {
    const early = await deploy('early.bpmn20.xml', called('early'));
    expect(early.body.definitions[0].findings).toMatchObject([
      { id: 'WORKFLOW_UNKNOWN_PROCESS', element: 'call', message: expect.stringContaining("'twofold'") },
    ]);
    const failed = await api('POST', 'workflow/processinstance', { body: { _key: 'early' } });
    expect([failed.status, failed.body.detail.id]).toEqual([404, 'WORKFLOW_NO_CALLED_PROCESS']);
    await deploy('this.bpmn20.xml', processFile('twofold', start() + end() + path('s', 'e')));
    expect((await deploy('late.bpmn20.xml', called('late'))).body.definitions[0].findings).toEqual([]);
  });

  test('files with one key are versions of it, of which the last to come counts; one archive has it once', async () => {
    const text = (element: string) =>
      processFile('doubled', start() + user(element) + end() + path('s', element, 'e'));
    await deploy('left.bpmn20.xml', text('left'));
    await deploy('right.bpmn20.xml', text('right'));
    expect(await versions('doubled')).toEqual([1, 2]);
    expect(await workflow.openTasks(await workflow.start('doubled'))).toEqual(['right']);
    await deploy('left.bpmn20.xml', text('third'));
    expect(await workflow.openTasks(await workflow.start('doubled'))).toEqual(['third']);
    const both = await zip({ 'a.bpmn20.xml': text('a'), 'b.bpmn20.xml': text('b') });
    const twice = await deploy('twice.bar', both.toString('base64'));
    expect([twice.status, twice.body.detail.id]).toEqual([400, 'WORKFLOW_PROCESS_TWICE']);
    expect(await versions('doubled')).toEqual([1, 2, 3]);
  });
});

describe('workflow.json', () => {
  const set = (content: unknown) => api('PUT', 'config/workflow', { body: content });
  const ask = () => api('GET', 'workflow/processdefinition?_queryId=query-all-ids');
  test.each([
    [{ location: 'local' }, 500],
    [{ location: 'remote' }, 503],
    [{ history: 'everything' }, 503],
    [{ useDataSource: 'other' }, 500],
    [{ location: 'embedded', tablePrefix: 'ACT_', tablePrefixIsSchema: true, engine: { url: 'x' } }, 200],
  ])('%j answers %i', async (content, status) => {
    expect((await set(content)).status).toBeLessThan(300);
    expect((await ask()).status).toBe(status);
    const nowhere = await api('GET', 'workflow/nowhere');
    expect(nowhere.status).toBe(status === 200 ? 404 : status);
    const ready = await fetch(`${server.url}/health/ready`);
    expect(ready.status).toBe(status === 503 ? 503 : 200);
  });

  test('answers for nothing of its own at the path above its resources, and asks for none', async () => {
    const { status, body } = await api('GET', 'workflow');
    expect([status, body.detail?.hint]).toEqual([404, undefined]);
    expect((await api('GET', 'workflow/processinstanc')).body.detail.hint).toContain(
      'workflow/processinstance',
    );
  });

  test('jobs wait while it switches workflow off, and lose no attempt', async () => {
    expect((await set({})).status).toBeLessThan(300);
    const pause = tag('intermediateCatchEvent', 'pause', {}, timer('PT1H'));
    const content = processFile('later', start() + pause + end() + path('s', 'pause', 'e'));
    await api('POST', 'workflow/deployment?_action=deploy', { body: { name: 'later.bpmn20.xml', content } });
    const id = await workflow.start('later');
    await set({ location: 'local' });
    const { pool } = server.database;
    const queued = () => pool.query("select id, attempt from work_job where data->>'instance' = $1", [id]);
    const [before] = (await queued()).rows;
    await makeDue(pool, id);
    const { rows } = await eventually(queued, ({ rows: [row] }) => row !== undefined && row.id !== before.id);
    expect(rows).toMatchObject([{ attempt: 1 }]);
    const jobs = await pool.query('select retries, is_dead from workflow_job where instance_id = $1', [id]);
    expect(jobs.rows).toEqual([{ retries: 3, is_dead: false }]);
    await set({});
  });

  test('forms are checked when it says so', async () => {
    const property = extension('<flowable:formProperty id="n" type="long" required="true"/>');
    const content = processFile(
      'checked',
      start('s', property) + user('fill', {}, property) + end() + path('s', 'fill', 'e'),
    );
    await api('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'checked.bpmn20.xml', content },
    });
    const create = (body: unknown) => api('POST', 'workflow/processinstance', { body });
    expect((await create({ _key: 'checked' })).status).toBe(201);
    expect((await set({ forms: { validate: true } })).status).toBeLessThan(300);
    expect((await create({ _key: 'checked' })).status).toBe(400);
    const started = await create({ _key: 'checked', n: '7' });
    expect(started.status).toBe(201);
    expect((await workflow.completeAt(started.body._id, 'fill', { n: 'seven' })).status).toBe(400);
    expect((await workflow.completeAt(started.body._id, 'fill', { n: 8 })).status).toBe(200);
  });

  test.each([
    ['none', [404, 0, 0, 0]],
    ['instance', [200, 0, 0, 0]],
    ['task', [200, 1, 0, 0]],
    ['activity', [200, 1, 2, 3]],
  ])('history %s keeps of an ended instance what it says', async (history, expected) => {
    expect((await set({ history })).status).toBeLessThan(300);
    const content = processFile('kept', start() + user('fill') + end() + path('s', 'fill', 'e'));
    await api('POST', 'workflow/deployment?_action=deploy', { body: { name: 'kept.bpmn20.xml', content } });
    const id = await workflow.start('kept', { one: 1 });
    expect(await workflow.openTasks(id)).toEqual(['fill']);
    expect((await workflow.completeAt(id, 'fill', { two: 2 })).status).toBe(200);
    const { status, body } = await api('GET', `workflow/processinstance/${id}?_fields=events`);
    if (status === 200) expect(body.eventsHint).toContain(`"full" of workflow.json; it is "${history}"`);
    const { rows } = await server.database.pool.query(
      `select (select count(*) from workflow_task where instance_id = $1) as tasks,
              (select count(*) from workflow_variable where instance_id = $1 and name <> 'svccontext') as variables,
              (select count(*) from workflow_activity where instance_id = $1) as activities`,
      [id],
    );
    expect([status, rows[0].tasks, rows[0].variables, rows[0].activities].map(Number)).toEqual(expected);
  });

  test('passwords are stored encrypted, that of the engine which nobody asks too', async () => {
    const content = { mail: { host: 'mail', password: 'secret' }, engine: { url: 'x', password: 'secret' } };
    expect((await set(content)).status).toBeLessThan(300);
    const { body } = await api('GET', 'config/workflow');
    expect(body.mail.password.$crypto).toBeDefined();
    expect(body.engine).toEqual({ url: 'x', password: { $crypto: expect.anything() } });
    expect((await ask()).status).toBe(200);
  });

  test('another directory is watched as soon as it says so', async () => {
    await server.project.write(
      'elsewhere/moved.bpmn20.xml',
      processFile('moved', start() + end() + path('s', 'e')),
    );
    expect((await set({ workflowDirectory: 'elsewhere' })).status).toBeLessThan(300);
    await deployed('moved.bpmn20.xml');
    expect(await versions('moved')).toEqual([1]);
    expect(await versions('groovy')).toEqual([1]);
  });

  test('a directory that cannot be read for a while has lost no file', async () => {
    const at = (name: string) => join(server.project.location, name);
    const lead = async (to: string) => {
      await symlink(to, at('next'));
      await rename(at('next'), at('link'));
    };
    const text = processFile('lasting', start() + end() + path('s', 'e'));
    await server.project.write('place/lasting.bpmn20.xml', text);
    await lead('place');
    expect((await set({ workflowDirectory: 'link' })).status).toBeLessThan(300);
    await deployed('lasting.bpmn20.xml');
    const heard = (kind: 'loop.failed' | 'loop.recovered') =>
      server.observed(kind, ({ loop }) => loop === 'workflow deployments');
    await lead('link');
    await heard('loop.failed');
    await lead('place');
    await heard('loop.recovered');
    expect(await workflow.list('processdefinition', 'key=lasting')).toMatchObject([
      { version: 1, suspended: false },
    ]);
  });
});
