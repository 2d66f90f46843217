/**
 * Requests that processes send: tasks of type `http`. A guard looks at every address before the connection, so
 * that a process leads neither to this machine nor to the metadata of a cloud unless that is allowed.
 */
export { AddressGuard, type Network } from './address-guard.ts';
export { runHttpTask } from './http-task.ts';
