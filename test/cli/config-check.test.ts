import { describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/index.ts';
import { createProject } from '../support/project.ts';

interface Found {
  readonly severity: 'mistake' | 'warning';
  readonly id: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly hint: string | null;
}

/** What `config-check --json` says of a project with these files. */
async function check(files: Record<string, unknown>) {
  await using project = await createProject(files);
  let output = '';
  const listen = vi.spyOn(console, 'log').mockImplementation((text: string) => {
    output += text;
  });
  try {
    const code = await run(['config-check', '--json', '--project', project.location]);
    const answer = JSON.parse(output) as { ok: boolean; mistakes: number; findings: Found[] };
    const of = (severity: string) => answer.findings.filter((found) => found.severity === severity);
    return { code, answer, mistakes: of('mistake'), warnings: of('warning') };
  } finally {
    listen.mockRestore();
  }
}

const type = (parts: Record<string, unknown>, properties: Record<string, unknown> = {}) => ({
  'conf/managed.json': { objects: [{ name: 'user', schema: { properties }, ...parts }] },
});
const scim = (parts: Record<string, unknown>) => ({
  resourceTypes: [
    {
      name: 'Person',
      endpoint: '/People',
      managed: 'managed/user',
      schema: 'urn:x:P',
      attributes: [],
      ...parts,
    },
  ],
});
const related = (to: Record<string, unknown>) => ({
  type: 'array',
  items: { type: 'relationship', ...to },
});
const PROCESS = (body: string) => `<?xml version="1.0"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
  <process id="p" isExecutable="true">
    <startEvent id="start"/>
    ${body}
    <endEvent id="end"/>
  </process>
</definitions>`;

describe('config-check', () => {
  it.each<[string, Record<string, unknown>, RegExp, RegExp]>([
    [
      'a hook whose file is not there',
      type({ onCreate: { type: 'text/javascript', file: 'nope.js' } }),
      /^conf\/managed.json:1:\d+$/,
      /'nope.js' is in none of the script sources/,
    ],
    [
      'a hook whose file is no script',
      {
        ...type({ onCreate: { type: 'text/javascript', file: 'broken.js' } }),
        'script/broken.js': '// a comment\nvar a = ;',
      },
      /^script\/broken.js:2:9$/,
      /does not compile: Unexpected token/,
    ],
    [
      'a hook in Groovy that is none',
      { ...type({ onUpdate: { type: 'groovy', file: 'g.groovy' } }), 'script/g.groovy': 'def x = (\n' },
      /^script\/g.groovy:\d+:\d+$/,
      /does not compile/,
    ],
    [
      'a module that a hook requires',
      type({ onDelete: { type: 'text/javascript', source: "require('no/such').clean(object);" } }),
      /^conf\/managed.json:1:\d+$/,
      /requires 'no\/such'/,
    ],
    [
      'a type of property that is misspelt',
      type({}, { mail: { type: 'sting' } }),
      /^conf\/managed.json:1:\d+$/,
      /of the type "sting"/,
    ],
    [
      'a relationship to a type that is not there',
      type({}, { friends: related({ resourceCollection: [{ path: 'managed/usr' }] }) }),
      /^conf\/managed.json:1:\d+$/,
      /leads to 'managed\/usr'/,
    ],
    [
      'a reverse property that is not there',
      type(
        {},
        {
          friends: related({
            reverseRelationship: true,
            reversePropertyName: 'nope',
            resourceCollection: [{ path: 'managed/user' }],
          }),
        },
      ),
      /^conf\/managed.json:1:\d+$/,
      /names 'nope' of 'user'/,
    ],
    [
      'an endpoint that is no script',
      { 'conf/endpoint-x.json': { type: 'text/javascript', source: 'if (' } },
      /^conf\/endpoint-x.json:1:\d+$/,
      /does not compile/,
    ],
    [
      'an endpoint whose file is not there',
      { 'conf/endpoint-x.json': { type: 'groovy', file: 'nope.groovy' } },
      /^conf\/endpoint-x.json:1:\d+$/,
      /nope.groovy/,
    ],
    [
      'a filter of the router whose script is not there',
      { 'conf/router.json': { filters: [{ onRequest: { type: 'text/javascript', file: 'nope.js' } }] } },
      /^conf\/router.json:1:\d+$/,
      /nope.js/,
    ],
    [
      'a file of policies that is not there',
      { 'conf/policy.json': { additionalFiles: ['nope.js'] } },
      /^conf\/policy.json:1:\d+$/,
      /nope.js/,
    ],
    [
      'the script of an authentication module',
      {
        'conf/authentication.json': `{ "serverAuthContext": { "authModules": [
          { "name": "MANAGED_USER", "properties": { "queryOnResource": "managed/user",
            "augmentSecurityContext": { "type": "text/javascript", "file": "nope.js" } } }] } }`,
      },
      /^conf\/authentication.json:3:\d+$/,
      /nope.js/,
    ],
    [
      'a property of an authentication module',
      {
        'conf/authentication.json': `{ "serverAuthContext": { "authModules": [
          { "name": "MANAGED_USER", "properties": {
            "queryOnResource": 5 } }] } }`,
      },
      /^conf\/authentication.json:3:\d+$/,
      /queryOnResource/,
    ],
    [
      'the script of a schedule',
      {
        'conf/schedule-x.json': {
          schedule: '0 0 0 * * ?',
          invokeService: 'script',
          invokeContext: { script: { type: 'text/javascript', source: 'if (' } },
        },
      },
      /^conf\/schedule-x.json:1:\d+$/,
      /does not compile/,
    ],
    [
      'a resource type of SCIM at a place of the service',
      { 'conf/scim.json': scim({ endpoint: '/Bulk' }) },
      /^conf\/scim.json:1:\d+$/,
      /'\/Bulk' is a place of the service itself/,
    ],
    [
      'an attribute of SCIM that shows a secret',
      { 'conf/scim.json': scim({ attributes: [{ scim: 'password', managed: '/password' }] }) },
      /^conf\/scim.json:1:\d+$/,
      /'\/password' is a secret/,
    ],
    [
      'a member of a mapping that there is not',
      { 'conf/scim.json': scim({ attributes: [{ scim: 'userName', managd: '/userName' }] }) },
      /^conf\/scim.json:1:\d+$/,
      /managd/,
    ],
    [
      'a process file that is no XML',
      { 'workflow/p.bpmn20.xml': PROCESS('\n<userTask id="broken">') },
      /^workflow\/p.bpmn20.xml:6:1$/,
      /<userTask> is open/,
    ],
    [
      'a flow to nowhere',
      {
        'workflow/p.bpmn20.xml': PROCESS('<sequenceFlow id="f" sourceRef="start" targetRef="nowhere"/>'),
      },
      /^workflow\/p.bpmn20.xml:\d+:\d+$/,
      /nowhere/,
    ],
    [
      'a script of a process, where such files are refused',
      {
        'conf/workflow.json': { scripts: { strict: true } },
        'workflow/p.bpmn20.xml':
          PROCESS(`<scriptTask id="t" scriptFormat="groovy"><script>def x = (</script></scriptTask>
    <sequenceFlow id="f" sourceRef="start" targetRef="t"/><sequenceFlow id="g" sourceRef="t" targetRef="end"/>`),
      },
      /^workflow\/p.bpmn20.xml:\d+:\d+$/,
      /script/,
    ],
  ])('finds %s', async (_what, files, place, message) => {
    const { code, mistakes, answer } = await check(files);
    const shown = mistakes.map((found) => [`${found.file}:${found.line}:${found.column}`, found.message]);
    expect(shown).toEqual([[expect.stringMatching(place), expect.stringMatching(message)]]);
    expect([code, answer.ok, answer.mistakes]).toEqual([1, false, 1]);
  });

  it.each(['\n', '\r\n', '\r'])(
    'says of each finding where it stands, with lines that end in %j',
    async (end) => {
      const { mistakes } = await check({
        ...type({ onCreate: { type: 'text/javascript', file: 'lost.js' } }),
        'script/lost.js': ["require('a');", '', "  require('b');"].join(end),
        'workflow/p.bpmn20.xml': PROCESS(`<sequenceFlow id="f" sourceRef="start" targetRef="no"/>
  <userTask
id = "t"/>
 <sequenceFlow id="g" sourceRef="t" targetRef="nowhere"/>`).replaceAll('\n', end),
      });
      const places = mistakes.map(({ file, line, column }) => `${file}:${line}:${column}`);
      expect(places.filter((place) => place.startsWith('script/'))).toEqual([
        'script/lost.js:1:1',
        'script/lost.js:3:3',
      ]);
      expect(places).toEqual(
        expect.arrayContaining(['workflow/p.bpmn20.xml:5:5', 'workflow/p.bpmn20.xml:8:2']),
      );
    },
  );

  it('warns of a variable of the environment that is misspelt', async () => {
    vi.stubEnv('SVC_LOGLEVEL', 'debug');
    try {
      const { code, warnings } = await check({});
      expect(code).toBe(0);
      expect(warnings).toContainEqual(
        expect.objectContaining({ id: 'UNKNOWN_SETTING', message: expect.stringContaining('SVC_LOG_LEVEL') }),
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('counts for people what it has found', async () => {
    const said: string[] = [];
    const listen = vi.spyOn(console, 'log').mockImplementation((text: string) => void said.push(text));
    try {
      await using one = await createProject({
        'conf/endpoint-x.json': { type: 'groovy', file: 'no.groovy' },
      });
      expect(await run(['config-check', '--project', one.location])).toBe(1);
    } finally {
      listen.mockRestore();
    }
    expect(said.join('\n').split('\n').at(-1)).toBe('1 mistake found.');
  });

  it('tells all mistakes of a schedule at once, the misspelt key and what its values mean', async () => {
    const { mistakes } = await check({
      'conf/schedule-x.json': `{
  "invokeSevice": "script",
  "schedule": "0 0 25 * * ?",
  "timeZone": "Europe/Praque",
  "misfirePolicy": "fireAndProced"
}`,
    });
    expect(mistakes.map(({ line, message }) => [line, message])).toEqual([
      [2, expect.stringMatching(/invokeSevice/)],
      [5, expect.stringMatching(/fireAndProced/)],
      [3, expect.stringMatching(/25/)],
      [4, expect.stringMatching(/Praque/)],
    ]);
  });

  it('tells the mistakes of all files, also where one is no JSON and a schema refuses another', async () => {
    const { mistakes } = await check({
      'conf/script.json': '{',
      'conf/managed.json': { objects: [{ name: 'user', onCreate: { file: 'nope.js' }, actions: 5 }] },
      'conf/endpoint-x.json': { type: 'text/javascript', source: 'if (', encrypt: 1 },
    });
    const of = (file: string) => mistakes.filter((found) => found.file === file).length;
    expect([of('conf/script.json'), of('conf/managed.json'), of('conf/endpoint-x.json')]).toEqual([1, 2, 2]);
  });

  it('knows the services that features bring, and tells a schedule which of them was meant', async () => {
    const schedule = (invokeService: string) => ({ schedule: '0 0 2 * * ?', invokeService, enabled: false });
    const { warnings } = await check({
      'conf/schedule-meant.json': schedule('taskscaner'),
      'conf/schedule-scanning.json': schedule('taskscanner'),
      'conf/schedule-running.json': schedule('script'),
      'conf/schedule-syncing.json': schedule('provisioner'),
    });
    const missing = warnings.filter(({ id }) => id === 'SCHED_NO_SERVICE');
    expect(missing.map(({ file, hint }) => [file, hint])).toEqual([
      ['conf/schedule-meant.json', "Did you mean 'taskscanner'?"],
    ]);
  });

  it('tells each property of sessions and modules that is wrong, where it stands, unless they are switched off', async () => {
    const wrong = { maxSessions: 'many', isSecure: 'no' };
    const authentication = (enabled: boolean) =>
      JSON.stringify(
        {
          serverAuthContext: {
            sessionModule: { name: 'JWT_SESSION', enabled, properties: wrong },
            authModules: [
              { name: 'MANAGED_USER', properties: { queryOnResource: 'managed/user' } },
              { name: 'OPENID_CONNECT', enabled, properties: { issuer: 'https://id.example.com' } },
            ],
          },
        },
        null,
        1,
      );
    const { mistakes } = await check({ 'conf/authentication.json': authentication(true) });
    expect(mistakes.map(({ id, line, message }) => [id, line, message])).toEqual([
      ['AUTH_BAD_MODULE', 7, expect.stringMatching(/sessionModule has a wrong "maxSessions": /)],
      ['AUTH_BAD_MODULE', 8, expect.stringMatching(/sessionModule has a wrong "isSecure": /)],
      ['AUTH_BAD_MODULE', 21, expect.stringMatching(/authModules\[1\] needs the property "audience"$/)],
    ]);
    const { code } = await check({ 'conf/authentication.json': authentication(false) });
    expect(code).toBe(0);
  });

  it('warns of values with which a node starts and has no process engine', async () => {
    const { code, warnings } = await check({
      'conf/workflow.json': { history: 'audti', useDataSource: 'other' },
    });
    expect(code).toBe(0);
    expect(warnings.map(({ id, line, hint }) => [id, line, hint])).toEqual([
      ['WORKFLOW_HISTORY', 1, "Did you mean 'audit'?"],
      ['WORKFLOW_DATA_SOURCE', 1, 'Write "default", or leave it out'],
    ]);
  });

  it('warns of what scim.json maps and managed.json lacks, unless it is the shipped file', async () => {
    const attributes = [{ scim: 'nickName', managed: '/nobody' }];
    const own = await check({
      ...type({}, { userName: { type: 'string' } }),
      'conf/scim.json': scim({ attributes }),
    });
    expect([own.mistakes, own.warnings.map(({ id, message }) => [id, message])]).toEqual([
      [],
      expect.arrayContaining([['SCIM_NO_PROPERTY', expect.stringContaining("'/nobody'")]]),
    ]);
    const shipped = await check(type({}, { userName: { type: 'string' } }));
    expect(shipped.answer.findings.filter(({ id }) => id.startsWith('SCIM_'))).toEqual([]);
  });

  it('warns of what is taken and not as it seems, and finds no mistake in it', async () => {
    const { code, warnings } = await check({
      ...type(
        {
          onCreate: { type: 'javascript', source: '1' },
          onDelete: {
            type: 'text/javascript',
            source:
              "require('onUpdateUser').createNotificaton(object); var u = require('util'); u.isArray(u.nope());",
          },
          onUpdate: {
            type: 'text/javascript',
            source: "if (false) require('maybe'); function f() { require('never'); }",
          },
        },
        {
          a: {
            title: 7,
            description: {},
            viewable: 'yes',
            searchable: 1,
            order: 'a',
            type: 'string',
            minLength: '',
          },
          b: { title: null, type: 'relationship', reversePropertyName: null, validate: null },
          c: { type: 'relationship', resourceCollection: { path: 'managed/user', label: 5 } },
        },
      ),
      'conf/ui-themeconfig.json': '{"a": 1, "a": 2}',
      'conf/ui-broken.json': '{',
      'conf/scheduler.json': {
        instanceId: 'x',
        advancedProperties: { 'org.quartz.scheduler.idleWaitTime': 'soon', 'svc.ledger.keepDays': '7' },
      },
      'workflow/lost.bpmn20.xml': PROCESS('').replace(/xmlns="[^"]*"/, ''),
      'conf/schedule-off.json': {
        enabled: false,
        schedule: '0 0 0 * * ?',
        invokeService: 'healthh',
        extra: 1,
      },
      'conf/schedule-none.json': {
        enabled: false,
        schedule: '0 0 0 * * ?',
        invokeService: 'script',
        invokeContext: { script: { type: 'text/javascript', file: 'gone.js' } },
      },
    });
    const said = warnings.map(({ message }) => message).join('\n');
    for (const expected of [
      /"title" is nothing/,
      /"description" is nothing/,
      /"viewable" is nothing/,
      /"searchable" is nothing/,
      /"order"/,
      /"label"/,
      /"javascript" is taken for text\/javascript/,
      /requires 'maybe'/,
      /requires 'never'/,
      /calls 'createNotificaton' of the module 'onUpdateUser'/,
      /calls 'nope' of the module 'util'/,
      /instanceId/,
      /"org.quartz.scheduler.idleWaitTime": "soon" counts as absent/,
      /unknown key "extra"/,
      /'healthh', and is disabled/,
      /gone.js/,
      /Nothing in it is of the namespace of BPMN/,
    ]) {
      expect(said).toMatch(expected);
    }
    expect(said).not.toMatch(/'isArray'/);
    const unread = warnings.filter(({ file }) => file?.startsWith('conf/ui-'));
    expect(unread.length).toBeGreaterThanOrEqual(2);
    expect(code).toBe(0);
  });
});
