import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly content: string;
  readonly user: string | undefined;
  readonly isEncrypted: boolean;
}

/** A real mail server, which notes what it is given. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onData(stream, session, done) {
      const content = await text(stream);
      const { mailFrom, rcptTo } = session.envelope;
      received.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        content,
        user: session.user,
        isEncrypted: session.secure,
      });
      done();
    },
    ...options,
  });
  // A client that breaks off is the point of some tests.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as { port: number };
  const settings = { host: '127.0.0.1', port, username: undefined, starttls: false, from: 'svc@example.com' };
  return { received, settings, stop: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
