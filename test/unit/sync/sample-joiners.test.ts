import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { parseQueryFilter } from '#resource/index.ts';
import { firstParts } from '../../../src/system/connectors/ldap/distinguished-name.ts';

interface Script {
  readonly source: string;
}
interface SampleMapping {
  readonly correlationQuery: Script;
  readonly onCreate?: Script;
}

const sample = new URL('../../../samples/joiners/conf/sync.json', import.meta.url);
const { mappings } = JSON.parse(readFileSync(sample, 'utf8')) as { mappings: SampleMapping[] };
const NAMES = [
  '7003',
  'evil,ou=Admins',
  'a+cn=b',
  '#1',
  ' edges ',
  'back\\slash',
  'quo"te',
  'a" or uid pr or uid eq "b',
];

it.each(NAMES)('the sample of joiners takes %j for a name, and for nothing else', (name) => {
  const source = { userName: name, employeeNumber: name };
  for (const { correlationQuery, onCreate } of mappings) {
    const query = runInNewContext(correlationQuery.source, { source }) as { _queryFilter: string };
    expect(parseQueryFilter(query._queryFilter)).toMatchObject({ value: name });
    const target = { dn: '' };
    if (onCreate === undefined) continue;
    runInNewContext(onCreate.source, { source, target });
    expect(firstParts(target.dn)).toEqual([{ attribute: 'uid', value: name }]);
    expect(target.dn.endsWith(',ou=People,dc=example,dc=com')).toBe(true);
  }
});
