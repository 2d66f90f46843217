import { AddressGuard, type Destination, type Network } from '#egress/index.ts';

/** Where processes may connect to besides public addresses: what the operator and `workflow.json` allow. */
export function processGuard(allowed: readonly Network[] = [], only?: readonly Destination[]): AddressGuard {
  const words = {
    area: 'WORKFLOW_HTTP',
    who: 'Processes',
    hint: 'The operator can allow the network in SVC_EGRESS_ALLOW, or in http.allow of the file workflow.json',
    place: 'http.allow of workflow.json',
  };
  return new AddressGuard(allowed, { words, only });
}
