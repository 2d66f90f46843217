import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workflowConfig } from '#config/index.ts';
import type { JsonObject } from '#json/index.ts';
import { JobPoller, type JobResult, Queue, runJob } from '#queue/index.ts';
import { type Database, runUnitOfWork } from '../../../../src/database/index.ts';
import type { DelegateCall } from '../../../../src/workflow/engine/index.ts';
import { composeMail, MailQueue, mailGuard, sendMail } from '../../../../src/workflow/mail/index.ts';
import { startMailServer } from '../../../support/mail-server.ts';
import { createMigratedDatabase } from '../../../support/migrated-database.ts';
import { wakesOf } from '../../../support/queue-wakes.ts';
import { givenFields } from '../engine/given-fields.ts';

const near = mailGuard(25);

/** What a task of type `mail` hands over, with the variables it set. */
async function mailCall(fields: JsonObject, variables: JsonObject = {}) {
  const set: JsonObject = {};
  const call = {
    element: 'tell',
    kind: 'mail',
    name: 'mail',
    fields: await givenFields('mail', fields, variables),
    execution: {
      getVariable: (name: string) => variables[name],
      setVariable: (name: string, value: string) => {
        set[name] = value;
      },
    },
  } as unknown as DelegateCall;
  return { call, set };
}

const compose = async (fields: JsonObject, variables?: JsonObject) =>
  composeMail((await mailCall(fields, variables)).call, 'svc@example.com');

describe('a mail is composed', () => {
  test('from the fields of its task', async () => {
    const mail = await compose(
      {
        to: 'a@x.org, "Byron, Ada" <ada@x.org>',
        cc: ['c@x.org'],
        from: 'Service <me@x.org>',
        subject: 'Hello\nthere',
        textVar: 'letter',
        html: '<b>x</b>',
        headers: 'X-Priority: 1\nReply-To: r@x.org',
        attachments: [
          { filename: 'a.txt', content: 'Grüße', contentType: 'text/plain' },
          { name: 'b.bin', content: 'AAE=', encoding: 'base64' },
        ],
      },
      { letter: 'Dear all' },
    );
    expect(mail).toEqual({
      from: 'Service <me@x.org>',
      to: ['a@x.org', '"Byron, Ada" <ada@x.org>'],
      cc: ['c@x.org'],
      bcc: [],
      subject: 'Hello there',
      text: 'Dear all',
      html: '<b>x</b>',
      headers: { 'X-Priority': '1', 'Reply-To': 'r@x.org' },
      attachments: [
        { filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('Grüße').toString('base64') },
        { filename: 'b.bin', contentType: null, content: 'AAE=' },
      ],
    });
  });

  test('with the sender of the settings when it names none, and to hidden recipients alone', async () => {
    expect(await compose({ bcc: 'a@x.org', text: 'x' })).toMatchObject({
      from: 'svc@example.com',
      bcc: ['a@x.org'],
    });
  });

  test.each<[string, JsonObject, string]>([
    ['no recipient', { text: 'x' }, 'has no recipient'],
    ['no address', { to: 'nobody' }, "'nobody', which is no address"],
    [
      'a recipient with a header in it',
      { to: 'a@x.org\r\nBcc: b@x.org' },
      'control characters in the field to',
    ],
    ['a sender with a header in it', { to: 'a@x.org', from: 'a@x.org\nX: y' }, 'control characters'],
    ['two senders', { to: 'a@x.org', from: 'a@x.org, b@x.org' }, 'no address'],
    ['two addresses in one', { to: ['<a@x.org> <b@x.org>'] }, 'no address'],
    ['a header that the mail has itself', { to: 'a@x.org', headers: 'Bcc: b@x.org' }, "the header 'Bcc"],
    ['a header without a name', { to: 'a@x.org', headers: 'hello' }, "the header 'hello'"],
    ['a file', { to: 'a@x.org', attachments: '/etc/passwd' }, 'not { filename, content }'],
    [
      'an address to fetch',
      { to: 'a@x.org', attachments: { path: 'http://x' } },
      'not { filename, content }',
    ],
    ['a variable that is not there', { to: 'a@x.org', htmlVar: 'gone' }, "names 'gone'"],
    ['too many recipients', { to: Array.from({ length: 201 }, (_, n) => `u${n}@x.org`) }, '201 recipients'],
    ['more than a queue takes', { to: 'a@x.org', text: 'x'.repeat(10_000_001) }, 'longer than'],
  ])('but not with %s', async (_case, fields, message) => {
    await expect(compose(fields)).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining(message),
      detail: { id: 'WORKFLOW_BAD_MAIL', element: 'tell' },
    });
  });
});

