/**
 * Custom endpoints: resources whose behaviour is a script.
 *
 * Words: an *endpoint* is one `endpoint-<name>.json`; its *context* is the path pattern it answers at. Invariants:
 * all seven kinds of request reach the same script; an endpoint whose script never compiled is not there (404), one
 * whose script stopped compiling says so (503).
 */
export { checkEndpoints } from './check-endpoints.ts';
export { ENDPOINT_USE } from './endpoint-resource.ts';
export { Endpoints } from './endpoints.ts';
