import { AddressGuard, type Destination, LOOPBACK, type Network, PRIVATE } from '#egress/index.ts';

/** Where mail servers listen. At these ports one may be on this machine or in a private network, as most are. */
const MAIL_PORTS: ReadonlySet<number> = new Set([25, 465, 587, 2525]);

/** Whether mail may be handed over there. Whoever sets `mail.host` should not look around with it at any other port. */
export function mailGuard(
  port: number,
  allowed: readonly Network[] = [],
  only?: readonly Destination[],
): AddressGuard {
  const near = MAIL_PORTS.has(port) ? [...LOOPBACK, ...PRIVATE] : [];
  const words = {
    area: 'WORKFLOW_MAIL',
    who: 'Mail',
    hint: `The operator can allow it in SVC_EGRESS_ALLOW; at the ports ${[...MAIL_PORTS].join(', ')} private networks are open`,
    place: 'http.allow of workflow.json',
  };
  return new AddressGuard([...allowed, ...near], { words, only });
}