describe('whoever sets a variable of a mail', () => {
  const $ = (expression: string) => `\${${expression}}`;

  test.each<[string, JsonObject, string, string]>([
    [
      'header',
      { headers: `X-Name: Miss ${$('name')}\nX-Priority: 1` },
      'Ada\r\nReply-To: evil@x.org',
      "has control characters in the header 'X-Name'",
    ],
    [
      'header by a line',
      { headers: `X-Priority: 1\n${$('name')}` },
      'X-A: 1\nX-B: 2',
      "has the header 'X-A: 1",
    ],
    ['recipient', { to: `${$('name')} <a@x.org>` }, 'evil@x.org\r\nBcc: b@x.org', 'has control characters'],
    [
      'recipient behind a name',
      { to: `"${$('name')}" <a@x.org>` },
      'x" <evil@x.org>, "y',
      'which is no address',
    ],
    ['sender', { from: `"${$('name')}" <a@x.org>` }, 'x" <evil@x.org>, "y', 'which is no address'],
  ])('adds no %s to it', async (_what, fields, name, message) => {
    await expect(compose({ to: 'a@x.org', ...fields }, { name })).rejects.toMatchObject({
      message: expect.stringContaining(message),
      detail: { id: 'WORKFLOW_BAD_MAIL' },
    });
  });

  test('is called as they like, and that is one recipient', async () => {
    const server = await startMailServer();
    const mail = await compose(
      {
        from: `${$('name')} <s@x.org>`,
        to: `"Office, ${$('name')}" <a@x.org>, ${$('name')} <b@x.org>, ${$('more')}`,
        text: 'x',
      },
      { name: 'evil@x.org, "Ada', more: 'c@x.org, d@x.org' },
    );
    expect(mail.to).toEqual([
      '"Office, evil@x.org, "Ada" <a@x.org>',
      'evil@x.org, "Ada <b@x.org>',
      'c@x.org',
      'd@x.org',
    ]);
    await sendMail(mail, '1', server.settings, near);
    await server.stop();
    expect(server.received).toMatchObject([
      { from: 's@x.org', to: ['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org'] },
    ]);
    expect(server.received[0]?.content).toContain('From: "evil@x.org, \\"Ada" <s@x.org>');
  });
});

