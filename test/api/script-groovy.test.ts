import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile } from '../support/workflow.ts';
import {
  boundary,
  end,
  error,
  extension,
  flow,
  path,
  start,
  tag,
  user,
} from '../unit/workflow/engine/bpmn.ts';

const groovy = (source: string, more: object = {}) => ({ type: 'groovy', source, ...more });

const ECHO = `import org.forgerock.json.resource.*

def kind = request.requestType.name()
if (request instanceof QueryRequest) return [[_id: 'one', filter: request.queryFilter]]
if (request instanceof ActionRequest && request.action == 'fail') {
  throw new NotFoundException("no \${request.content.what.asString()}").setDetail([what: request.content.what.getObject()])
}
def answer = [kind: kind, path: resourcePath, isText: request.requestType == kind, who: context.security.authenticationId]
if (kind in ['CREATE', 'UPDATE', 'ACTION']) {
  answer.name = request.content.get('name').asString()
  answer.nested = request.content.deep.items.collect { it.asInteger() * 2 }
  answer.missing = request.content.get('absent').isNull()
}
if (kind == 'PATCH') answer.patch = request.patchOperations*.field
answer`;

const task = (id: string, source: string, attributes = {}) =>
  tag('scriptTask', id, { scriptFormat: 'groovy', ...attributes }, `<script><![CDATA[${source}]]></script>`);

const PROCESS = processFile(
  'hiring',
  start() +
    task(
      'find',
      `import java.text.SimpleDateFormat
      def candidates = svc.query('managed/note', [_queryFilter: 'kind eq "job"']).result*._id.sort()
      execution.setVariable('candidates', candidates)
      execution.setVariable('since', new SimpleDateFormat('yyyy').format(new Date(864000000L)))
      execution.businessKey = "hire-\${name}".toString()
      candidates.size() * 1.5`,
      { 'flowable:resultVariable': 'share' },
    ) +
    task(
      'store',
      'def hidden = 1; total = share * 2; name = name.toUpperCase(); seen = candidates.collect { it * 2 }',
      {
        'flowable:autoStoreVariables': 'true',
      },
    ) +
    task(
      'risky',
      `import org.flowable.engine.delegate.BpmnError
      if (execution.getVariable('fails')) throw new BpmnError('BROKEN', 'no luck')
      assert execution.hasVariable('total') : 'nothing was stored'`,
    ) +
    boundary('caught', 'risky', error('broken')) +
    user(
      'check',
      {},
      extension(
        '<flowable:taskListener event="create" type="script"><flowable:field name="language"><flowable:string>groovy</flowable:string></flowable:field><flowable:field name="script"><flowable:string>task.addCandidateGroup("auditors"); task.priority = 60 + 10; task.setVariable("listened", task.eventName + " " + task.name)</flowable:string></flowable:field></flowable:taskListener>',
      ),
    ) +
    end() +
    end('failed') +
    path('s', 'find', 'store', 'risky', 'check', 'e') +
    flow('caught', 'failed'),
);

