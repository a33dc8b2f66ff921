import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mockAiProvider } from '../../../core/ai/mock.ts';
import { MAX_TEXT_CHARACTERS, MAX_TEXTS } from '../../../core/ai/provider.ts';

const never = new AbortController().signal;
const embed = (...texts: string[]) => mockAiProvider.embed(texts, never);
const NOTHING: Float32Array = new Float32Array();
const dot = (a = NOTHING, b = NOTHING) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

describe('mockAiProvider', () => {
  it('says what it is', () => {
    expect(mockAiProvider).toMatchObject({
      name: 'mock',
      mode: 'mock',
      model: expect.stringMatching(/^lexical-/),
    });
  });

  it('gives every text the same vector of unit length each time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), async (text) => {
        const [first] = await embed(text);
        const [, second] = await embed('another text', text);
        expect(second).toEqual(first);
        expect(first).toHaveLength(384);
        const length = Math.sqrt(dot(first, first));
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
      }),
    );
  });

  it('brings texts that share words near to each other in any inflection or case', async () => {
    const [invoice, invoices, wages, cafe, CAFE] = await embed(
      'invoice for the supplier, payable in thirty days',
      'Supplier invoices are payable after a month',
      'monthly wages of the employees and their bonus',
      'café résumé',
      'CAFE RESUME',
    );
    expect(dot(invoice, invoices)).toBeGreaterThan(dot(invoice, wages) + 0.2);
    expect(dot(cafe, CAFE)).toBeCloseTo(1, 5);
  });

  it('gives a text of nothing but function words and numbers the zero vector', async () => {
    const [vector] = await embed('this is the 42 of it, und das 7');
    expect(vector?.every((value) => value === 0)).toBe(true);
  });

  it('reads a bounded part of a text, and refuses too many or an aborted request', async () => {
    const head = 'invoice supplier '.repeat(MAX_TEXT_CHARACTERS / 17 + 1).slice(0, MAX_TEXT_CHARACTERS);
    const [short, long] = await embed(head, `${head} salary wages bonus`);
    expect(long).toEqual(short);
    await expect(embed(...Array.from({ length: MAX_TEXTS + 1 }, () => 'a'))).rejects.toThrow(
      'ai_input_bound',
    );
    await expect(mockAiProvider.embed(['a'], AbortSignal.abort())).rejects.toThrow('aborted');
  });

  it('gives the type that shares the most words as a second opinion, or none', async () => {
    const { opinion } = mockAiProvider;
    expect(opinion.model).toMatch(/^lexical-/);
    const types = [
      { ref: 'type_1', name: 'Invoice', definition: 'Bills of suppliers', domain: 'Finance' },
      { ref: 'type_2', name: 'Payroll', definition: 'Wages and bonus of employees', domain: 'People' },
    ];
    const ask = (...excerpts: string[]) => opinion.ask({ excerpts, types }, never);
    expect(await ask('The wages of an employee', 'and their bonus')).toBe('type_2');
    expect(await ask('The wages of an employee', 'and their bonus')).toBe('type_2');
    expect(await ask('An invoice of the supplier')).toBe('type_1');
    expect(await ask('The weather was fine')).toBeNull();
    expect(await ask()).toBeNull();
    await expect(opinion.ask({ excerpts: ['a'], types }, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});