describe('a mail server', () => {
  test('gets text, pages and attachments, and hidden recipients stay hidden', async () => {
    const server = await startMailServer();
    const mail = await compose({
      to: 'Zoë <a@x.org>',
      bcc: 'b@x.org',
      subject: 'Grüße aus Wien',
      text: 'Hello',
      html: '<p>Hello</p>',
      attachments: { filename: 'a.txt', content: 'inside' },
    });
    expect(await sendMail(mail, 'job-1', server.settings, near)).toEqual({ rejected: [] });
    await server.stop();
    const [got] = server.received;
    expect(got).toMatchObject({ from: 'svc@example.com', to: ['a@x.org', 'b@x.org'] });
    expect(got!.content).toContain('Message-ID: <job-1@example.com>');
    expect(got!.content).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_aus_Wien?=');
    expect(got!.content).toContain('<p>Hello</p>');
    expect(got!.content).toContain(Buffer.from('inside').toString('base64'));
    expect(got!.content).not.toContain('b@x.org');
  });

  test('is told who we are', async () => {
    const server = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === 'secret' ? done(null, { user: username! }) : done(new Error('Wrong password')),
    });
    const mail = await compose({ to: 'a@x.org', text: 'x' });
    await sendMail(mail, '1', { ...server.settings, username: 'svc', password: 'secret' }, near);
    expect(server.received).toMatchObject([{ user: 'svc' }]);
    await expect(
      sendMail(mail, '2', { ...server.settings, username: 'svc', password: 'no' }, near),
    ).rejects.toMatchObject({
      code: 503,
      detail: { id: 'WORKFLOW_MAIL_NOT_SENT', responseCode: 535 },
    });
    await server.stop();
  });

  test('that offers encryption gets the mail encrypted; where it is demanded the certificate must be right', async () => {
    const server = await startMailServer({ disabledCommands: [] });
    const mail = await compose({ to: 'a@x.org', text: 'x' });
    await sendMail(mail, '1', server.settings, near);
    expect(server.received).toMatchObject([{ isEncrypted: true }]);
    await expect(sendMail(mail, '2', { ...server.settings, starttls: true }, near)).rejects.toMatchObject({
      code: 503,
    });
    await server.stop();
    const plain = await startMailServer();
    await expect(sendMail(mail, '3', { ...plain.settings, starttls: true }, near)).rejects.toMatchObject({
      code: 503,
    });
    expect(plain.received).toEqual([]);
    await plain.stop();
  });

  test.each([
    [{ host: 'smtp.example.com', username: 'svc' }, true],
    [{ host: 'smtp.example.com', username: 'svc', starttls: false }, false],
    [{ host: 'smtp.example.com' }, false],
    [{ host: 'localhost', username: 'svc' }, false],
    [{ host: '127.0.0.1', username: 'svc', starttls: true }, true],
  ])(
    'of %j is shown a password in the open only where it is said so, or on this machine',
    (mail, demands) => {
      const read = workflowConfig.schema.safeParse({ mail });
      expect(read).toMatchObject({ data: { mail: { ...mail, port: 25, starttls: demands } } });
    },
  );

  test('may refuse some of the recipients', async () => {
    const server = await startMailServer({
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('no') ? new Error('No such person') : undefined),
    });
    expect(await sendMail(await compose({ to: 'a@x.org, no@x.org' }), '1', server.settings, near)).toEqual({
      rejected: ['no@x.org'],
    });
    await expect(
      sendMail(await compose({ to: 'no@x.org' }), '1', server.settings, near),
    ).rejects.toMatchObject({
      name: 'MailRefusedError',
      message: expect.stringContaining('refuses the mail'),
    });
    await server.stop();
  });

  test('that is not there is named', async () => {
    const server = await startMailServer();
    await server.stop();
    await expect(
      sendMail(await compose({ to: 'a@x.org' }), '1', server.settings, near),
    ).rejects.toMatchObject({
      code: 503,
      message: expect.stringContaining(`127.0.0.1:${server.settings.port}`),
    });
  });
});

test('mail goes to private networks at the ports of mail servers only, and nowhere near a cloud', async () => {
  const allows = (port: number, address: string) => mailGuard(port).isAllowed(address);
  expect([25, 465, 587, 2525].map((port) => allows(port, '10.0.0.7'))).toEqual([true, true, true, true]);
  expect([allows(6379, '10.0.0.7'), allows(6379, '127.0.0.1'), allows(25, '169.254.169.254')]).toEqual([
    false,
    false,
    false,
  ]);
  expect([allows(6379, '93.184.216.34'), mailGuard(6379, ['10.0.0.7']).isAllowed('10.0.0.7')]).toEqual([
    true,
    true,
  ]);
  expect(() => mailGuard(25, [], ['mail.example.com']).check('mail.example.com', '10.0.0.7')).not.toThrow();
  expect(() => mailGuard(25, [], ['mail.example.com']).check('mail.example.org', '10.0.0.7')).toThrow();
  const refused = sendMail(
    await compose({ to: 'a@x.org' }),
    '1',
    { host: 'localhost', port: 2526, username: undefined, starttls: false, from: 'a@x.org' },
    mailGuard(2526),
  );
  await expect(refused).rejects.toMatchObject({ detail: { id: 'WORKFLOW_MAIL_DENIED' } });
});

