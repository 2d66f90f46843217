import { at, error, errorFacts, info, type Lines, warn } from './line.ts';

/** Process files and instances. */
export const WORKFLOW_LINES: Lines<'workflow'> = {
  'workflow.deployed': ({ file, definitions, findings }) =>
    at(findings.length === 0 ? 'info' : 'warn', `workflow ${file} deployed`, {
      definitions,
      ...(findings.length === 0 ? {} : { findings }),
    }),
  'workflow.undeployed': ({ file, outcome }) =>
    outcome === 'undeployed'
      ? info(`workflow ${file} undeployed`)
      : warn(`workflow ${file} is gone but in use: no new instances start, running ones go on`),
  'workflow.deployFailed': ({ file, error: thrown }) =>
    error(`workflow ${file} cannot be deployed`, errorFacts(thrown)),
  'workflow.passedOver': ({ file, message, hint }) => warn(`workflow ${file}: ${message}`, { hint }),
  'workflow.stuck': ({ instance, elements }) =>
    warn(`process instance ${instance} can never go on`, { elements }),
  'workflow.messageLost': ({ instance, name }) =>
    warn(`nobody waits for message ${name} of process instance ${instance}`),
  'workflow.deadLetter': ({ job, instance, element, error: thrown }) =>
    warn(`workflow job ${job} is a dead letter`, { instance, element, error: thrown }),
  'workflow.mailRejected': ({ job, recipients }) =>
    warn(`mail ${job} was refused for ${recipients} of its recipients`),
  'workflow.pruned': ({ instances }) => info(`history of ${instances} process instances pruned`),
};
