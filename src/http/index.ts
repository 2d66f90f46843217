/** The HTTP door: verbs, headers and bodies on one side, requests and responses of the resource layer on the other. */
export { HttpServer } from './http-server.ts';
export { requireFreePort } from './require-free-port.ts';
