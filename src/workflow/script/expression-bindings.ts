import type { Crypto } from '#crypto/index.ts';
import type { JsonValue } from '#json/index.ts';
import { Connection, type Context } from '#resource/index.ts';
import { resourceOperations } from '#script/index.ts';
import { HostObject, isoOfDate, toJson, toText } from '../expression/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';

/** What expressions call `svc`: the resource functions, in the name and the unit of work of the context. */
export function svcObject({ resources, crypto }: WorkflowPlatform, context: Context): HostObject {
  const operations = resourceOperations(new Connection(resources, context));
  return new HostObject('svc', {
    methods: [
      ...Object.entries(operations).map(
        ([name, run]) =>
          [
            name.replace(/^svc\./, ''),
            async (...args: Parameters<typeof toJson>[0][]) => run(args.map(jsonOf)),
          ] as const,
      ),
      ...cryptoMethods(crypto),
    ],
  });
}

type Argument = Parameters<typeof toJson>[0];

function cryptoMethods(crypto: Crypto): [string, (...args: Argument[]) => Promise<JsonValue> | JsonValue][] {
  const text = (value: Argument) => (value === undefined || value === null ? null : toText(value));
  return [
    ['encrypt', (value, cipher, alias) => crypto.encrypt(jsonOf(value), text(cipher), text(alias))],
    ['decrypt', (value) => crypto.decrypt(jsonOf(value))],
    ['hash', (value, algorithm) => crypto.hash(jsonOf(value), text(algorithm))],
    ['isEncrypted', (value) => crypto.isEncrypted(jsonOf(value)) || crypto.isHashed(jsonOf(value))],
    ['isHashed', (value) => crypto.isHashed(jsonOf(value))],
    ['matches', (plain, hashed) => crypto.matches(toText(plain ?? null), jsonOf(hashed))],
  ];
}

export function identityServerObject(getProperty: (name: string) => JsonValue | undefined): HostObject {
  return new HostObject('identityServer', {
    methods: [['getProperty', (name, byDefault) => getProperty(toText(name ?? null)) ?? jsonOf(byDefault)]],
  });
}

function jsonOf(value: Argument): JsonValue {
  return isoOfDate(toJson(value));
}
