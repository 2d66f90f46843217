import { builtInEnum } from './built-in-enum.ts';
import { capitalize } from './capitalize.ts';
import { addPlainForm, requests, toGroovy } from './host-values.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { JsonValue } from './json-value.ts';
import { defineMethods } from './method-table.ts';
import './methods/object-methods.ts';
import { toText } from './text.ts';
import { JavaObject } from './values.ts';

const PACKAGE = 'org.forgerock.json.resource';
const KINDS = ['CREATE', 'READ', 'UPDATE', 'DELETE', 'PATCH', 'ACTION', 'QUERY', 'API'] as const;
type Kind = (typeof KINDS)[number];
const requestTypes = builtInEnum(`${PACKAGE}.RequestType`, KINDS);

/** The request that a script answers: `requestType` is an enum, `content` a JsonValue, the rest plain. */
export class Request extends JavaObject {
  readonly type: JavaClass;
  readonly members: JavaMap;

  constructor(members: JavaMap, kind: Kind) {
    super();
    this.type = classNamed(`${PACKAGE}.${kind[0]}${kind.slice(1).toLowerCase()}Request`);
    this.members = members;
    members.put('requestType', requestTypes[kind]);
    if (members.has('content')) members.put('content', new JsonValue(members.get('content')));
  }

  override toText(): string {
    return toText(this.members);
  }
}

/** A request when the value looks like one. */
function requestOf(value: unknown): unknown {
  const { requestType }: { requestType?: unknown } = typeof value === 'object' && value !== null ? value : {};
  const kind = KINDS.find((name) => name !== 'API' && name === requestType);
  const members = toGroovy(value);
  return kind !== undefined && members instanceof JavaMap ? new Request(members, kind) : members;
}

defineMethods(`${PACKAGE}.Request`, 'java.lang.Object', {
  'propertyMissing/1': (self: Request, name: string) => self.members.find(name)?.value,
  'getAt/1': (self: Request, name: unknown) => self.members.get(name),
  ...Object.fromEntries(
    [
      'requestType',
      'content',
      'resourcePath',
      'fields',
      'additionalParameters',
      'newResourceId',
      'revision',
      'patchOperations',
      'action',
      'queryId',
      'queryExpression',
      'queryFilter',
      'sortKeys',
      'pageSize',
      'pagedResultsOffset',
      'pagedResultsCookie',
      'totalPagedResultsPolicy',
    ].map((name) => [`get${capitalize(name)}/0`, (self: Request) => self.members.find(name)?.value ?? null]),
  ),
  'getAdditionalParameter/1': (self: Request, name: unknown) => {
    const parameters = self.members.find('additionalParameters')?.value;
    return parameters instanceof JavaMap ? parameters.get(name) : null;
  },
});

addPlainForm(Request, ({ members }) => members);
requests.make = requestOf;
