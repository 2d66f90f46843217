/** The HTTP door: verbs, headers and bodies on one side, requests and responses of the resource layer on the other. */
export { BodyRoom } from './body-room.ts';
export { type Bounds, distantBounds, serveBounds } from './distant-bounds.ts';
export type { Health } from './health.ts';
export { HttpServer, type HttpServerOptions } from './http-server.ts';
export { urlOf } from './listen.ts';
export { requireFreePort } from './require-free-port.ts';
export { UnsentAnswers } from './unsent-answers.ts';
