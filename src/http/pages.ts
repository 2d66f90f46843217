import type { HttpExchange } from './http-exchange.ts';
import type { Answer } from './write-response.ts';

/** Answers a GET of its path; thrown errors are answered as everywhere. */
export type Page = (exchange: HttpExchange) => Answer | Promise<Answer>;

/** What is beside the REST interface, by path. A slash behind the path makes no difference. */
export type Pages = Readonly<Record<string, Page | undefined>>;

export function withoutSlash(path: string): string {
  return path.endsWith('/') && path !== '/' ? path.slice(0, -1) : path;
}

export function jsonPage(status: number, content: unknown): Answer {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(content) };
}
