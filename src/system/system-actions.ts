import { type ProvisionerConfig, provisionerConfig } from '#config/index.ts';
import { BadRequestError, NotSupportedError, toResourceError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  bodyOf,
  type Context,
  NO_BODY,
  type Router,
  textMember,
} from '#resource/index.ts';
import { CONNECTOR_KINDS, findKind, isScripted } from './connector-kinds.ts';
import type { ConnectorKind } from './contract.ts';
import { type LiveSync, liveSyncActions, sourceIn } from './live-sync.ts';
import { connectorRefs, coreTemplate, describedProperties, objectTypesTemplate } from './system-template.ts';
import type { Systems } from './systems.ts';

const FILE: JsonObject = { type: 'object', description: 'The file of a system, or what there is of it' };

/**
 * Who may have the server run what they send. A whole file of a system is that: where it connects to, by which protocol, and a script of
 * the project with parameters.
 */
export type SentConfigs = Pick<Router, 'requireScriptRight'>;

/** The actions of all systems together. */
export function systemsActions(systems: Systems, liveSync: LiveSync, sent: SentConfigs): ActionTable {
  const create = async (context: Context, { content }: ActionRequest) => {
    const given = isObject(content) ? content : {};
    if (given['connectorRef'] === undefined) return { connectorRef: connectorRefs(CONNECTOR_KINDS) };
    return given['configurationProperties'] === undefined
      ? coreTemplate(kindIn(given))
      : full({ systems, sent }, context, given);
  };
  const isOfScript = ({ content }: ActionRequest) => isScripted(connectorNameIn(content));
  return new ActionTable(
    {
      availableConnectors: {
        does: 'The connectors that a system may have, and their `configurationProperties`',
        takes: NO_BODY,
        answers: { type: 'object' },
        run: async () =>
          actionResult({
            connectorRef: connectorRefs(CONNECTOR_KINDS),
            configurationProperties: describedProperties(CONNECTOR_KINDS),
          }),
      },
      createCoreConfig: {
        does: 'What the file of a system with the `connectorRef` of the body begins with',
        takes: FILE,
        answers: { type: 'object' },
        run: async (_context, { content }) => actionResult(coreTemplate(kindIn(content))),
      },
      createFullConfig: {
        does: 'The file of the body with the object types that the other system describes; it is asked for them',
        takes: FILE,
        answers: { type: 'object' },
        runsScripts: isOfScript,
        run: async (context, { content }) =>
          actionResult(await full({ systems, sent }, context, isObject(content) ? content : {})),
      },
      createConfiguration: {
        does: 'The next of these three, by what the body has',
        takes: FILE,
        answers: { type: 'object' },
        runsScripts: isOfScript,
        run: async (context, request) => actionResult(await create(context, request)),
      },
      testConfig: {
        does: 'Whether the system of the body, a whole file that need not be stored, can be reached',
        takes: FILE,
        answers: { type: 'object' },
        runsScripts: isOfScript,
        run: async (context, { content }) =>
          actionResult(await tryConfig({ systems, sent }, context, content)),
      },
      ...liveSyncActions(
        'Has what has changed in the `source`, such as `system/ldap/account`, brought to what is mapped to it',
        (context, request) => liveSync(context, sourceIn(request)),
      ),
      test: {
        does: 'Whether all systems can be reached, or the one whose `id` the body has',
        takes: bodyOf({ id: textMember('The name of a system') }),
        runsScripts: () => systems.enabled.some(({ name }) => systems.runsScripts(name)),
        run: async (context, { content }) => {
          const id = isObject(content) ? content['id'] : undefined;
          if (typeof id === 'string') return actionResult(await testSystem(systems, context, id));
          const names = systems.enabled.map(({ name }) => name);
          return actionResult(await Promise.all(names.map((name) => testSystem(systems, context, name))));
        },
      },
    },
    { anyCase: true },
  );
}

