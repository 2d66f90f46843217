import { NAME, type Scalar } from '#system/contract.ts';
import { emptyMemory, memoryKind, note } from '../../support/connector/memory-connector.ts';
import { longOr } from '../../support/long.ts';
import { describeConnector } from './connector-suite.ts';

describeConnector('for objects in memory', async () => {
  const memory = emptyMemory();
  return {
    kind: memoryKind(memory),
    host: {},
    config: {
      name: 'memory',
      connectorRef: { connectorName: 'test.MemoryConnector' },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            login: { type: 'string', nativeName: '__NAME__' },
            title: { type: 'string' },
            age: { type: 'integer' },
            mails: { type: 'array', items: { type: 'string' } },
            password: { type: 'string', nativeName: '__PASSWORD__', nativeType: 'JAVA_TYPE_GUARDEDSTRING' },
          },
        },
      },
    },
    draft: (object) => object,
    bytes: 'photo',
    many: 1_200,
    multitude: longOr(100_000, 40_000),
    async seed(objects) {
      for (const [at, { login, ...others }] of objects.entries()) {
        const values = Object.entries(others).map(([name, value]): [string, Scalar[]] => [
          name,
          [value].flat() as Scalar[],
        ]);
        memory.accounts.set(`seeded-${at}`, new Map([[NAME, [String(login)]], ...values]));
        note(memory, `seeded-${at}`);
      }
    },
    empty: async () => memory.accounts.clear(),
    forgetChanges: async () => {
      memory.log.length = 0;
    },
    weather: (weather) => {
      memory.weather = weather;
    },
    [Symbol.asyncDispose]: async () => {},
  };
});
