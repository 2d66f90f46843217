import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { Subschema } from '#system/connectors/ldap/subschema.ts';
import { certificateAuthority } from '../../support/certificates.ts';
import { errorId } from '../../support/connector/fixture.ts';
import {
  BIND,
  done,
  EXTENDED,
  element,
  entry,
  hostileDirectory,
  message,
  octets,
  writeForever,
} from '../../support/connector/hostile-directory.ts';

const DORA = 'cn=Dora,ou=people,dc=example,dc=com';
const ID = '11111111-1111-1111-1111-111111111111';
const NO_SCHEMA = { readSchema: false };

it('any number of messages in one packet are read', async () => {
  await using directory = await hostileDirectory((socket, request) => {
    const small = message(request.id, element(0x73));
    const dora = entry(request, DORA, { entryUUID: [ID], cn: ['Dora'] });
    socket.write(Buffer.concat([...Array.from({ length: 40_000 }, () => small), dora, done(request)]));
  }, NO_SCHEMA);
  expect(await directory.site.list()).toMatchObject([{ cn: 'Dora' }]);
});

it.each([
  ['a message that says that it has 2 GB', () => Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff])],
  ['a message that does not say how long it is', () => Buffer.from([0x30, 0x80, 0])],
  ['what is no message', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
])('%s is not waited for', async (_, answer) => {
  await using directory = await hostileDirectory((socket) => void socket.write(answer()), NO_SCHEMA);
  expect(await errorId(directory.site.list())).toBe('SYSTEM_PROTOCOL');
});

it.each([
  ['an entry without attributes', (id: number) => message(id, element(0x64, octets('')))],
  ['an entry that is longer than its message', (id: number) => message(id, Buffer.from([0x64, 0x70, 4, 0]))],
  [
    'an attribute without values',
    (id: number) => message(id, element(0x64, octets(''), element(0x30, element(0x30, octets('a'))))),
  ],
  ['a reference that is none', (id: number) => message(id, element(0x73, Buffer.from([4, 9, 0])))],
  [
    'a control that is none',
    (id: number) => message(id, element(0x73), element(0xa0, Buffer.from([0x30, 9]))),
  ],
])('%s is read no further', async (_, answer) => {
  await using directory = await hostileDirectory(
    (socket, { id }) => void socket.write(answer(id)),
    NO_SCHEMA,
  );
  expect(await errorId(directory.site.list())).toBe('SYSTEM_PROTOCOL');
});

it('entries without end are left', async () => {
  const cn = ['x'.repeat(1_000_000)];
  await using directory = await hostileDirectory(
    (socket, request) => writeForever(socket, entry(request, DORA, { entryUUID: [ID], cn })),
    NO_SCHEMA,
  );
  expect(await errorId(directory.site.list())).toBe('SYSTEM_PROTOCOL');
});

it('values of an attribute that are shown again and again are left', async () => {
  await using directory = await hostileDirectory((socket, request) => {
    const dora = entry(request, DORA, { entryUUID: [ID], 'cn;range=0-1': ['Dora', 'Theodora'] });
    socket.write(Buffer.concat([dora, done(request)]));
  }, NO_SCHEMA);
  expect(await errorId(directory.site.list())).toBe('SYSTEM_PROTOCOL');
});

it('what comes in plain text behind the answer to StartTLS says nothing of a login', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-ca-'));
  const authority = certificateAuthority();
  const { certificate: cert, key } = authority.issue('localhost');
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, authority.certificate);
  const refusal = (id: number) => done({ id, operation: BIND }, 49);
  await using directory = await hostileDirectory(
    (socket, request) => {
      if (request.operation !== EXTENDED) return;
      socket.removeAllListeners('data');
      // The beginning of a success whose last text is what the directory says in earnest.
      const rest = refusal(request.id + 1);
      const words = octets(rest.toString('latin1'));
      const success = message(request.id + 1, element(0x61, Buffer.from([0x0a, 1, 0]), octets(''), words));
      socket.write(Buffer.concat([done({ ...request, operation: 0x77 }), success.subarray(0, -rest.length)]));
      const secure = new TLSSocket(socket, {
        isServer: true,
        secureContext: createSecureContext({ cert, key }),
      });
      secure.on('error', () => {});
      secure.on('data', () => secure.write(rest));
    },
    { startTLS: true, caFile },
  );
  expect(await errorId(directory.site.system.test())).toBe('SYSTEM_PROTOCOL');
  await rm(folder, { recursive: true });
});

it('a schema is read in time in proportion to it, whatever it says', () => {
  const strange = [' NAME (', " NAME '", ' MUST (', "'"].map((word) => `( 1.2 ${word.repeat(200_000)}`);
  const schema = new Subschema(
    [...strange, "( 2.5.4.41 NAME ( 'name' 'alsoCalled' ) DESC 'the owner's (NAME 'x')' SYNTAX '1.3.6.1' )"],
    [...strange, "( 2.5.6.6 NAME 'person' DESC 'it's one' STRUCTURAL MUST ( sn $ name ) MAY description )"],
  );
  expect(schema.attribute('alsocalled')).toMatchObject({ name: 'name' });
  expect(schema.attributesOf(['person']).map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['sn', true],
    ['name', true],
    ['description', false],
  ]);
});