describe('the queue of mails', () => {
  let database: Database & AsyncDisposable;
  let server: Awaited<ReturnType<typeof startMailServer>>;
  let refusals = 0;
  let refusal = Object.assign(new Error('Not now'), { responseCode: 451 });

  beforeAll(async () => {
    database = await createMigratedDatabase();
    server = await startMailServer({
      onMailFrom: (_address, _session, done) => done(refusals-- > 0 ? refusal : undefined),
    });
  });
  afterAll(async () => {
    await server.stop();
    await database[Symbol.asyncDispose]();
  });

  async function openQueue() {
    const ended: JobResult[] = [];
    let look = () => {};
    const queue: Queue = new Queue({ database, wakes: wakesOf(() => poller.wake()) });
    const mails = new MailQueue(
      queue,
      async () => server.settings,
      () => near,
      () => {},
    );
    const { id: nodeId } = await database.db
      .insertInto('cluster_node')
      .values({ name: `n${Math.random()}`, epoch: 1, state: 'running', roles: ['worker'] })
      .returning('id')
      .executeTakeFirstOrThrow();
    const poller = new JobPoller({
      queue,
      clock: { now: () => Date.now() },
      holder: () => ({ nodeId, epoch: 1 }),
      observe: () => {},
      async run(job) {
        const result = await runJob(queue, job);
        ended.push(result);
        look();
        return result;
      },
    });
    await queue.prepare();
    await poller.start();
    return {
      mails,
      poller,
      ended: (count: number) =>
        new Promise<readonly JobResult[]>((resolve) => {
          look = () => ended.length >= count && resolve(ended);
          look();
        }),
    };
  }

  test('sends after the commit, never after a rollback, and again when the server was busy, but not when it refuses', async () => {
    const { mails, poller, ended } = await openQueue();
    const failed = runUnitOfWork(database, {}, async (unitOfWork) => {
      await mails.runTask(unitOfWork, (await mailCall({ to: 'never@x.org', text: 'x' })).call);
      throw new Error('The step failed');
    });
    await expect(failed).rejects.toThrow('The step failed');
    await runUnitOfWork(database, {}, async (unitOfWork) => {
      await mails.runTask(unitOfWork, (await mailCall({ to: 'first@x.org', text: 'x' })).call);
      expect(server.received).toEqual([]);
    });
    expect(await ended(1)).toMatchObject([{ end: 'completed' }]);
    refusals = 1;
    await runUnitOfWork(database, {}, async (unitOfWork) =>
      mails.runTask(unitOfWork, (await mailCall({ to: 'second@x.org', text: 'x' })).call),
    );
    expect((await ended(2))[1]).toMatchObject({ end: 'retrying', error: expect.stringContaining('Not now') });
    refusals = 1;
    refusal = Object.assign(new Error('Never'), { responseCode: 550 });
    await runUnitOfWork(database, {}, async (unitOfWork) =>
      mails.runTask(unitOfWork, (await mailCall({ to: 'third@x.org', text: 'x' })).call),
    );
    expect((await ended(3))[2]).toMatchObject({ end: 'dead', error: expect.stringContaining('Never') });
    await poller.stop();
    expect(server.received.map(({ to }) => to)).toEqual([['first@x.org']]);
  });

  test('a task may go on without its mail, and learn why', async () => {
    const queue = new Queue({ database, wakes: wakesOf(() => {}) });
    const mails = new MailQueue(
      queue,
      async () => server.settings,
      () => near,
      () => {},
    );
    const { call, set } = await mailCall({ ignoreException: 'true', exceptionVariableName: 'why' });
    await runUnitOfWork(database, {}, (unitOfWork) => mails.runTask(unitOfWork, call));
    expect(set).toEqual({ why: "The mail of 'tell' has no recipient" });
    const strict = runUnitOfWork(database, {}, async (unitOfWork) =>
      mails.runTask(unitOfWork, (await mailCall({})).call),
    );
    await expect(strict).rejects.toMatchObject({ detail: { id: 'WORKFLOW_BAD_MAIL' } });
  });
});
