import { wordsOf } from '#errors/index.ts';
import { backOff } from '#lifecycle/index.ts';
import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from './embedded-server.ts';

export interface SupervisedServer {
  /** Stays the same when Postgres is started again. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Runs the embedded server and starts it again when it dies; Postgres recovers its data by itself. */
export async function superviseEmbeddedServer(options: EmbeddedServerOptions): Promise<SupervisedServer> {
  let server = await startEmbeddedServer(options);
  let stopping = false;
  const say = options.observe ?? (() => {});

  const watch = async (watched: EmbeddedServer): Promise<void> => {
    await watched.ended;
    for (let failures = 1; !stopping; failures++) {
      say(`the embedded Postgres died; starting it again (attempt ${failures})`);
      try {
        server = await startEmbeddedServer(options);
        void watch(server);
        return;
      } catch (error) {
        say(`the embedded Postgres did not start: ${wordsOf(error)}`);
        await backOff(failures, 100, 5_000);
      }
    }
  };
  void watch(server);

  return {
    url: server.url,
    async stop() {
      stopping = true;
      await server.stop();
    },
  };
}
