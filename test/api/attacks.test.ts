import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { accessMatrix } from '../support/access-matrix.ts';
import { attackSite, expectRefusal } from '../support/attack-site.ts';
import { faultOf, type HostileRequest, seededRandom, sendHostile } from '../support/hostile-requests.ts';
import { USER_PASSWORD } from '../support/hostile-target.ts';
import { sendRaw, statusOf } from '../support/raw-http.ts';
import '../support/takes-long.ts';

/** One server for all attacks of this file: each asserts that it was refused cleanly, the last that nothing was harmed. */
const site = attackSite();
const { asAdmin, asEve } = site;

describe('the access matrix', () => {
  it('of docs/access-matrix.md is what anonymous, a user and an administrator meet', async () => {
    const page = await readFile(new URL('../../docs/access-matrix.md', import.meta.url), 'utf8');
    const documented = page.split('\n').filter((line) => line.startsWith('|'));
    expect(await accessMatrix(site.target)).toEqual(documented);
  });
});

describe('injection into SQL', () => {
  const TEXTS = [
    "' OR '1'='1", "'; DROP TABLE managed_object; --", '" or 1=1 --', "') UNION SELECT password FROM managed_object --",
    "\\'; select sleep(10); --", '$$; select 1; $$', '%27%20or%201=1', "x' || (select version()) || '", '*/ or /*', '\u02bc or 1=1', '{"$gt":""}', '1e1000',
  ]; // biome-ignore format: a list of texts
  it.each(TEXTS)('finds nothing by the name %s', async (text) => {
    const filter = encodeURIComponent(`userName eq ${JSON.stringify(text)}`);
    const { status, body } = await asAdmin('GET', `managed/user?_queryFilter=${filter}`);
    expect([status, body.resultCount]).toEqual([200, 0]);
    expectRefusal(await asAdmin('GET', `managed/user/${encodeURIComponent(text)}`), 400, 404);
  });
  it.each(TEXTS)('neither sorts, selects nor pages by %s', async (text) => {
    const it = encodeURIComponent(text);
    for (const parameter of ['_sortKeys', '_fields']) {
      const answer = await asAdmin('GET', `managed/user?_queryFilter=false&${parameter}=${it}`);
      if (answer.status !== 200) expectRefusal(answer, 400);
    }
    expectRefusal(
      await asAdmin('GET', `managed/user?_queryFilter=true&_pageSize=1&_pagedResultsCookie=${it}`),
      400,
    );
    expectRefusal(await asAdmin('GET', `managed/user?_queryFilter=true&_pageSize=${it}`), 400);
    expectRefusal(await asAdmin('GET', `managed/user?_queryId=${it}`), 400, 404);
  });
  it.each([
    'userName eq', 'userName eq "a', '((((', 'a eq 1 and', "userName eq 'ada'; drop table x", 'userName like "%"', 'true) or (true', '1=1',
    'userName eq "a" union select 1', '! ! !', 'userName eq {"a":1}', 'not', `${'('.repeat(5000)}true${')'.repeat(5000)}`, `${'!('.repeat(3000)}true${')'.repeat(3000)}`,
    Array.from({ length: 1500 }, (_, n) => `a eq ${n}`).join(' or '),
  ])('reads no filter such as %j', async (filter) => {
    expectRefusal(await asAdmin('GET', `managed/user?_queryFilter=${encodeURIComponent(filter)}`), 400, 414, 431);
  }); // biome-ignore format: a list of filters
});

describe('patterns that never end', () => {
  it.each(['(a+)+$', '(a|aa)+$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(?=(a+))a*b\\1'])(
    '%s is plain text',
    async (pattern) => {
      const startedAt = performance.now();
      const filter = encodeURIComponent(
        `userName co ${JSON.stringify(pattern)} or mail sw ${JSON.stringify('a'.repeat(3000))}`,
      );
      expect((await asAdmin('GET', `managed/user?_queryFilter=${filter}`)).body.resultCount).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(60_000);
    },
  );
  it.each(['mail', 'userName'])('a long value of %s is judged in no time', async (name) => {
    const startedAt = performance.now();
    const value = `${'a@'.repeat(50_000)}!`;
    const answer = await asEve('PATCH', 'managed/user/eve', {
      body: [{ operation: 'replace', field: `/${name}`, value }],
    });
    expect([200, 400, 403]).toContain(answer.status);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });
});

