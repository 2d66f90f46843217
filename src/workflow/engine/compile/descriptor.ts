/**
 * The extension elements of process files, in the namespaces of the engine family and its cousin. Only child
 * elements and texts are declared: attributes are read by name wherever they stand.
 */
const CHILDREN: Readonly<Record<string, Readonly<Record<string, 'one' | 'many' | 'text'>>>> = {
  taskListener: { field: 'many', script: 'one' },
  executionListener: { field: 'many', script: 'one' },
  field: { string: 'one', expression: 'one' },
  string: { text: 'text' },
  expression: { text: 'text' },
  script: { text: 'text' },
  formProperty: { value: 'many' },
  value: { text: 'text' },
  failedJobRetryTimeCycle: { text: 'text' },
  in: {},
  out: {},
  mapException: { text: 'text' },
  variableAggregation: {},
};

/** The namespaces in the order in which they are asked. */
const NAMESPACES = {
  flowable: 'http://flowable.org/bpmn',
  activiti: 'http://activiti.org/bpmn',
  camunda: 'http://camunda.org/schema/1.0/bpmn',
} as const;

export const PREFIXES = Object.keys(NAMESPACES);

/** The packages for bpmn-moddle, one per namespace. */
export function describeExtensions(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(NAMESPACES).map(([prefix, uri]) => [
      prefix,
      {
        name: prefix,
        prefix,
        uri,
        xml: { tagAlias: 'lowerCase' },
        associations: [],
        types: Object.entries(CHILDREN).map(([tag, children]) => ({
          name: typeName(tag),
          superClass: ['Element'],
          properties: Object.entries(children).map(([name, kind]) =>
            kind === 'text'
              ? { name, isBody: true, type: 'String' }
              : { name, type: `${prefix}:${typeName(name)}`, isMany: kind === 'many' },
          ),
        })),
      },
    ]),
  );
}

function typeName(tag: string): string {
  return tag.charAt(0).toUpperCase() + tag.slice(1);
}