/** The actions of one system. */
export function systemActions(systems: Systems, name: string, liveSync: LiveSync): ActionTable {
  return new ActionTable(
    {
      test: {
        does: 'Whether it can be reached',
        takes: NO_BODY,
        answers: { type: 'object' },
        run: async (context) => actionResult(await testSystem(systems, context, name)),
      },
      ...liveSyncActions(
        'Has what has changed in it brought to what is mapped to it: all types, or the one of the `source`',
        (context, request) => liveSync(context, { ...sourceIn(request, name), system: name }),
      ),
      preparation: {
        does: 'What somebody runs there so that it tells what has changed, such as triggers of a database: `{"statements": …}`',
        run: async () => actionResult({ statements: await systems.preparation(name) }),
      },
      schema: {
        does: 'Its kinds of objects as it describes itself, in the form of `objectTypes` of its file',
        run: async (context) => {
          const system = await systems.named(name);
          return actionResult({ objectTypes: objectTypesTemplate(await system.schema(context.signal)) });
        },
      },
    },
    {
      anyCase: true,
      refuse({ action }) {
        if (action.toLowerCase() !== 'script') return;
        throw new NotSupportedError('Scripts are not run in other systems', {
          id: 'SYSTEM_NO_SCRIPTS',
          hint: 'A script of this server can ask others by svc.* and http tasks of processes',
        });
      },
    },
  );
}

/** What is known of a system, with the names of the field. */
export function describeSystem({ file, config }: Systems['all'][number]): JsonObject {
  const { name, enabled, connectorRef, objectTypes } = config;
  return {
    name,
    enabled,
    config: `config/${file.replace(/\.json$/, '').replace(/-/, '/')}`,
    connectorRef: { ...connectorRefIn(connectorRef) },
    displayName: connectorRef.displayName ?? name,
    objectTypes: [...Object.keys(objectTypes)],
  };
}

function connectorRefIn({
  connectorName,
  bundleName,
  bundleVersion,
}: ProvisionerConfig['connectorRef']): JsonObject {
  return {
    connectorName,
    ...(bundleName === undefined ? {} : { bundleName }),
    ...(bundleVersion === undefined ? {} : { bundleVersion }),
  };
}

async function testSystem(systems: Systems, context: Context, name: string): Promise<JsonObject> {
  const found = systems.all.find(({ config }) => config.name === name);
  const described = found === undefined ? { name } : describeSystem(found);
  if (found?.config.enabled === false) return { ...described, ok: false, error: 'It is disabled' };
  // A name that nobody knows is a mistake in the question, and no news of a system.
  const opening = systems.named(name);
  if (found === undefined) await opening;
  try {
    await (await opening).test(context.signal);
    return { ...described, ok: true };
  } catch (error) {
    return { ...described, ok: false, ...toldOf(error) };
  }
}

interface Trying {
  readonly systems: Systems;
  readonly sent: SentConfigs;
}

async function tryConfig({ systems, sent }: Trying, context: Context, content: unknown): Promise<JsonObject> {
  await sent.requireScriptRight(context, '/configurationProperties');
  const config = readConfig(content);
  try {
    await using system = await systems.open(config);
    await system.test(context.signal);
    return { name: config.name, ok: true };
  } catch (error) {
    return { name: config.name, ok: false, ...toldOf(error) };
  }
}

async function full({ systems, sent }: Trying, context: Context, given: JsonObject): Promise<JsonObject> {
  await sent.requireScriptRight(context, '/configurationProperties');
  const config = readConfig({ name: 'new', ...given });
  await using system = await systems.open(config);
  const objectTypes = objectTypesTemplate(await system.schema(context.signal));
  return { ...given, objectTypes, operationOptions: {} };
}

function toldOf(error: unknown): JsonObject {
  const { message, detail } = toResourceError(error);
  const { hint = null }: JsonObject = isObject(detail) ? detail : {};
  return { error: message, ...(hint === null ? {} : { hint }) };
}

/** @throws BadRequestError `SYSTEM_BAD_CONFIGURATION` */
function readConfig(content: unknown): ProvisionerConfig {
  const read = provisionerConfig.schema.safeParse(content);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = `/${(issue?.path ?? []).map(String).join('/')}`;
  throw new BadRequestError(`The body is no file of a system: '${field}' ${issue?.message ?? 'is wrong'}`, {
    id: 'SYSTEM_BAD_CONFIGURATION',
    field,
    hint: 'It is like provisioner.openicf-<name>.json; createCoreConfig makes one',
  });
}

/** @throws BadRequestError `SYSTEM_NO_CONNECTOR` */
function kindIn(content: unknown): ConnectorKind {
  const found = findKind(connectorNameIn(content));
  if ('kind' in found) return found.kind;
  throw new BadRequestError(found.message, {
    id: 'SYSTEM_NO_CONNECTOR',
    field: '/connectorRef/connectorName',
    hint: found.hint,
  });
}

function connectorNameIn(content: unknown): string {
  const ref = isObject(content) ? content['connectorRef'] : undefined;
  const name = isObject(ref) ? ref['connectorName'] : undefined;
  return typeof name === 'string' ? name : '';
}
