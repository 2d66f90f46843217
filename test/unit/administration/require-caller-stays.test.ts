import { expect, it } from 'vitest';
import { revisionOf } from '#config/index.ts';
import type { JsonObject } from '#json/index.ts';
import { systemContext } from '#resource/index.ts';
import { requireCallerStays } from '../../../src/administration/require-caller-stays.ts';

const tokensOf = (issuer: string) => ({ name: 'OPENID_CONNECT', properties: { issuer, audience: 'svc' } });
const [A, B] = [tokensOf('https://a.example.com'), tokensOf('https://b.example.com')];
const configOf = (...authModules: JsonObject[]): JsonObject => ({ serverAuthContext: { authModules } });

/** Whoever came in by the second module of a configuration, and wants another one in place of that in force. */
function write(cameBy: JsonObject, inForce: JsonObject, wanted: JsonObject, parameters = {}): void {
  const context = systemContext();
  const security = { ...context.security, cameBy: { at: 1, revision: revisionOf(cameBy) } };
  const client = { ...context.client, isExternal: true };
  requireCallerStays({ ...context, security, client }, parameters, inForce, wanted);
}

it('a writer is let in by the module that stood there when they came in', () => {
  write(configOf(A, B), configOf(A, B), configOf(B));
  expect(() => write(configOf(A, B), configOf(A, B), configOf(A))).toThrow(/could not come in again/);
});

it('a writer is taken for nobody who came in by the module that stands there since', () => {
  expect(() => write(configOf(A, B), configOf(B, A), configOf(A))).toThrow(/changed by somebody else/);
  write(configOf(A, B), configOf(B, A), configOf(A), { force: 'true' });
});
