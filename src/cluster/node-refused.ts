import { ActivationError } from '#errors/index.ts';

/** Why a node does not join. */
export function nameInUse(nodeName: string): ActivationError {
  return new ActivationError([
    {
      id: 'CLUSTER_NODE_ID_IN_USE',
      where: '',
      message: `another live node is called '${nodeName}'`,
      hint: 'give each node its own SVC_NODE_ID, or leave it out',
    },
  ]);
}

/** Why it cannot go on; its next life is another process. */
export function numberLost(nodeName: string): ActivationError {
  return new ActivationError([
    {
      id: 'CLUSTER_NODE_NUMBER_LOST',
      where: '',
      message: `a fail-over has lost that '${nodeName}' had joined, and another node has its number`,
      hint: 'start it again: it gets a number of its own',
    },
  ]);
}