const FILES = {
  'workflow/hiring.bpmn20.xml': PROCESS,
  'conf/managed.json': {
    objects: [
      { name: 'note' },
      {
        name: 'person',
        schema: {
          properties: {
            initials: {
              type: 'string',
              isVirtual: true,
              onRetrieve: groovy("(object.givenName ?: '?')[0] + (object.sn ?: '?')[0]"),
            },
            phone: {
              type: 'string',
              conditionalPolicies: [
                {
                  condition: groovy("fullObject.kind == 'employee'"),
                  dependencies: ['kind'],
                  policies: [{ policyId: 'minimum-length', params: { minLength: 6 } }],
                },
              ],
            },
          },
        },
        onCreate: { type: 'groovy', file: 'onCreate.groovy' },
        onUpdate: groovy(`
          if (object.sn != oldObject.sn) object.history = (oldObject.history ?: []) + [oldObject.sn]
          if (object.refuse) throw [code: 409, message: "not \${object.refuse}", detail: [field: 'refuse']]`),
        postCreate: groovy(`
          svc.create('managed/note', object._id, [text: "created \${object.userName}", by: context.security.authenticationId])
          if (object.fail) throw new IllegalStateException('after all')`),
      },
    ],
  },
  'script/onCreate.groovy': `import java.text.SimpleDateFormat

object.userName = "\${object.givenName[0]}\${object.sn}".toLowerCase()
object.mail = object.mail ?: "\${object.userName}@\${company}"
object.joined = new SimpleDateFormat('yyyy-MM-dd').parse('2024-02-29').format('dd.MM.yyyy')
object.weight = object.rolesGiven?.sum { it.weight } ?: 0
println "created \${object.userName}"`,
  'conf/endpoint-echo.json': groovy(ECHO),
  'conf/endpoint-broken.json': groovy('def x = 1\nnew File("/etc/passwd").text'),
  'conf/endpoint-deep.json': groovy(`
    def names = []
    def rest = svc.query('managed/note', [_queryFilter: 'true', _sortKeys: 'n']) { names << it._id }
    def found = svc.query('managed/note', [_queryFilter: 'n ge 2']).result.collect { svc.read("managed/note/\${it._id}").n }
    def patched = svc.patch('managed/note/n1', null, [[operation: 'replace', field: 'n', value: 7 / 2]])
    def caught = ''
    try { svc.update('managed/note/absent', null, [:]) } catch (org.forgerock.json.resource.ResourceException e) {
      caught = "\${e.class.simpleName} \${e.code} \${e.reason}"
    }
    [names: names, found: found.sort(), n: patched.n, caught: caught, gone: svc.read('managed/note/absent'),
     hashed: svc.isHashed(svc.hash('x', 'SHA-256')), location: identityServer.getProjectLocation() instanceof String]`),
  'conf/script.json': {
    ECMAScript: {},
    Groovy: {
      'groovy.source.encoding': 'UTF-8',
      'groovy.recompile': 'true',
      'groovy.recompile.minimumInterval': '60000',
      'groovy.target.directory': '&{launcher.install.location}/classes',
      'groovy.classpath': '&{launcher.install.location}/lib',
    },
    properties: { company: 'example.com', limits: { most: [1, 2.5] } },
  },
};

