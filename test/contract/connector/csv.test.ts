import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvKind } from '#system/connectors/csv/csv-connector.ts';
import { longOr } from '../../support/long.ts';
import { describeConnector } from './connector-suite.ts';
import '../../support/takes-long.ts';

const HEADER = 'login,title,age,mails,password,photo\n';

describeConnector('for CSV files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-csv-'));
  const file = join(folder, 'people.csv');
  await writeFile(file, HEADER);
  return {
    kind: csvKind,
    host: {},
    config: {
      name: 'hr',
      connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
      configurationProperties: {
        csvFile: file,
        headerUid: 'login',
        headerPassword: 'password',
        multivalueDelimiter: '¦',
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            login: { type: 'string', required: true },
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
      const lines = objects.map(({ login, title = '', age = '', mails = [] }) =>
        [login, title, age, [mails].flat().join('¦'), '', '']
          .map((cell) => `"${String(cell).replaceAll('"', '""')}"`)
          .join(','),
      );
      await writeFile(file, `${HEADER}${lines.join('\n')}\n`);
    },
    empty: () => writeFile(file, HEADER),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
});
