import type pg from 'pg';
import { type Wire, wireOf } from './pg-client.ts';

/**
 * Has `begin` leave together with the first statement of its transaction: one way to the server and back less for
 * each, and no transaction is open there before it is needed. Nobody above notices: `begin` is answered here, and what
 * the server answers to it is kept back.
 *
 * @param prepares whether the server may be left a prepared statement
 */
export function sendBeginWithFirstStatement(client: pg.ClientBase, prepares: boolean): void {
  const connection = wireOf(client);
  const { query, parse, bind, execute, emit } = connection;
  /** `begin` was asked for, and has not been sent. */
  let isPending = false;
  /** It was sent, and has not been answered. */
  let isAwaited = false;
  let isPrepared = false;

  const answer = (command: string, status: string) =>
    process.nextTick(() => {
      connection.emit('commandComplete', { name: 'commandComplete', text: command });
      connection.emit('readyForQuery', { name: 'readyForQuery', status });
    });

  const open = () => {
    isPending = false;
    isAwaited = true;
    const name = prepares ? 'svc_begin' : '';
    if (!isPrepared) parse.call(connection, { name, text: 'begin', types: [] });
    bind.call(connection, { statement: name });
    execute.call(connection, {});
  };

  Object.assign(connection, {
    query(text: string) {
      if (text === 'begin') {
        isPending = true;
        answer('BEGIN', 'T');
      } else if (isPending && (text === 'commit' || text === 'rollback')) {
        isPending = false;
        answer(text.toUpperCase(), 'I');
      } else if (isPending) {
        isPending = false;
        isAwaited = true;
        query.call(connection, `begin; ${text}`);
      } else {
        query.call(connection, text);
      }
    },
    parse(message: Parameters<Wire['parse']>[0]) {
      if (isPending) open();
      parse.call(connection, message);
    },
    bind(message: Parameters<Wire['bind']>[0]) {
      if (isPending) open();
      bind.call(connection, message);
    },
    emit(event: string, ...given: [unknown?]) {
      if (isAwaited) {
        if (event === 'parseComplete') {
          isPrepared = prepares;
          return true;
        }
        if (event === 'bindComplete') return true;
        if (event === 'commandComplete') {
          isAwaited = false;
          return true;
        }
        if (event === 'errorMessage') isAwaited = false;
      }
      return emit.call(connection, event, ...given);
    },
  });
}
