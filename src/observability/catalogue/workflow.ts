import { errorFacts, said } from './row.ts';

/** Process files and instances. */
export const WORKFLOW = {
  'workflow.deployed': said<{ file: string; definitions: readonly string[]; findings: readonly string[] }>({
    level: ({ findings }) => (findings.length === 0 ? 'info' : 'warn'),
    text: ({ file }) => `workflow ${file} deployed`,
    facts: ({ definitions, findings }) => ({
      definitions,
      ...(findings.length === 0 ? {} : { findings }),
    }),
  }),
  'workflow.undeployed': said<{ file: string; outcome: 'undeployed' | 'suspended' }>({
    level: ({ outcome }) => (outcome === 'undeployed' ? 'info' : 'warn'),
    text: ({ file, outcome }) =>
      outcome === 'undeployed'
        ? `workflow ${file} undeployed`
        : `workflow ${file} is gone but in use: no new instances start, running ones go on`,
  }),
  'workflow.deployFailed': said<{ file: string; error: unknown }>({
    level: 'error',
    text: ({ file }) => `workflow ${file} cannot be deployed`,
    facts: ({ error: thrown }) => errorFacts(thrown),
  }),
  'workflow.passedOver': said<{ file: string; message: string; hint?: string }>({
    level: 'warn',
    text: ({ file, message }) => `workflow ${file}: ${message}`,
    facts: ({ hint }) => ({ hint }),
  }),
  'workflow.stuck': said<{ instance: string; elements: readonly string[] }>({
    level: 'warn',
    text: ({ instance }) => `process instance ${instance} can never go on`,
    facts: ({ elements }) => ({ elements }),
  }),
  'workflow.messageLost': said<{ instance: string; name: string }>({
    level: 'warn',
    text: ({ instance, name }) => `nobody waits for message ${name} of process instance ${instance}`,
  }),
  'workflow.deadLetter': said<{ job: string; instance: string | null; element: string; error: string }>({
    level: 'warn',
    text: ({ job }) => `workflow job ${job} is a dead letter`,
    facts: ({ instance, element, error: thrown }) => ({ instance, element, error: thrown }),
  }),
  'workflow.mailRejected': said<{ job: string; recipients: number }>({
    level: 'warn',
    text: ({ job, recipients }) => `mail ${job} was refused for ${recipients} of its recipients`,
  }),
  'workflow.pruned': said<{ instances: number }>({
    level: 'info',
    text: ({ instances }) => `history of ${instances} process instances pruned`,
  }),
};