describe('paths', () => {
  it.each([
    '/svc/../svc/config/managed', '/svc/%2e%2e/svc/config', '/svc/managed/user/./ada', '/svc/managed/user/%2e%2e/ada', '/svc/managed\\user', '/svc/managed/user/%00',
    '/svc/managed/user/%C0%AF', '/svc/managed/user/%', '/svc/managed/user/%0d%0aX:%20y', '/svc/managed/user/%ff', '//evil.example/svc/%2e%2e/x', '/docs/../../package.json', '/docs/%2e%2e/%2e%2e/package.json',
    '/svc/..;/config', '/docs/..%2f..%2fpackage.json', '/docs/....//package.json', '/svc/managed//user/ada', '/svc/Config/managed', '/svc/config%2fmanaged', '/svc;x=1/config/managed', '/svc/config/managed%3f',
  ])('%s leads nowhere for a user', async (path) => {
    const request: HostileRequest = { method: 'GET', path, headers: { 'X-Svc-Username': 'eve', 'X-Svc-Password': USER_PASSWORD }, body: undefined };
    const answer = await sendHostile(site.target.server.url, request);
    expect([400, 403, 404]).toContain(answer.status);
    expect(faultOf(request, answer)).toBeUndefined();
    expect(answer.text).not.toContain('dependencies');
  }); // biome-ignore format: a list of paths
  it('longer than any are 414, and headers beyond measure 431', async () => {
    const long: HostileRequest = {
      method: 'GET',
      path: `/svc/managed/user/${'a'.repeat(20_000)}`,
      headers: {},
      body: undefined,
    };
    expect(
      statusOf(
        await sendRaw(
          site.target.server.url,
          `GET ${long.path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        ),
      ),
    ).toBe(414);
    expect(
      statusOf(
        await sendRaw(
          site.target.server.url,
          `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
        ),
      ),
    ).toBe(431);
    const many = Array.from({ length: 150 }, (_, n) => `X-${n}: y\r\n`).join('');
    expect(
      statusOf(
        await sendRaw(
          site.target.server.url,
          `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many}\r\n`,
        ),
      ),
    ).toBe(431);
  });
});

