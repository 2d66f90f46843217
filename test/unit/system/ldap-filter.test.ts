import { BerReader, BerWriter, EqualityFilter, SubstringFilter } from 'ldapts';
import { describe, expect, it } from 'vitest';
import { ldapFilter } from '../../../src/system/connectors/ldap/ldap-filter.ts';
import { Subschema } from '../../../src/system/connectors/ldap/subschema.ts';

const HOSTILE = ['*', '*)(uid=*', 'a)(|(objectClass=*', '\\2a', '\u0000', 'ü*'];

/** As the directory reads what is sent. */
function sent(operator: 'eq' | 'co', value: string) {
  const subschema = new Subschema(
    [
      "( 1.1 NAME 'uid' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
    ],
    [],
  );
  const { filter } = ldapFilter(
    { kind: 'compare', attribute: 'uid', operator, value },
    { subschema, uidAttribute: 'entryUUID' },
  );
  const writer = new BerWriter();
  filter?.write(writer);
  const reader = new BerReader(writer.buffer);
  // Which comparison it is.
  reader.readSequence();
  return reader;
}

describe('a filter of a directory', () => {
  it.each(HOSTILE)('is one comparison with all of the value, whatever stands in it: %j', (value) => {
    const equal = new EqualityFilter();
    equal.parse(sent('eq', value));
    expect([equal.attribute, equal.value]).toEqual(['uid', value]);
    const part = new SubstringFilter();
    part.parse(sent('co', value));
    expect([part.attribute, part.initial, part.any, part.final]).toEqual(['uid', '', [value], '']);
  });
});
