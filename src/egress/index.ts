/**
 * Whatever the server asks of others because somebody configured it so: http tasks of processes, keys of an issuer,
 * mail. A guard looks at the address of each connection, redirects included, so that neither who writes configuration
 * nor who writes processes reaches this machine, the metadata of a cloud or a private network unless the operator lets
 * them, nor any place but those that the operator lists, where there is such a list. The connection to the database, which
 * only the operator configures, does not pass through the guard.
 *
 * Invariants: the address that was looked at is the one that is connected to; time and size of an answer are bounded;
 * what is said of a failed request holds no credentials.
 */
export { AddressGuard } from './address-guard.ts';
export { type Destination, isDestination } from './destinations.ts';
export { LOOPBACK, type Network, PRIVATE, parseNetwork } from './networks.ts';
export { type IncomingResponse, type OutgoingRequest, sendRequest } from './send-request.ts';
