/**
 * The namespaces in which process files say what BPMN has no words for, as the server reads them; the first is written where a
 * file uses none. None is declared to the library that reads files: so all that stands in them is kept as it is, whoever has
 * written it.
 */
const NAMESPACES: Readonly<Record<string, string>> = {
  flowable: 'http://flowable.org/bpmn',
  activiti: 'http://activiti.org/bpmn',
  camunda: 'http://camunda.org/schema/1.0/bpmn',
};

const PREFIXES = Object.keys(NAMESPACES);

export interface Dialect {
  readonly prefix: string;
  readonly uri: string;
}

/** The one that a file uses already; and the file with its namespace, if it had none. */
export function dialectOf(xml: string): Dialect & { readonly xml: string } {
  for (const prefix of PREFIXES) {
    const uri = NAMESPACES[prefix] ?? '';
    if (xml.includes(`xmlns:${prefix}="${uri}"`)) return { prefix, uri, xml };
  }
  const [prefix = '', uri = ''] = Object.entries(NAMESPACES)[0] ?? [];
  return { prefix, uri, xml: xml.replace(/<(?:\w+:)?definitions\b/, `$& xmlns:${prefix}="${uri}"`) };
}

/** A piece of the model of a process file. */
export interface Model {
  readonly $type: string;
  readonly $parent?: Model;
  $instanceOf?(type: string): boolean;
  get(name: string): unknown;
}

export function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && '$type' in value;
}

export function isOf(model: Model, ...types: readonly string[]): boolean {
  return types.some((type) => model.$instanceOf?.(`bpmn:${type}`) === true);
}

export function modelsIn(value: unknown): readonly Model[] {
  return Array.isArray(value) ? value.filter(isModel) : [];
}

/** What stands in an attribute or in the text of a child; empty where there is none. */
export function textIn(model: Model | undefined, name: string): string {
  const value = model?.get(name);
  if (isModel(value)) return textIn(value, 'body') || textIn(value, 'text');
  return value === undefined || value === null ? '' : String(value);
}

/** An attribute of the dialect, by whichever prefix: its full name, and what it says. */
export function ownAttribute(model: Model, name: string): { readonly full?: string; readonly value: string } {
  for (const prefix of PREFIXES) {
    const full = `${prefix}:${name}`;
    const value = textIn(model, full);
    if (value !== '') return { full, value };
  }
  return { value: '' };
}

/** Whether it is an element of the dialect with that tag. */
function isOwn({ $type }: Model, tag: string): boolean {
  const [prefix = '', name = ''] = $type.split(':');
  return PREFIXES.includes(prefix) && name.toLowerCase() === tag.toLowerCase();
}

/** Extension elements of a kind. */
export function extensionsIn(model: Model, tag: string): readonly Model[] {
  const container = model.get('extensionElements');
  return modelsIn(isModel(container) ? container.get('values') : []).filter((each) => isOwn(each, tag));
}

/** What stands in an extension element. */
export function childrenIn(model: Model, tag: string): readonly Model[] {
  return modelsIn(model.get('$children')).filter((each) => isOwn(each, tag));
}
