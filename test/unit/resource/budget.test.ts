import { describe, expect, it } from 'vitest';
import { Budget, REQUEST_ALLOWANCE } from '#resource/budget.ts';

describe('the budget of a request', () => {
  const { hostCalls } = REQUEST_ALLOWANCE;

  it('lends what a run has to work that is a run, and has its own again afterwards', async () => {
    const budget = new Budget();
    budget.spend('hostCalls', hostCalls - 1);
    await budget.asRun(async () => {
      budget.spend('hostCalls', hostCalls * 100);
      expect(() => budget.spend('hostCalls')).toThrow('more than 5000000 calls');
    });
    budget.spend('hostCalls');
    expect(() => budget.spend('hostCalls')).toThrow('more than 50000 calls');
  });

  it('is its own again after such work has failed', async () => {
    const budget = new Budget();
    await expect(budget.asRun(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(() => budget.spend('hostCalls', hostCalls + 1)).toThrow('more than 50000 calls');
  });
});
