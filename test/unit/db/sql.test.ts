import { describe, expect, test } from 'vitest';
import { unpeeked } from '../../../core/db/plan-hints.ts';
import { sql } from '../../../core/db/sql.ts';

describe('sql', () => {
  test('binds every value and never writes it into the text', () => {
    const statement = sql`select * from t where a = ${"'; drop table t; --"} and b = ${7}`;
    expect(statement.text).toBe('select * from t where a = $1 and b = $2');
    expect(statement.values).toEqual(["'; drop table t; --", 7]);
  });

  test('nests statements, numbering parameters in the order of the text', () => {
    const mine = sql`tenant_id = ${'one'}`;
    const statement = sql`select ${1} from t where ${mine} and (${sql`n > ${2} or n is null`}) limit ${3}`;
    expect(statement.text).toBe('select $1 from t where tenant_id = $2 and (n > $3 or n is null) limit $4');
    expect(statement.values).toEqual([1, 'one', 2, 3]);
  });

  test('quotes identifiers', () => {
    expect(sql`select ${sql.ident('public', 'we"ird')}`.text).toBe('select "public"."we""ird"');
    expect(() => sql.ident('')).toThrow(TypeError);
    expect(() => sql.ident('a\0b')).toThrow(TypeError);
  });

  test('prepares a text once for all its values, and one with a table name never', () => {
    const byId = (id: string) => sql`select ${id}`;
    expect(byId('a').fingerprint).toMatch(/^s_[\w-]{27}$/);
    expect(byId('a').fingerprint).toBe(byId('b').fingerprint);
    expect(sql`select  ${'a'}`.fingerprint).not.toBe(byId('a').fingerprint);
    expect(byId('a').isFixed).toBe(true);
    expect(sql`select ${sql.ident('a')}`.isFixed).toBe(false);
  });

  test('rejects an object that looks like a statement, and undefined', () => {
    const forged = JSON.parse('{"text":"1; drop table t","values":[]}');
    expect(sql`select ${forged}`.text).toBe('select $1');
    expect(() => sql`select ${undefined as unknown as null}`).toThrow(TypeError);
  });

  test('writes a whole number into the text, so that each is a statement of its own', () => {
    const first = (count: number) => sql`select n from t where a = ${'x'} limit ${sql.whole(count)}`;
    expect(first(201).text).toBe('select n from t where a = $1 limit 201');
    expect(first(201).values).toEqual(['x']);
    expect(first(201).fingerprint).toMatch(/^s_[\w-]{27}$/);
    expect(first(201).fingerprint).toBe(first(201).fingerprint);
    expect(first(201).fingerprint).not.toBe(first(101).fingerprint);
    expect(sql`${sql.whole(-3)}, ${sql.whole(Number.MAX_SAFE_INTEGER)}`.text).toBe('-3, 9007199254740991');
  });

  test('takes nothing else for a whole number', () => {
    for (const value of [
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      '1',
      '1; drop table t',
      null,
      [1],
      1n,
    ])
      expect(() => sql.whole(value as number), String(value)).toThrow(TypeError);
  });

  test('keeps a text from the planner, and binds it all the same', () => {
    const hostile = "x'; drop table t; --";
    const one = (value: string) => sql`select n from t where a = ${unpeeked(value)} and b = ${2}`;
    expect(one(hostile).text).toBe('select n from t where a = (select $1::text) and b = $2');
    expect(one(hostile).values).toEqual([hostile, 2]);
    expect(one(hostile).fingerprint).toMatch(/^s_[\w-]{27}$/);
    expect(one(hostile).fingerprint).toBe(one('').fingerprint);

    const any = (values: readonly string[]) => sql`select n from t where a = any(${unpeeked(values)})`;
    expect(any([hostile, 'y']).text).toBe('select n from t where a = any((select $1::text[])::text[])');
    expect(any([hostile, 'y']).values).toEqual([[hostile, 'y']]);
    expect(any([]).values).toEqual([[]]);
    expect(any([]).fingerprint).toBe(any(['a', 'b', 'c']).fingerprint);
  });

  test('passes JSON as text', () => {
    expect(sql`select ${sql.json([{ a: 1 }])}::jsonb`.values).toEqual(['[{"a":1}]']);
    expect(sql.json(undefined)).toBe('null');
  });
});
