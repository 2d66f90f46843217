/**
 * How the threads of a node speak to each other.
 *
 * Words: a *line* leads from one thread to another, either of which *asks* and *answers* questions and *tells* news; an *outbox*
 * is what a thread sends by. Invariants: what is said arrives in the order in which it was said; whoever has asked
 * hears an answer, or that the other thread has gone.
 */
export { type Line, type LinePort, news, openLine, question } from './line.ts';
export { Outbox } from './outbox.ts';
export { type ErrorMessage, toError, toMessage } from './thread-error.ts';
