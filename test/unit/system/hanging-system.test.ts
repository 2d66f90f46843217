import { expect, it } from 'vitest';
import { ConnectorSite } from '../../support/connector/fixture.ts';
import { emptyMemory, memoryKind } from '../../support/connector/memory-connector.ts';

const memory = emptyMemory();
const fixture = {
  kind: memoryKind(memory),
  host: {},
  config: {
    name: 'memory',
    connectorRef: { connectorName: 'test.MemoryConnector' },
    poolConfigOption: { maxObjects: 10 },
    objectTypes: { account: { nativeType: '__ACCOUNT__', properties: {} } },
  },
} as unknown as ConstructorParameters<typeof ConnectorSite>[0];

it('is away when those who had no more time have waited for it for seconds, and not when they left', async () => {
  memory.weather = 'silent';
  await using site = new ConnectorSite(fixture);
  const { system, type } = site;
  const asked = (signal: AbortSignal) => system.find(type, '1', undefined, signal).catch(() => {});
  const five = (signal: () => AbortSignal) => Promise.all(Array.from({ length: 5 }, () => asked(signal())));
  await five(() => AbortSignal.timeout(20));
  const left = new AbortController();
  const leaving = five(() => left.signal);
  const waiting = five(() => AbortSignal.timeout(4_000));
  left.abort();
  await leaving;
  expect(system.circuit.broken).toBeUndefined();
  await waiting;
  expect(system.state).toMatchObject({ state: 'away', why: 'GET was ended' });
});
