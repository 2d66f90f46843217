import { compare } from '../equality.ts';
import { classNamed } from '../java-class.ts';
import { defineStatics } from '../method-table.ts';
import { toText } from '../text.ts';

function booleanOf(value: unknown): boolean {
  return typeof value === 'boolean' ? value : value !== null && toText(value).toLowerCase() === 'true';
}

defineStatics(
  'java.lang.Boolean',
  {
    'parseBoolean/1': booleanOf,
    'valueOf/1': booleanOf,
    'new/1': booleanOf,
    'toString/1': toText,
    'compare/2': compare,
    'logicalAnd/2': (left: boolean, right: boolean) => left && right,
    'logicalOr/2': (left: boolean, right: boolean) => left || right,
  },
  { TRUE: true, FALSE: false, TYPE: classNamed('boolean') },
);
