import { z } from 'zod';
import {
  didYouMean,
  InternalServerError,
  type ResourceError,
  ServiceUnavailableError,
} from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { type Doubt, defineConfig } from '../config-definition.ts';
import { filledText, flag, json, wholeNumber } from './scalar-schema.ts';

/** How much is kept of what instances did, from nothing to all of it. */
export const HISTORY_LEVELS = ['none', 'instance', 'task', 'activity', 'audit', 'full'] as const;
export type HistoryLevel = (typeof HISTORY_LEVELS)[number];

/** A value with which a node starts, but has no process engine. */
interface Obstacle {
  /** What each request of workflow is answered. */
  readonly error: () => ResourceError;
  readonly doubt: Doubt;
}

function inactive(what: string, hint: string): () => ServiceUnavailableError {
  return () =>
    new ServiceUnavailableError(`Workflow is inactive: workflow.json has ${what}`, {
      id: 'WORKFLOW_INACTIVE',
      hint,
    });
}

function noEngineAt(location: JsonValue): Obstacle | undefined {
  const doubt = (why: string) => ({
    id: 'WORKFLOW_LOCATION',
    message: `"location" is "${String(location)}": ${why}`,
    hint: 'Write "embedded", or leave it out',
  });
  const hint = 'Use the location "embedded"';
  if (location === 'local') {
    const error = () =>
      new InternalServerError('No process engine is bound: workflow.json has the location "local"', {
        id: 'WORKFLOW_UNBOUND',
        hint,
      });
    const why =
      'no other process engine can be bound, so every request of workflow is answered with 500 and nothing is deployed';
    return { error, doubt: doubt(why) };
  }
  if (location !== 'remote') return undefined;
  return {
    error: inactive('the location "remote", which does not work', hint),
    doubt: doubt('it does not work, so workflow stays inactive and the node is not ready'),
  };
}

const isLevel = (value: JsonValue): value is HistoryLevel => HISTORY_LEVELS.some((level) => level === value);

function unknownLevel(history: JsonValue): Obstacle {
  const hint = didYouMean(String(history), HISTORY_LEVELS) ?? `Levels are ${HISTORY_LEVELS.join(', ')}`;
  return {
    error: inactive(`the unknown history level "${String(history)}"`, hint),
    doubt: {
      id: 'WORKFLOW_HISTORY',
      message: `"history" is "${String(history)}": there is no such level, so workflow stays inactive and the node is not ready`,
      hint,
    },
  };
}

function noDataSource(name: JsonValue): Obstacle | undefined {
  if (name === 'default') return undefined;
  return {
    error: () =>
      new InternalServerError(`There is no data source '${String(name)}'`, {
        id: 'WORKFLOW_NO_DATA_SOURCE',
        hint: 'workflow.json: leave out useDataSource, or write "default"',
      }),
    doubt: {
      id: 'WORKFLOW_DATA_SOURCE',
      message: `"useDataSource" is "${String(name)}": there is no such data source, so every request of workflow is answered with 500 and nothing is deployed`,
      hint: 'Write "default", or leave it out',
    },
  };
}

/** The process engine of a node, or why it has none. */
function bindingOf({
  location,
  history,
  useDataSource,
}: Record<'location' | 'history' | 'useDataSource', string>): { readonly history: HistoryLevel } | Obstacle {
  const elsewhere = noEngineAt(location);
  if (elsewhere !== undefined) return elsewhere;
  return isLevel(history) ? (noDataSource(useDataSource) ?? { history }) : unknownLevel(history);
}

const THIS_MACHINE = /^(?:localhost|127\..*|::1)$/i;

const mail = z
  .looseObject({
    host: z.string().default('localhost'),
    port: wholeNumber({ min: 1, max: 65_535 }).prefault(25),
    username: z.string().optional(),
    /** Plain, or encrypted by the service. */
    password: json().optional(),
    /** Default: true where a name is shown to a server on another machine. */
    starttls: flag().optional(),
    from: z.string().default('svc@localhost'),
  })
  .transform(({ host, port, username, password, starttls, from }) => ({
    host,
    port,
    username,
    password,
    /**
     * Refuse to go on without an encrypted connection and a certificate that is right: a password goes to no other
     * machine in the open unless somebody says so.
     */
    starttls: starttls ?? (username !== undefined && !THIS_MACHINE.test(host)),
    /** The sender of mails that name none. */
    from,
  }));

const forms = z
  .looseObject({
    /** Whether the forms of all processes are checked, or only of those with these keys. */
    validate: flag().or(z.array(filledText())).prefault(false),
    /** Keys of processes whose steps take any variables from callers. */
    acceptAny: z.array(filledText()).default([]),
  })
  .transform(({ validate, acceptAny }) => ({
    /** Whether values that are submitted to a process with that key must fit the form. */
    validates: (key: string) => (typeof validate === 'boolean' ? validate : validate.includes(key)),
    acceptAny: new Set(acceptAny),
  }));

const schema = z
  .looseObject({
    /** `local` and `remote` are known to the field, and of no use here. */
    location: z.enum(['embedded', 'local', 'remote']).default('embedded'),
    useDataSource: z.string().default('default'),
    workflowDirectory: filledText().default('workflow'),
    /** Accepted, with a warning: this service's tables have fixed names. */
    tablePrefix: z.string().default(''),
    tablePrefixIsSchema: flag().prefault(false),
    /** One of `HISTORY_LEVELS`. */
    history: z.string().default('audit'),
    mail: mail.prefault({}),
    /** Declared by the field and never read. */
    engine: z
      .looseObject({ url: z.json().optional(), username: z.json().optional(), password: z.json().optional() })
      .optional(),
    forms: forms.prefault({}),
    /** Instances that one caller may have started and that have not ended. */
    maxOpenInstances: wholeNumber({ min: 1 }).prefault(500),
    /** Instances that have not ended and that those of one caller have called, and what these have, and so on. */
    maxCalledInstances: wholeNumber({ min: 1, max: 2_147_483_647 }).prefault(10_000),
    /** Strict: a script that does not compile keeps its process from being deployed; otherwise it fails when it is reached. */
    scripts: z.looseObject({ strict: flag().prefault(false) }).prefault({}),
    /** Networks that http tasks may reach though they are refused otherwise: this machine, link-local addresses. */
    http: z.looseObject({ allow: z.array(filledText()).default([]) }).prefault({}),
    /** Days that finished instances are kept; 0 is for ever. */
    historyKeepDays: wholeNumber({ min: 0, max: 1_000_000 }).prefault(0),
  })
  .transform((written) => ({ ...written, binding: bindingOf(written) }));

/** `workflow.json`. A relative `workflowDirectory` is one of the project location. */
export const workflowConfig = defineConfig({
  id: 'workflow',
  schema,
  unread: { where: (path) => path[0] !== 'engine' },
  withoutEffect: {
    keys: ['tablePrefix', 'tablePrefixIsSchema', 'engine'],
    because: 'the tables of workflow have fixed names, and there is no other engine to reach',
    harmless: ['', 'false', 'null'],
  },
  doubts: {
    location: (value) => noEngineAt(value)?.doubt,
    history: (value) => (value === null || isLevel(value) ? undefined : unknownLevel(value).doubt),
    useDataSource: (value) => (value === null ? undefined : noDataSource(value)?.doubt),
  },
});

export type WorkflowConfig = z.output<typeof schema>;
