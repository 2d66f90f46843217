import type { TestServer } from '../../test/support/server.ts';

export const PEOPLE_FILE = 'data/hr.csv';

/** More than stand on a page. */
const FURTHER = 60;

/** Who has no last name cannot become a user. */
const ROWS = ['7,Ida,Moe,ida@example.com', '8,Per,Lie,per@example.com', '9,Nameless,,nameless@example.com'];

/** A file of the personnel department, and the system `hr` that reads it. */
export async function seedSystem({ api, project }: Pick<TestServer, 'api' | 'project'>): Promise<void> {
  const rows = Array.from({ length: FURTHER }, (_, n) => `${n + 100},Worker,Number ${n},w${n}@example.com`);
  await project.write(PEOPLE_FILE, ['id,first,last,mail', ...ROWS, ...rows, ''].join('\n'));
  const { status, body } = await api('PUT', 'config/provisioner.openicf/hr', {
    body: {
      name: 'hr',
      connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
      configurationProperties: { csvFile: PEOPLE_FILE, headerUid: 'id' },
      objectTypes: {
        person: {
          nativeType: '__ACCOUNT__',
          properties: {
            number: { type: 'integer', nativeName: 'id', required: true },
            givenName: { type: 'string', nativeName: 'first' },
            sn: { type: 'string', nativeName: 'last' },
            mail: { type: 'string' },
          },
        },
      },
    },
  });
  if (status >= 300) throw new Error(`hr: ${JSON.stringify(body)}`);
}

/** What brings those who stand in the file to the users. */
export async function seedMapping({ api }: Pick<TestServer, 'api'>): Promise<void> {
  const { status, body } = await api('PUT', 'config/mapping/hr_user', {
    body: {
      name: 'hr_user',
      source: 'system/hr/person',
      target: 'managed/user',
      correlationQuery: {
        type: 'text/javascript',
        source: '({ _queryFilter: "mail eq " + JSON.stringify(source.mail) })',
      },
      properties: [
        { source: 'mail', target: 'userName' },
        { source: 'mail', target: 'mail' },
        { source: 'givenName', target: 'givenName' },
        { source: 'sn', target: 'sn' },
      ],
      policies: [
        { situation: 'SOURCE_MISSING', action: 'DELETE' },
        { situation: 'UNASSIGNED', action: 'IGNORE' },
      ],
    },
  });
  if (status >= 300) throw new Error(`hr_user: ${JSON.stringify(body)}`);
}

/** All but two have left. */
export async function shrinkSystem({ project }: Pick<TestServer, 'project'>): Promise<void> {
  await project.write(PEOPLE_FILE, ['id,first,last,mail', ...ROWS.slice(0, 2), ''].join('\n'));
}
