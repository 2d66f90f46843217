import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AddressGuard } from '#egress/index.ts';
import type { Scripts } from '#script/index.ts';
import { scriptedKind } from '#system/connectors/scripted/scripted-connector.ts';
import { guardedRequest } from '#system/guarded-request.ts';
import { connectorScripts } from '#system/run-connector-script.ts';
import { bindingLibraries } from '../../../src/script/binding-libraries.ts';
import { SandboxPool } from '../../../src/script/javascript/index.ts';
import { runFailure } from '../../../src/script/script-error.ts';
import { behind, type ConnectorFixture } from '../../support/connector/fixture.ts';
import { PeopleService } from '../../support/connector/people-service.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { describeConnector } from './connector-suite.ts';
import '../../support/takes-long.ts';

const SCRIPT = readFileSync(new URL('../../support/connector/people-script.js', import.meta.url), 'utf8');

/** Scripts in sandboxes of this thread, with one file. */
function scriptsIn(pool: SandboxPool): Pick<Scripts, 'evaluate'> {
  return {
    async evaluate({ signal }, { reference, label = '', bindings, operations = {} }) {
      const { source = '', globals, timeoutMs = 0 } = reference;
      try {
        const result = await pool.run({
          script: { name: label, source },
          bindings: { ...globals, ...bindings },
          host: async (operation, args) =>
            operation === 'require.resolve'
              ? { id: String(args[0]), source: SCRIPT, isShared: false }
              : (operations[operation]?.(args) ?? null),
          isNested: true,
          timeoutMs,
          ...(signal === undefined ? {} : { signal }),
        });
        return { ...result, log: [] };
      } catch (error) {
        throw runFailure(error, false, label, label);
      }
    },
  };
}

async function start(): Promise<ConnectorFixture> {
  await using scope = new AsyncDisposableStack();
  const service = scope.use(new PeopleService());
  const port = await service.listen();
  const proxy = scope.use(await TcpProxy.open(() => ({ host: '127.0.0.1', port }), Math.random));
  const pool = await SandboxPool.create({ libraries: bindingLibraries });
  scope.defer(() => pool.close());
  const opened = scope.move();
  return {
    kind: scriptedKind,
    host: {
      request: guardedRequest(new AddressGuard(['127.0.0.1'])),
      runScript: connectorScripts(scriptsIn(pool)),
    },
    config: {
      name: 'people',
      connectorRef: { connectorName: 'svc.scripted' },
      configurationProperties: {
        file: 'people.js',
        allow: [`http://127.0.0.1:${proxy.port}/v1`],
        authenticationMethod: 'HEADER',
        headerName: 'X-Api-Key',
        authToken: service.key,
        changes: 'full',
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            login: { type: 'string', nativeName: '__NAME__', required: true },
            title: { type: 'string' },
            age: { type: 'integer' },
            mails: { type: 'array', items: { type: 'string' } },
            password: { type: 'string', nativeName: '__PASSWORD__', nativeType: 'JAVA_TYPE_GUARDEDSTRING' },
          },
        },
      },
    },
    draft: (object) => object,
    wrongLogin: { authToken: 'of-nobody' },
    bytes: 'photo',
    many: 1_200,
    multitude: 10_000,
    async seed(objects) {
      for (const object of objects) {
        const id = randomUUID();
        service.people.set(id, { ...object, id });
      }
    },
    empty: async () => service.people.clear(),
    forgetChanges: async () => void service.log.splice(0),
    ...behind(proxy),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describeConnector('that is a script', start);