describe('smuggling', () => {
  const SECOND = 'GET /svc/config/managed HTTP/1.1\r\nHost: x\r\n\r\n';
  it.each([
    [
      'two lengths',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n',
    ],
    [
      'a length and chunks',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'an odd encoding',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'two encodings',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n',
    ],
    ...[
      'gzip, chunked',
      'identity, chunked',
      'chunked, gzip',
      'chunked, chunked',
      'identity',
      'chunked;q=1',
      '\vchunked',
      '',
    ].map((encoding): [string, string] => [
      `the transfer encoding '${encoding}'`,
      `POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${encoding}\r\n\r\n0\r\n\r\n`,
    ]),
    ...['', 'Connection: keep-alive\r\n'].map((connection): [string, string] => [
      `chunks in HTTP/1.0 and '${connection.trim()}'`,
      `POST /svc/info/ping HTTP/1.0\r\nHost: x\r\n${connection}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ]),
    ['a list of lengths', 'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 2\r\n\r\n{}'],
    ['a star for a path', 'GET * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a path of no kind', 'GET svc/info/ping HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a whole URL with a way out', 'GET http://x/svc/../config HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'a space before the colon',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello',
    ],
    ['a folded header', 'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nX: a\r\n b: c\r\n\r\n'],
    ['a bare line feed', 'GET /svc/info/ping HTTP/1.1\nHost: x\n\n'],
    [
      'a bad chunk',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nx\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a signed length', 'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello'],
    ['two hosts', 'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['no host', 'GET /svc/info/ping HTTP/1.1\r\n\r\n'],
    ['a host that is a path', 'GET /svc/info/ping HTTP/1.1\r\nHost: x/../y\r\n\r\n'],
    ['a host with a user', 'GET /svc/info/ping HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    [
      'two users',
      'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nX-Svc-Username: eve\r\nX-Svc-Username: svc-admin\r\n\r\n',
    ],
    [
      'two credentials',
      'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nAuthorization: Basic a\r\nAuthorization: Basic b\r\n\r\n',
    ],
    ['a zero byte', 'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nX: a\u0000b\r\n\r\n'],
    ['another protocol', 'GET /svc/info/ping HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['no method', '/svc/info/ping HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown method', 'BREW /svc/info/ping HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a fragment', 'GET /svc/info/ping#x HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another scheme', 'GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a way out of the path', 'GET /svc/info/../config HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a backslash and a body', 'POST /svc/info\\ping HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'],
  ])('with %s gets through nowhere', async (what, message) => {
    const answer = await sendRaw(site.target.server.url, message + SECOND);
    expect(statusOf(answer), what).toBe(400);
    expect(answer).toMatch(/^Connection: close\r$/im);
    // One answer to one message: what was smuggled in behind it was not read as a request.
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({
      code: 400,
      message: expect.any(String),
    });
  });
  it('as a tunnel is cut off', async () => {
    const answer = await sendRaw(site.target.server.url, 'CONNECT db:5432 HTTP/1.1\r\nHost: db:5432\r\n\r\n');
    expect([0, 400]).toContain(statusOf(answer));
  });
});

describe('bodies', () => {
  const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);
  it.each([
    ['endless arrays', deep('[', ']', 100_000)],
    ['endless objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['just too deep', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`],
    ['an array', '[]'], ['a text', '"x"'], ['null', 'null'], ['two objects', '{}{}'], ['a comment', '{/*x*/}'], ['a trailing comma', '{"a":1,}'],
    ['single quotes', "{'a':1}"], ['NaN', '{"a":NaN}'], ['half a surrogate', '{"userName":"\\ud800"}'], ['a zero character', '{"userName":"a\\u0000b"}'], ['nothing', ' '],
  ])('that are %s are refused', async (_what, body) => {
    expectRefusal(await asAdmin('POST', 'managed/user', { body }), 400, 403);
    expectRefusal(await asAdmin('PUT', 'repo/attack/body', { body }), 400, 403);
  }); // biome-ignore format: a list of bodies
  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json; charset=utf-7', 'application/json, text/html', 'text/json', 'application/x-json'])('of type %s are refused', async (type) => {
    expectRefusal(await asAdmin('POST', 'managed/user', { body: '{"userName":"x"}', headers: { 'Content-Type': type } }), 400, 415);
  }); // biome-ignore format: a list of types
});

