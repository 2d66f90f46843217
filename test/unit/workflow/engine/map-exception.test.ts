import { expect, test } from 'vitest';
import { NotFoundError } from '#errors/index.ts';
import { BpmnError } from '../../../../src/workflow/engine/index.ts';
import { mapException } from '../../../../src/workflow/engine/step/map-exception.ts';

const missing = new NotFoundError('gone');
const broken = new TypeError('broken');

test.each<[string, Error, string | undefined, boolean, boolean]>([
  ['the class of that name', missing, 'org.example.resource.NotFoundException', false, true],
  ['a class of another name', missing, 'org.example.resource.ConflictException', false, false],
  ['an inner class', missing, 'org.example.Outer$NotFoundException', false, true],
  ['a class above it', missing, 'org.example.resource.ResourceException', true, true],
  ['a class above it, without its children', missing, 'org.example.resource.ResourceException', false, false],
  ['the class of all', broken, 'java.lang.Exception', true, true],
  ['the class of all, without its children', broken, 'java.lang.RuntimeException', false, false],
  ['no class', broken, undefined, false, true],
])('a mapping of %s', (_case, error, className, includesChildren, isMapped) => {
  const mapping = { errorCode: 'E1', includesChildren, ...(className === undefined ? {} : { className }) };
  const mapped = mapException(error, [mapping]);
  if (!isMapped) expect(mapped).toBe(error);
  else expect(mapped).toMatchObject({ code: 'E1', message: error.message });
});

test('the mapping of a class comes before the one for all others, and business errors stay', () => {
  const mappings = [
    { errorCode: 'ANY', includesChildren: false },
    { errorCode: 'GONE', className: 'NotFoundException', includesChildren: false },
  ];
  expect(mapException(missing, mappings)).toMatchObject({ code: 'GONE' });
  expect(mapException(broken, mappings)).toMatchObject({ code: 'ANY' });
  const business = new BpmnError('OWN');
  expect(mapException(business, mappings)).toBe(business);
});
