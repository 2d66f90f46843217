import { describe, expect, it } from 'vitest';
import {
  ActivationError,
  BadRequestError,
  didYouMean,
  fromErrorBody,
  NotFoundError,
  ResourceError,
  toResourceError,
} from '#errors/index.ts';

describe('a resource error', () => {
  it('answers with code, reason and message, and a detail only when there is one', () => {
    expect(new NotFoundError('no u1').toJSON()).toEqual({ code: 404, reason: 'Not Found', message: 'no u1' });
    expect(
      new BadRequestError('bad', { id: 'X', field: '/a', hint: 'do', detail: { value: 1 } }).toJSON(),
    ).toEqual({
      code: 400,
      reason: 'Bad Request',
      message: 'bad',
      detail: { id: 'X', field: '/a', hint: 'do', value: 1 },
    });
  });

  it('keeps any code and any detail that a script threw', () => {
    expect(new ResourceError(418, 'tea', { detail: ['x'] }).toJSON()).toEqual({
      code: 418,
      reason: '(Unused)',
      message: 'tea',
      detail: ['x'],
    });
  });

  it('does not send back whole what was too long to read', () => {
    const sent = `${'a'.repeat(8_191)}😀${'b'.repeat(1_000_000)}`;
    const { message, detail } = new BadRequestError(sent, { field: sent, hint: sent }).toJSON();
    expect(message).toBe(`${'a'.repeat(8_191)}\u{fffd}… (1008193 characters)`);
    expect(detail).toEqual({ field: message, hint: message });
  });

  it('says nothing of the inside of an unexpected error', () => {
    const error = toResourceError(new TypeError("cannot read 'password' of undefined"));
    expect(error.toJSON()).toEqual({
      code: 500,
      reason: 'Internal Server Error',
      message: 'The server could not complete the request',
    });
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it('is the same after a journey as a body', () => {
    const body = new BadRequestError('bad', { id: 'X', hint: 'do' }).toJSON();
    expect(fromErrorBody(body).toJSON()).toEqual(body);
    expect(fromErrorBody(body)).toBeInstanceOf(BadRequestError);
    expect(fromErrorBody({ code: 418, message: 'odd' }).toJSON()).toMatchObject({
      code: 418,
      message: 'odd',
    });
  });
});

describe('an activation error', () => {
  it('lists all findings with their place and hint', () => {
    const error = new ActivationError([
      { id: 'A', where: 'conf/a.json:1:2', message: 'wrong', hint: 'mend it' },
      { id: 'B', where: '', message: 'missing' },
    ]);
    expect(error.message).toBe('conf/a.json:1:2  wrong — mend it  [A]\nmissing  [B]');
  });
});

describe('a suggestion', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['invokeSevice', ['invokeService', 'invokeContext'], "Did you mean 'invokeService'?"],
    ['scirpt', ['script', 'sync'], "Did you mean 'script'?"],
    ['Cron', ['cron', 'simple'], "Did you mean 'cron'?"],
    ['zebra', ['cron', 'simple'], undefined],
  ])('for %s among %j is %j', (word, candidates, expected) => {
    expect(didYouMean(word, candidates)).toBe(expected);
  });
});
