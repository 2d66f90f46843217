import type { ModdleElement } from 'bpmn-moddle';
import type { JsonValue } from '#json/index.ts';
import { parseInstant } from '#time/index.ts';
import { dateValue } from '../../expression/index.ts';
import type { DataObject } from '../definition.ts';
import type { Findings } from './findings.ts';
import { attribute, extensions, textOf } from './model-element.ts';
import type { ProcessFile } from './process-file.ts';

const NUMBERS = ['int', 'integer', 'long', 'short', 'double', 'float', 'decimal'];

/** A variable that a process or sub-process begins with. */
export function readDataObject(element: ModdleElement, file: ProcessFile, findings: Findings): DataObject {
  const name = attribute(element, 'name') ?? file.id(element);
  const text = extensions(element, 'value').map(textOf)[0];
  const type = typeOf(element, file);
  const value = typedValue(text, type);
  if (typeof value === 'number' && Number.isNaN(value)) {
    findings.refuse('BAD_DATA', file.id(element), `is of the type '${type}' and has the value '${text}'`);
  }
  return { name, value };
}

/** A date as the engines of the family take it, in UTC where it names no zone; what is no date stays a text. */
function dateOfText(text: string): JsonValue {
  const [, day, time = '00:00:00', zone = 'Z'] =
    /^\s*(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?\s*$/.exec(text) ?? [];
  const ms = parseInstant(`${day}T${time}${zone}`);
  return Number.isNaN(ms) ? text : dateValue(ms);
}

/** The name of an XML Schema type, given directly or by an item definition; other types say nothing. */
function typeOf(element: ModdleElement, file: ProcessFile): string {
  const type = file.reference(element, 'itemSubjectRef');
  const name = typeof type === 'object' ? attribute(type, 'structureRef') : type;
  return (name ?? '').replace(/^.*:/, '');
}

function typedValue(text: string | undefined, type: string): JsonValue {
  if (text === undefined) return null;
  if (/^date(?:time)?$/i.test(type)) return dateOfText(text);
  if (type === 'boolean') return text === 'true';
  return NUMBERS.includes(type) ? Number(text) : text;
}
