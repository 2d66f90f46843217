import type pg from 'pg';
import { awaitsAnswer, type Wire, wireOf } from './pg-client.ts';

interface Holding {
  readonly held: readonly string[];
  /** As Postgres answers: the command, and whether a transaction is open then. */
  readonly command: string;
  readonly status: 'T' | 'I';
}

const commitListeners = new WeakMap<pg.ClientBase, () => void>();

/** Tells of the next commit that the client sends, before it is answered; of none that has nothing to commit. */
export function onceCommitIsSent(client: pg.ClientBase, listener: () => void): void {
  commitListeners.set(client, listener);
}

/**
 * Has `begin`, `savepoint` and `release` leave together with the statement that follows: a way to the server and back
 * less for each, and no transaction is open there before it is needed. Nobody above notices: they are answered here,
 * and what the server answers to them is kept back. One that fails, fails the statement that it went with.
 *
 * The driver waits for an answer of its own to each statement; its public interface has no place for a command that goes
 * along. That is why its messages are looked at here.
 *
 * @param prepares whether the server may be left a prepared statement
 */
export function holdCommands(client: pg.ClientBase, prepares: boolean): void {
  const connection = wireOf(client);
  const { query, parse, bind, execute, emit } = connection;
  /** Asked for, answered, and not sent. */
  let held: readonly string[] = [];
  /** How many were sent along, and have not been answered; infinite for those that have an answer of their own. */
  let awaited = 0;
  /** Whether the first of these leaves a prepared `begin`. */
  let isPreparing = false;
  let isPrepared = false;

  /** What is sent before anything else can happen is written at once, and is not a packet for each message. */
  let isGathering = false;
  const gather = () => {
    if (isGathering) return;
    isGathering = true;
    connection.stream.cork();
    process.nextTick(() => {
      isGathering = false;
      connection.stream.uncork();
    });
  };

  const answer = ({ command, status }: Holding) =>
    process.nextTick(() => {
      connection.emit('commandComplete', { name: 'commandComplete', text: command });
      connection.emit('readyForQuery', { name: 'readyForQuery', status });
    });

  /** Sends what is held, as messages that share the answer of the statement behind them. */
  const sendAlong = () => {
    for (const text of held) {
      const name = text === 'begin' && prepares ? 'svc_begin' : '';
      if (name === '' || !isPrepared) parse.call(connection, { name, text, types: [] });
      if (name !== '') isPreparing = !isPrepared;
      bind.call(connection, { statement: name });
      execute.call(connection, {});
    }
    awaited = held.length;
    held = [];
  };

  /** Joins the parts to one message. */
  const joined = (...more: string[]) => {
    const text = [...held, ...more].join('; ');
    awaited = held.length;
    held = [];
    return text;
  };

  Object.assign(connection, {
    query(text: string) {
      // What is still under way would be given the answer.
      const holding = awaitsAnswer(client) ? undefined : hold(held, text);
      if (holding !== undefined) {
        held = holding.held;
        answer(holding);
        if (holding.status === 'I') commitListeners.delete(client);
        return;
      }
      gather();
      tellOfCommit(client, text);
      // It takes back what would go along.
      if (text.startsWith('rollback') && held[0] !== 'begin') held = [];
      if (held.length === 0) query.call(connection, text);
      else if (text === 'commit') query.call(connection, joined(text));
      else {
        // A message that cannot be parsed does nothing at all: what goes along has one of its own.
        query.call(connection, joined());
        query.call(connection, text);
        awaited = Number.POSITIVE_INFINITY;
      }
    },
    parse(message: Parameters<Wire['parse']>[0]) {
      gather();
      if (held.length > 0) sendAlong();
      parse.call(connection, message);
    },
    bind(message: Parameters<Wire['bind']>[0]) {
      gather();
      if (held.length > 0) sendAlong();
      bind.call(connection, message);
    },
    emit(event: string, ...given: [unknown?]) {
      if (awaited === 0) return emit.call(connection, event, ...given);
      switch (event) {
        case 'parseComplete':
          isPrepared ||= isPreparing;
          isPreparing = false;
          return true;
        case 'bindComplete':
          return true;
        case 'commandComplete':
          awaited -= 1;
          return true;
        case 'readyForQuery':
          awaited = 0;
          return true;
        case 'errorMessage':
          isPreparing = false;
          if (awaited === Number.POSITIVE_INFINITY) return true;
          awaited = 0;
      }
      return emit.call(connection, event, ...given);
    },
  });
}

function tellOfCommit(client: pg.ClientBase, text: string): void {
  if (text !== 'commit' && text !== 'rollback') return;
  const listener = commitListeners.get(client);
  commitListeners.delete(client);
  // The driver is about to send the commit.
  if (text === 'commit' && listener !== undefined) process.nextTick(listener);
}

/** What becomes of the commands that are held; undefined for one that has to be sent. */
function hold(held: readonly string[], text: string): Holding | undefined {
  const [word] = text.split(' ', 1);
  const command = word!.toUpperCase();
  const isBegun = held[0] !== 'begin';
  switch (text) {
    case 'begin':
      return { held: [...held, text], command, status: 'T' };
    case 'commit':
    case 'rollback':
      return isBegun ? undefined : { held: [], command, status: 'I' };
  }
  const savepoint = `savepoint ${text.slice(text.lastIndexOf(' ') + 1)}`;
  const since = held.indexOf(savepoint);
  if (word === 'savepoint') return { held: [...held, text], command, status: 'T' };
  if (word === 'release') {
    return { held: since < 0 ? [...held, text] : held.slice(0, since), command, status: 'T' };
  }
  if (word === 'rollback' && since >= 0) return { held: held.slice(0, since + 1), command, status: 'T' };
  return undefined;
}
