import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConnectorError } from '../../../../core/connectors/connector.ts';
import { connectionFrom } from '../../../../core/connectors/sql/connection.ts';
import { selectedDatabases } from '../../../../core/connectors/sql/selection.ts';

const diagnostic = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConnectorError) return error.safeDiagnostic;
    throw error;
  }
  return 'accepted';
};

describe('a connection string', () => {
  test.each([
    ['postgres://ada:s3cret@db.example/hr', 'postgres', 5432],
    ['postgresql://ada:s3cret@DB.example/hr', 'postgres', 5432],
    ['mysql://ada:s3cret@db.example/hr', 'mysql', 3306],
    ['mariadb://ada:s3cret@db.example/hr', 'mysql', 3306],
    ['sqlserver://ada:s3cret@db.example/hr', 'sqlserver', 1433],
    ['mssql://ada:s3cret@db.example/hr', 'sqlserver', 1433],
  ])('%s names an engine, its usual port, and has TLS', (text, engine, port) => {
    const host = 'db.example';
    const rest = { host, port, database: 'hr', user: 'ada', password: 's3cret', tls: true };
    expect(connectionFrom(text)).toEqual({ engine, ...rest });
  });

  test('gives each part as it was encoded', () => {
    const part = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(part, part, part, fc.integer({ min: 1, max: 65_535 }), (user, password, database, port) => {
        const [u, p, d] = [user, password, database].map(encodeURIComponent);
        const text = `postgres://${u}:${p}@db.example:${port}/${d}`;
        // An address resolves a path of dots.
        fc.pre(!/^\.{1,2}$/.test(database));
        expect(connectionFrom(text)).toMatchObject({ user, password, database, port });
      }),
    );
  });

  test('of any other text is malformed, and never another error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(diagnostic(() => connectionFrom(text))).toBe('sql_connection_malformed');
      }),
    );
    for (const text of [
      'postgres://db.example/hr',
      'postgres://ada:pass#word@db.example/hr',
      'postgres://ada:%ff@db.example/hr',
      'oracle://ada:x@db.example/hr',
    ])
      expect(diagnostic(() => connectionFrom(text))).toBe('sql_connection_malformed');
  });

  test('has no way to another machine without TLS', () => {
    for (const mode of ['require', 'prefer', 'allow', 'verify-full', 'no-verify'])
      expect(connectionFrom(`postgres://a:b@db.example/x?sslmode=${mode}`).tls).toBe(true);
    const refused = ['db.example', '127.0.0.1.example', '10.0.0.1', '[2001:db8::1]'];
    for (const host of refused)
      expect(diagnostic(() => connectionFrom(`postgres://a:b@${host}/x?sslmode=disable`))).toBe(
        'sql_tls_required',
      );
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(connectionFrom(`postgres://a:b@${host}/x?sslmode=disable`).tls).toBe(false);
  });
});

describe('what is selected', () => {
  const postgres = { engine: 'postgres', database: 'hr' } as const;
  const of = (entries: string[], connection: Parameters<typeof selectedDatabases>[0] = postgres) =>
    Object.fromEntries(selectedDatabases(connection, entries));

  test('is schemas of the database of the connection, and of others by their name', () => {
    expect(of(['staff', 'public', 'crm/sales', 'staff'])).toEqual({
      hr: ['public', 'staff'],
      crm: ['sales'],
    });
    expect([...selectedDatabases(postgres, ['z/a', 'b/a', 'public']).keys()]).toEqual(['b', 'hr', 'z']);
  });

  test('is all schemas with a star', () => {
    expect(of(['*', 'public', 'crm/*'])).toEqual({ hr: null, crm: null });
  });

  test('is databases of MySQL', () => {
    expect(of(['crm', '*'], { engine: 'mysql', database: 'hr' })).toEqual({ crm: null, hr: null });
  });

  test('names a database, or is refused', () => {
    const nowhere = { engine: 'postgres', database: null } as const;
    for (const [entries, connection] of [
      [['public'], nowhere],
      [['/public'], postgres],
      [['crm/'], postgres],
      [['*'], { engine: 'mysql', database: null }],
    ] as const)
      expect(diagnostic(() => selectedDatabases(connection, entries))).toBe('sql_selection_invalid');
    expect(of(['crm/public'], nowhere)).toEqual({ crm: ['public'] });
  });
});
