import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startNodeProcess } from '../support/node-process.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createProject, WATCHFUL } from '../support/project.ts';
import { startTestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const js = (source: string, more: object = {}) => ({ type: 'text/javascript', source, ...more });

describe('with debug information', () => {
  it('an error tells where in the script it was thrown', async () => {
    await using server = await startTestServer({
      files: {
        'conf/endpoint-mistake.json': { type: 'text/javascript', file: 'mistake.js' },
        'script/mistake.js': 'var a;\na.b.c;',
      },
      environment: { JAVASCRIPT_EXCEPTION_DEBUG_INFO: 'true' },
    });
    const { body } = await server.api('GET', 'endpoint/mistake');
    expect(body.message).toMatch(/\(mistake.js#2\)$/);
    expect(body.detail).toEqual({ fileName: 'mistake.js', lineNumber: 2, columnNumber: expect.any(Number) });
    const inline = (source: string) =>
      server.api('POST', 'script?_action=eval', { body: js(source) }).then((answer) => answer.body.message);
    expect(await inline('1;\nnobody.knows')).toMatch(/\([0-9A-F]{40}#2\)$/);
    expect(await inline('1;\n\nvar = 2')).toMatch(/\([0-9A-F]{40}#3\)$/);
  });
});

describe('on every node', () => {
  it('an endpoint follows its file, its script, modules, properties and /config, and secrets can be read', async () => {
    const scriptJson = (properties: object) => ({
      ECMAScript: { 'javascript.recompile.minimumInterval': '100' },
      properties,
    });
    await using database = await createTestDatabase();
    await using project = await createProject({
      'conf/boot/boot.properties': WATCHFUL,
      'conf/script.json': scriptJson({ company: 'Old' }),
      'conf/endpoint-parts.json': js("require('part').value + ' ' + (typeof company) + ' ' + (typeof city)"),
      'script/part.js': "exports.value = 'one'",
      'conf/endpoint-shared.json': { type: 'text/javascript', file: 'shared.js' },
      'script/shared.js': '"one"',
    });
    const nodes = await Promise.all(
      ['a', 'b'].map((name) =>
        startNodeProcess({ name, databaseUrl: database.url, project: project.location }),
      ),
    );
    await using _stop = {
      async [Symbol.asyncDispose]() {
        await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
      },
    };
    const all = (path: string, body: unknown) =>
      eventually(
        () => Promise.all(nodes.map((node) => node.api('GET', path))),
        (answers) => answers.every((answer) => answer.body === body),
      );
    await all('endpoint/shared', 'one');
    await all('endpoint/parts', 'one string undefined');
    await project.write('script/shared.js', '"two"');
    await project.write('script/part.js', "exports.value = 'two'");
    await project.write('conf/script.json', scriptJson({ city: 'New' }));
    await all('endpoint/shared', 'two');
    await all('endpoint/parts', 'two undefined string');
    await project.write('conf/endpoint-shared.json', js('"three"'));
    await all('endpoint/shared', 'three');
    const secret = js('apiKey', { apiKey: 's3cret', encrypt: ['/apiKey'] });
    expect((await nodes[0]!.api('PUT', 'config/endpoint/rest', { body: secret })).status).toBe(201);
    await all('endpoint/rest', 's3cret');
  });
});