describe('Groovy', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const evaluate = (source: string, more: object = {}, query = '') =>
    api('POST', `script?_action=eval${query}`, { body: groovy(source, more) });

  it('answers with the last value as JSON, and binds body members, globals, parameters and properties', async () => {
    const source = `[sum: a.inject(0) { s, x -> s + x } / 2, type: a.class.simpleName, map: m.getClass().simpleName,
      all: "\${p}-\${company}-\${limits.most[1].class.simpleName}".toString(), big: 2L ** 40, none: null, day: Date.parse('yyyy', '1970')]`;
    const answer = await evaluate(source, { a: [1, 2, 4], globals: { m: { x: 1 } } }, '&p=7');
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        sum: 3.5,
        type: 'ArrayList',
        map: 'LinkedHashMap',
        all: '7-example.com-Double',
        big: 1_099_511_627_776,
        none: null,
        day: expect.any(Number),
      },
    ]);
  });

  it('takes and gives JSON with its kinds of numbers, and copies what it hands to a resource', async () => {
    const source = `def note = [n: 1]
      svc.create('managed/note', 'copied', note)
      note.n = 2
      [kinds: [one, big, half].collect { it.class.simpleName }, copied: svc.read('managed/note/copied').n,
       day: new Date(5), kind: RequestType.READ, text: "g\${one}", set: [1, 1] as Set, (1): 1.50, map: [:]]`;
    const { body } = await evaluate(source, { one: 1, big: 3_000_000_000, half: 0.5 });
    expect(body).toEqual({
      kinds: ['Integer', 'Long', 'Double'],
      copied: 1,
      day: 5,
      kind: 'READ',
      text: 'g1',
      set: [1],
      1: 1.5,
      map: {},
    });
  });

  it('has a context that can be asked for its links, by name or by class', async () => {
    const source = `import org.forgerock.services.context.SecurityContext
      import org.forgerock.json.resource.http.HttpContext
      def http = context.asContext(HttpContext.class)
      def chain = context.toJsonValue()
      def missing = ''
      try { context.getContext('nothing') } catch (IllegalArgumentException e) { missing = e.message }
      [
        context.asContext(SecurityContext).authenticationId,
        context.getContext('security').getAuthorization().component,
        [context.containsContext('http'), context.containsContext(SecurityContext), context.containsContext('x')],
        http.getHeaderAsString('CONTENT-Type') == http.headers['Content-Type'],
        [context.contextName, context.parent.contextName, context.root.isRootContext(), context.nothing],
        [chain.get('name').asString(), chain.get('parent').get('class').asString()],
        missing,
      ]`;
    const { body } = await api('POST', 'script?_action=eval', { body: groovy(source) });
    expect(body).toEqual([
      'svc-admin',
      'repo/internal/user',
      [true, true, false],
      true,
      ['router', 'advice', true, null],
      ['router', 'AdviceContext'],
      "There is no context named 'nothing'",
    ]);
  });

  it('asks identityServer for properties, by name alone, with a default, and as a function', async () => {
    const source = `[identityServer.getProperty('svc.config.crypto.alias'), identityServer.getProperty("no\${'ne'}"),
      identityServer.getProperty('none', 'by default'), identityServer.getProperty('none', 'first', true),
      ['none', 'svc.config.crypto.alias'].collect(identityServer.&getProperty), svc.getProperty('read') != null]`;
    expect((await evaluate(source)).body).toEqual([
      'svc-sym-default',
      null,
      'by default',
      'first',
      [null, 'svc-sym-default'],
      true,
    ]);
  });

  it('has loggers as scripts of the field make them', async () => {
    const source = `def log = org.slf4j.LoggerFactory.getLogger('mine')
      log.warn('{} of {} {}', 'one', 2)
      [log.name, log.isInfoEnabled()]`;
    expect((await evaluate(source)).body).toEqual(['mine', true]);
    await server.observed('script.logged', ({ message }) => message === 'one of 2 {}');
  });

  it('is refused with line, column and advice where it is not Groovy or not supported', async () => {
    const compile = async (source: string) => {
      const { status, body } = await api('POST', 'script?_action=compile', { body: groovy(source) });
      return [status, body.message ?? body];
    };
    expect(await compile('def a = 1\na + 1')).toEqual([200, true]);
    expect(await compile('def a = 1\nif (a {')).toEqual([
      400,
      expect.stringMatching(/@ line 2, column \d+\./),
    ]);
    expect(await compile('def a = 1\n  new Socket("x", 1)')).toEqual([
      400,
      expect.stringMatching(/^unable to resolve class Socket @ line 2, column \d+\. There is no Java/),
    ]);
    expect(await compile('System.exit(1)')).toEqual([
      400,
      expect.stringMatching(/no static method exit\(\).*@ line 1, column \d+\. A script ends with return/),
    ]);
  });

  it('finds the methods of a path in resourceName, which is a text everywhere else', async () => {
    const source = `def path = resourceName.parent()
      [resourceName.head(2).toString(), path.toString(), path.leaf(), resourceName.leaf(), resourceName.size(),
       resourceName.tail(1) as String, resourceName == 'repo/people/a%2Fb', resourceName.length(),
       { String resourceName -> resourceName.size() }('abcd'), svc.query(path, [_queryFilter: 'false']).result]`;
    const { status, body } = await evaluate(source, { resourceName: 'repo/people/a%2Fb' });
    expect([status, body]).toEqual([
      200,
      ['repo/people', 'repo/people', 'people', 'a/b', 3, 'people/a%2Fb', true, 17, 4, []],
    ]);
  });

  it('is told of an import of nothing that nothing uses, where it compiles, is configured or deployed', async () => {
    const source = 'import com.example.Nothing\n1 + 1';
    const said =
      'The import com.example.Nothing names nothing that exists here, and nothing of the script uses it';
    const compiled = await api('POST', 'script?_action=compile', { body: groovy(source) });
    expect([compiled.body, compiled.headers.get('warning')]).toEqual([
      true,
      `299 - "${said} (line 1, column 1 of the script)"`,
    ]);
    const configured = await api('PUT', 'config/endpoint/doubtful', { body: groovy(source) });
    expect([configured.status, configured.body.warnings]).toEqual([201, [expect.stringContaining(said)]]);
    const task = `<startEvent id="s"/><sequenceFlow id="a" sourceRef="s" targetRef="t"/>
      <scriptTask id="t" scriptFormat="groovy"><script>${source}</script></scriptTask>
      <sequenceFlow id="b" sourceRef="t" targetRef="e"/><endEvent id="e"/>`;
    const deployed = await api('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'doubtful.bpmn20.xml', content: processFile('doubtful', task) },
    });
    expect([deployed.status, deployed.body.definitions[0].findings]).toEqual([
      200,
      [
        {
          id: 'WORKFLOW_SCRIPT_DOUBT',
          element: 't',
          message: `holds a script: ${said} (line 1, column 1 of the script)`,
        },
      ],
    ]);
  });

  it('tells what was thrown: resource exceptions with their status, everything else as 500', async () => {
    const thrown = await evaluate("throw new org.forgerock.json.resource.ConflictException('taken')");
    expect([thrown.status, thrown.body]).toEqual([409, { code: 409, reason: 'Conflict', message: 'taken' }]);
    const mapped = await evaluate("throw [code: 410, message: 'left', detail: [to: 'x']]");
    expect([mapped.status, mapped.body.message]).toEqual([410, 'left']);
    const mistake = await evaluate('def m = null\nm.size()');
    expect([mistake.status, mistake.body.message]).toEqual([
      500,
      'Cannot invoke method size() on null object',
    ]);
    const nameless = await evaluate('throw new IllegalStateException()');
    expect([nameless.status, nameless.body.message]).toEqual([500, 'java.lang.IllegalStateException']);
    const overflow = await evaluate('def f(n) { f(n + 1) + 1 }\nf(0)');
    expect([overflow.status, overflow.body.message]).toEqual([500, 'The script calls itself too deeply']);
  });

  it('runs hooks, virtual properties and conditions of policies', async () => {
    const body = { givenName: 'Ada', sn: 'Byron', rolesGiven: [{ weight: 2 }, { weight: 3 }] };
    const created = await api('POST', 'managed/person?_action=create', { body: { _id: 'ada', ...body } });
    expect([created.status, created.body]).toEqual([
      201,
      expect.objectContaining({
        userName: 'abyron',
        mail: 'abyron@example.com',
        joined: '29.02.2024',
        weight: 5,
      }),
    ]);
    expect((await api('GET', 'managed/person/ada?_fields=*,initials')).body).toMatchObject({
      initials: 'AB',
    });
    expect((await api('GET', 'managed/note/ada')).body).toMatchObject({
      text: 'created abyron',
      by: 'svc-admin',
    });
    const patch = [{ operation: 'replace', field: 'sn', value: 'Lovelace' }];
    expect((await api('PATCH', 'managed/person/ada', { body: patch })).body).toMatchObject({
      history: ['Byron'],
    });
    const refused = await api('PATCH', 'managed/person/ada', {
      body: [{ operation: 'add', field: 'refuse', value: 'now' }],
    });
    expect([refused.status, refused.body.message, refused.body.detail]).toEqual([
      409,
      'not now',
      { field: 'refuse' },
    ]);
    const short = { givenName: 'B', sn: 'C', kind: 'employee', phone: '123' };
    const invalid = await api('POST', 'managed/person?_action=create', { body: short });
    expect([invalid.status, JSON.stringify(invalid.body)]).toEqual([
      403,
      expect.stringContaining('MIN_LENGTH'),
    ]);
    expect(
      (await api('POST', 'managed/person?_action=create', { body: { ...short, kind: 'guest' } })).status,
    ).toBe(201);
  });

  it('leaves nothing behind when a hook fails', async () => {
    const body = { _id: 'never', givenName: 'N', sn: 'E', fail: true };
    const failed = await api('POST', 'managed/person?_action=create', { body });
    expect([failed.status, failed.body.message]).toEqual([500, 'after all']);
    expect((await api('GET', 'managed/note/never')).status).toBe(404);
    expect((await api('GET', 'managed/person/never')).status).toBe(404);
  });

  it('sees the request of an endpoint as Groovy has it', async () => {
    const body = { name: 'n', deep: { items: [1, 2] } };
    const seen = { isText: false, who: 'svc-admin', path: 'sub', name: 'n', nested: [2, 4], missing: true };
    const call = async (method: string, path: string, options = {}) => {
      const answer = await api(method, path, options);
      return [answer.status, answer.body];
    };
    expect(await call('PUT', 'endpoint/echo/sub', { body, headers: { 'If-Match': '*' } })).toMatchObject([
      200,
      { kind: 'UPDATE', ...seen },
    ]);
    expect(await call('POST', 'endpoint/echo/sub?_action=go', { body })).toEqual([
      200,
      { kind: 'ACTION', ...seen },
    ]);
    expect(await call('GET', 'endpoint/echo')).toMatchObject([
      200,
      { kind: 'READ', path: '', isText: false, who: 'svc-admin' },
    ]);
    const patch = [{ operation: 'remove', field: '/a/b' }];
    expect(await call('PATCH', 'endpoint/echo', { body: patch })).toEqual([
      200,
      expect.objectContaining({ kind: 'PATCH', patch: ['/a/b'] }),
    ]);
    expect((await api('GET', 'endpoint/echo?_queryFilter=a+eq+1')).body.result).toEqual([
      { _id: 'one', filter: expect.stringContaining('eq') },
    ]);
    expect(await call('POST', 'endpoint/echo?_action=fail', { body: { what: 'luck' } })).toEqual([
      404,
      { code: 404, reason: 'Not Found', message: 'no luck', detail: { what: 'luck' } },
    ]);
  });

  it('calls resources as if the calls were answered at once, also from closures', async () => {
    for (const n of [1, 2, 3]) await api('PUT', `managed/note/n${n}`, { body: { n } });
    const { body } = await api('GET', 'endpoint/deep');
    expect(body).toMatchObject({
      names: expect.arrayContaining(['n1', 'n2', 'n3']),
      found: [2, 3],
      n: 3.5,
      caught: 'NotFoundException 404 Not Found',
      gone: null,
      hashed: true,
      location: true,
    });
  });

  it('keeps an endpoint inactive whose script does not compile', async () => {
    expect((await api('GET', 'endpoint/broken')).status).toBe(404);
    const { message } = await server.observed('config.warned', (said) => said.message.includes('broken'));
    expect(message).toMatch(/inactive.*unable to resolve class File @ line 2, column \d+/);
  });

  it('runs as a schedule, and its prints are lines of the log', async () => {
    const source = `def date = Date.parse('yyyy-MM-dd', object.from)
      svc.create('managed/note', object.id, [day: (date + 1).format('yyyy-MM-dd'), n: object.n / 4])
      println "made \${object.id}"
      logger.info('and {}', [a: 1])`;
    const created = await api('PUT', 'scheduler/job/once', {
      body: {
        type: 'simple',
        startTime: '2020-01-01T00:00:00',
        invokeService: 'script',
        invokeContext: { input: { id: 'fired', from: '2024-02-28', n: 10 }, script: groovy(source) },
      },
    });
    expect(created.status).toBe(201);
    await server.observed('trigger.completed', (said) => said.schedule === 'once');
    const note = (await api('GET', 'managed/note/fired')).body;
    expect(note).toMatchObject({ day: '2024-02-29', n: 2.5 });
  });

  it('writes processes: script tasks, stored assignments, errors of the process and listeners', async () => {
    for (const id of ['job-1', 'job-2']) await api('PUT', `managed/note/${id}`, { body: { kind: 'job' } });
    const begin = (variables: object) =>
      api('POST', 'workflow/processinstance?_action=create', { body: { _key: 'hiring', ...variables } });
    const started = await begin({ name: 'ada' });
    expect([started.status, started.body.status]).toEqual([201, 'suspended']);
    const { body } = await api('GET', `workflow/processinstance/${started.body._id}`);
    expect(body).toMatchObject({
      businessKey: 'hire-ada',
      tasks: [{ taskDefinitionKey: 'check', priority: 70 }],
    });
    expect(body.processVariables).toEqual({
      candidates: ['job-1', 'job-2'],
      listened: 'create check',
      name: 'ADA',
      seen: ['job-1job-1', 'job-2job-2'],
      share: 3,
      since: '1970',
      total: 6,
    });
    const failed = await begin({ name: 'b', fails: true });
    expect([failed.status, failed.body.status]).toEqual([201, 'ended']);
  });
});