describe('prototypes', () => {
  const POLLUTION =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":{"polluted":true}}}';
  it.each(['repo/attack/proto', 'managed/user/proto'])('are not changed by an object at %s', async (path) => {
    const answer = await asAdmin('PUT', path, { body: POLLUTION });
    expect([201, 400, 403]).toContain(answer.status);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const seen = await asAdmin('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: '({}).polluted === undefined' },
    });
    expect(seen.body).toBe(true);
    await asAdmin('DELETE', path);
  });
  it.each([
    '/__proto__/polluted',
    '/constructor/prototype/polluted',
    '/a/__proto__/polluted',
    '__proto__',
    '/__proto__',
  ])('are not changed by a patch of %s', async (field) => {
    const answer = await asEve('PATCH', 'managed/user/eve', {
      body: [{ operation: 'add', field, value: { polluted: true } }],
    });
    expectRefusal(answer, 400, 403);
    await asAdmin('PUT', 'repo/attack/patched', { body: { a: {} } });
    const op = { operation: 'add', field, value: 1 };
    expectRefusal(await asAdmin('PATCH', 'repo/attack/patched', { body: [op] }), 501);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
  it.each([
    '_fields=__proto__',
    '_fields=constructor/name',
    '_queryFilter=__proto__/x%20pr',
    '_queryFilter=constructor%20pr',
    '_sortKeys=__proto__&_queryFilter=true',
  ])('are not shown by ?%s', async (query) => {
    const { status, body } = await asAdmin(
      'GET',
      query.includes('Filter') ? `managed/user?${query}&_pageSize=1` : `managed/user/ada?${query}`,
    );
    expect(status).toBeLessThan(500);
    expect(JSON.stringify(body)).not.toMatch(/native code|\[object|Object"/);
  });
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'lend no resource the name %s',
    async (name) => {
      for (const path of [
        name,
        `managed/${name}/x`,
        `info/${name}`,
        `config/${name}`,
        `endpoint/${name}`,
        `health/${name}`,
        `audit/${name}`,

        `scheduler/job/${name}`,
        `workflow/${name}`,
      ]) {
        expectRefusal(await asAdmin('GET', path), 400, 404, 501);
      }
      expectRefusal(await asAdmin('POST', `managed/user?_action=${name}`, { body: {} }), 400, 501);
      expectRefusal(await asAdmin('POST', `authentication?_action=${name}`, { body: {} }), 400);
    },
  );
});
describe('process files', () => {
  const XML = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x">';
  it.each([
    [
      'a billion laughs',
      `<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>${XML}<process id="x" name="&b;"/></definitions>`,
    ],
    [
      'a file of this machine',
      `<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]>${XML}<process id="x" name="&a;"/></definitions>`,
    ],
    [
      'a document elsewhere',
      `<!DOCTYPE d SYSTEM "http://127.0.0.1/x.dtd">${XML}<process id="x"/></definitions>`,
    ],
    ['endless elements', `${XML}${'<process>'.repeat(20_000)}`],
    [
      'endless attributes',
      `${XML}<process id="x" ${Array.from({ length: 20_000 }, (_, n) => `a${n}="1"`).join(' ')}`,
    ],
    ['half a file', `${XML}<process id="x"><startEvent id="a"`],
    ['no XML', 'BM\u0001\u0002'],
    ['a name that climbs', '<x/>'],
  ])('with %s are refused', async (what, content) => {
    const name = what === 'a name that climbs' ? '../../evil.bpmn20.xml' : 'evil.bpmn20.xml';
    const answer = await asAdmin('POST', 'workflow/deployment?_action=deploy', { body: { name, content } });
    expectRefusal(answer, 400, 413);
    expect(JSON.stringify(answer.body)).not.toContain('root:');
  });
  it.each([
    'not a zip',
    'UEsDBBQAAAAIAA==',
    Buffer.from(`PK\u0003\u0004${'\u00ff'.repeat(60)}`, 'latin1').toString('base64'),
  ])('in an archive such as %j are refused', async (content) => {
    expectRefusal(
      await asAdmin('POST', 'workflow/deployment?_action=deploy', { body: { name: 'evil.bar', content } }),
      400,
    );
  });
});

describe('an archive', () => {
  it.each([
    ['one huge file', 1, 100_000_000],
    ['many files', 3_000, 10],
  ])('an archive that bursts into %s is refused', async (_what, files, bytes) => {
    const zip = new ZipFile();
    const content = Buffer.alloc(bytes, ' ');
    for (let n = 0; n < files; n++) zip.addBuffer(content, `${n}.bpmn20.xml`, { compressionLevel: 1 });
    zip.end();
    const archive = (await buffer(zip.outputStream)).toString('base64');
    const answer = await asAdmin('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'bomb.bar', content: archive },
    });
    expectRefusal(answer, 400, 413);
  });
});
// Before the random requests, among which are those of administrators.
describe('what is worth most', () => {
  it('is as it was', site.expectUnharmed);
});

describe('random requests', () => {
  it('1,500 of them find no 500, no leak and no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const random = seededRandom(20_261_121);
    const faults: unknown[] = [];
    let left = 1_500;
    const send = async () => {
      while (left-- > 0) {
        const request = site.target.next(random);
        const answer = await sendHostile(site.target.server.url, request);
        const fault = faultOf(request, answer);
        if (fault !== undefined) faults.push({ fault, request, answer });
      }
    };
    await Promise.all([send(), send(), send(), send()]);
    process.off('unhandledRejection', note);
    expect(faults).toEqual([]);
    expect(unhandled).toEqual([]);
  });
});

describe('after all attacks', () => {
  it('nothing was harmed, and nothing failed inside', site.expectNoFailure);
  it('no password was written anywhere', site.expectNoPassword);
});
