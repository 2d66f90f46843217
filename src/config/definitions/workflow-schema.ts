import { z } from 'zod';
import { defineConfig } from '../config-definition.ts';
import { filledText, flag, wholeNumber } from './scalar-schema.ts';

/** Locations of no use, and history levels, are for the service that reads them, which then says that it is inactive. */
const schema = z.looseObject({
  /** `local` and `remote` are known to the field, and of no use here. */
  location: z.enum(['embedded', 'local', 'remote']).default('embedded'),
  useDataSource: z.string().default('default'),
  workflowDirectory: filledText().default('workflow'),
  /** Accepted, with a warning: this service's tables have fixed names. */
  tablePrefix: z.string().default(''),
  tablePrefixIsSchema: flag().default(false),
  history: z.string().default('audit'),
  mail: z
    .looseObject({
      host: z.string().default('localhost'),
      port: wholeNumber({ min: 1, max: 65_535 }).default(25),
      username: z.string().optional(),
      /** Plain, or encrypted by the service. */
      password: z.json().optional(),
      /** Default: true where a name is shown to a server on another machine. */
      starttls: flag().optional(),
      from: z.string().optional(),
    })
    .prefault({}),
  /** Declared by the field and never read. */
  engine: z
    .looseObject({ url: z.json().optional(), username: z.json().optional(), password: z.json().optional() })
    .optional(),
  forms: z
    .looseObject({
      /** Of all processes, or of those with these keys. */
      validate: flag().or(z.array(filledText())).default(false),
      /** Keys of processes whose steps take any variables from callers. */
      acceptAny: z.array(filledText()).default([]),
    })
    .prefault({}),
  /** Instances that one caller may have started and that have not ended. */
  maxOpenInstances: wholeNumber({ min: 1 }).default(500),
  /** Instances that have not ended and that those of one caller have called, and what these have, and so on. */
  maxCalledInstances: wholeNumber({ min: 1, max: 2_147_483_647 }).default(10_000),
  /** Strict: a script that does not compile keeps its process from being deployed. */
  scripts: z.looseObject({ strict: flag().default(false) }).prefault({}),
  /** Networks that http tasks may reach though they are refused otherwise: this machine, link-local addresses. */
  http: z.looseObject({ allow: z.array(filledText()).default([]) }).prefault({}),
  /** Days that finished instances are kept; 0 is for ever. */
  historyKeepDays: wholeNumber({ min: 0, max: 1_000_000 }).default(0),
});

const NOWHERE: Readonly<Record<string, string>> = {
  local:
    'no other process engine can be bound, so every request of workflow is answered with 500 and nothing is deployed',
  remote: 'it does not work, so workflow stays inactive and the node is not ready',
};

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
    location: (value) => {
      const why = NOWHERE[String(value)];
      if (why === undefined) return undefined;
      return {
        id: 'WORKFLOW_LOCATION',
        message: `"location" is "${String(value)}": ${why}`,
        hint: 'Write "embedded", or leave it out',
      };
    },
  },
});

export type WorkflowConfig = z.output<typeof schema>;
