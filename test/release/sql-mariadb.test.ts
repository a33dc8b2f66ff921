import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SqlSession, SqlTarget } from '../../core/connectors/sql/engine.ts';
import { openMysql } from '../../core/connectors/sql/mysql/mysql-connection.ts';
import { mysqlEngine } from '../../core/connectors/sql/mysql/mysql-engine.ts';
import { createSqlConnector } from '../../core/connectors/sql/sql-connector.ts';
import { exerciseConnector, refusal, type Subject } from '../contract/connector.exercise.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { canHaveMariaDb } from '../support/sql/mariadb-programs.ts';
import { type MariaDbServer, startMariaDb } from '../support/sql/mariadb-server.ts';

const TABLES = NIGHTLY ? 10_000 : 2_000;
const ROWS = NIGHTLY ? 10_000_000 : 1_000_000;

const live = new AbortController().signal;
const PASSWORD = 'correct horse';
const BOUNDS = { maxRows: 1_000, maxBytes: 10_000_000, seed: 1 };
const authorities = getCACertificates('default');

describe.runIf(await canHaveMariaDb())('MariaDB', () => {
  let server: MariaDbServer;
  beforeAll(async () => {
    server = await startMariaDb({ tls: true });
    setDefaultCACertificates([...authorities, server.authority]);
    await server.administer(
      'CREATE DATABASE crm CHARACTER SET utf8mb4',
      'CREATE DATABASE shop CHARACTER SET utf8mb4',
      `CREATE USER reader@'%' IDENTIFIED BY '${PASSWORD}' REQUIRE SSL`,
      "GRANT SELECT, SHOW VIEW ON crm.* TO reader@'%'",
      "GRANT SELECT, SHOW VIEW ON shop.* TO reader@'%'",
    );
  });
  afterAll(async () => {
    setDefaultCACertificates(authorities);
    await server.stop();
  });

  const target = (rest: Partial<SqlTarget> = {}): SqlTarget => ({
    host: 'localhost',
    port: server.port,
    database: 'crm',
    user: 'reader',
    password: PASSWORD,
    tls: true,
    ...rest,
  });

  async function withSession<T>(
    use: (session: SqlSession) => Promise<T>,
    rest: Partial<SqlTarget> = {},
  ): Promise<T> {
    const session = await mysqlEngine.connect(target(rest), live);
    try {
      return await use(session);
    } finally {
      await session.close();
    }
  }

  const sampleOf = (id: string, bounds = BOUNDS, rest: Partial<SqlTarget> = {}) =>
    withSession(async (session) => {
      const read = await session.sample(id, bounds);
      return read.state === 'read' ? read.sample : expect.unreachable(read.state);
    }, rest);

  /** Tables of the exercise that no test changes, made once: to make a table takes longer than a test. */
  async function fillCanaries(): Promise<void> {
    const [known = []] = await server.administer("SHOW DATABASES LIKE 'canary db'");
    if (known.length > 0) return;
    await server.administer('CREATE DATABASE `canary db`', "GRANT SELECT ON `canary db`.* TO reader@'%'");
    const owner = await server.session();
    await owner.run('USE `canary db`');
    for (let table = 0; table < 220; table++) {
      await owner.run(`CREATE TABLE \`canary ${table}\` (id INT PRIMARY KEY, note TEXT) ENGINE = MyISAM`);
      await owner.run(`INSERT INTO \`canary ${table}\` VALUES (1, 'canary')`);
    }
    await owner.close();
  }

  exerciseConnector('sql of MariaDB', async (): Promise<Subject> => {
    await fillCanaries();
    const owner = await server.session();
    await owner.run('USE `canary db`');
    const connection = `mariadb://reader:${encodeURIComponent(PASSWORD)}@localhost:${server.port}/crm`;
    const connector = createSqlConnector({ connection: () => connection, schemas: ['canary db'] });
    const [scopeExternalId = ''] = connector.scopeIds;
    const added = new Set<string>();
    return {
      connector,
      scopeExternalId,
      canaries: ['canary', PASSWORD, 'reader'],
      act: {
        add: async (name, text) => {
          await owner.run(`CREATE TABLE \`${name}\` (id INT PRIMARY KEY, note TEXT) ENGINE = InnoDB`);
          await owner.run(`INSERT INTO \`${name}\` VALUES (1, '${text}')`);
          added.add(name);
          return name;
        },
        // The server notes the second of a change, so the next one begins before it.
        edit: async (id, text) => {
          await owner.run('DO SLEEP(1.1)');
          await owner.run(`UPDATE \`${id}\` SET note = '${text}'`);
        },
        rename: async (id, name) => {
          await owner.run(`RENAME TABLE \`${id}\` TO \`${name}\``);
          added.add(name);
          return name;
        },
        remove: (id) => owner.run(`DROP TABLE \`${id}\``),
      },
      close: async () => {
        for (const name of added) await owner.run(`DROP TABLE IF EXISTS \`${name}\``);
        await owner.close();
      },
    };
  });

  describe('the connection', () => {
    test('to an address, whose certificate the driver cannot check, is refused', async () => {
      expect(await refusal(mysqlEngine.connect(target({ host: '127.0.0.1' }), live))).toMatchObject({
        safeDiagnostic: 'sql_tls_refused',
      });
    });

    test('to a server whose certificate nobody vouches for is refused', async () => {
      setDefaultCACertificates(authorities);
      const refused = await refusal(mysqlEngine.connect(target(), live));
      setDefaultCACertificates([...authorities, server.authority]);
      expect(refused).toMatchObject({ safeDiagnostic: 'sql_tls_refused', retryClass: 'permanent' });
    });

    test('to a server without TLS is refused', async () => {
      const plain = await startMariaDb({ tls: false });
      expect(await refusal(mysqlEngine.connect(target({ port: plain.port }), live))).toMatchObject({
        safeDiagnostic: 'sql_tls_refused',
      });
      await plain.stop();
    });

    test('is encrypted, for an account that asks for it', async () => {
      const plain = refusal(mysqlEngine.connect(target({ tls: false }), live));
      expect(await plain).toMatchObject({ safeDiagnostic: 'sql_login_refused' });
      expect(await withSession((session) => session.login())).toEqual({ state: 'reads' });
    });

    test('with a wrong password, or to no database, says which', async () => {
      const refused = (rest: Partial<SqlTarget>) => refusal(mysqlEngine.connect(target(rest), live));
      expect(await refused({ password: 'wrong' })).toMatchObject({ safeDiagnostic: 'sql_login_refused' });
      expect(await refused({ database: 'mysql' })).toMatchObject({ safeDiagnostic: 'sql_database_denied' });
      expect(await refused({ user: 'root', password: '', database: 'gone' })).toMatchObject({
        reason: 'not_found',
      });
      expect(await refused({ port: 1 })).toMatchObject({ safeDiagnostic: 'sql_unreachable' });
    });

    test('refuses to write, also for a login that may', async () => {
      await server.administer('CREATE TABLE crm.kept (id INT)');
      const connection = await openMysql(target({ user: 'root', password: '' }), live);
      for (const sql of [
        'INSERT INTO crm.kept VALUES (1)',
        'DROP TABLE crm.kept',
        'CREATE TABLE crm.more (id INT)',
      ])
        await expect(connection.run({ sql, values: [] })).rejects.toMatchObject({ errno: 1792 });
      await expect(connection.run({ sql: 'SELECT 1; SELECT 2', values: [] })).rejects.toMatchObject({
        errno: 1064,
      });
      connection.close();
      await server.administer('DROP TABLE crm.kept');
    });
  });

  describe('a login', () => {
    const loginOf = async (user: string, ...grants: readonly string[]) => {
      await server.administer(`CREATE USER ${user}@'%' IDENTIFIED BY '${PASSWORD}'`, ...grants);
      return withSession((session) => session.login(), { user });
    };

    test.each([
      ['writes_all', "GRANT ALL ON *.* TO writes_all@'%'", 'administrator'],
      ['writes_db', "GRANT SELECT, INSERT ON crm.* TO writes_db@'%'", 'database'],
      [
        'writes_other',
        "GRANT SELECT ON crm.* TO writes_other@'%'",
        'database',
        "GRANT DROP ON shop.* TO writes_other@'%'",
      ],
    ])('%s can write', async (user, grant, by, other = 'DO 1') => {
      expect(await loginOf(user, grant, other)).toEqual({ state: 'writes', by });
    });

    test('with rights on one table or column of it can write', async () => {
      await server.administer('CREATE TABLE crm.people (name TEXT, phone TEXT)');
      const grants = (user: string, right: string) => [
        `GRANT SELECT ON crm.* TO ${user}@'%'`,
        `GRANT ${right} ON crm.people TO ${user}@'%'`,
      ];
      expect(await loginOf('writes_table', ...grants('writes_table', 'DELETE'))).toEqual({
        state: 'writes',
        by: 'table',
      });
      expect(await loginOf('writes_column', ...grants('writes_column', 'UPDATE (phone)'))).toEqual({
        state: 'writes',
        by: 'column',
      });
      await server.administer('DROP TABLE crm.people');
    });

    test('that could take a role that writes can write, also through another role', async () => {
      await server.administer(
        'CREATE ROLE keeper',
        'CREATE ROLE clerk',
        'GRANT INSERT ON crm.* TO keeper',
        'GRANT keeper TO clerk',
        'CREATE ROLE looker',
        'GRANT SELECT ON crm.* TO looker',
      );
      const grant = (role: string, user: string) => [
        `GRANT ${role} TO ${user}@'%'`,
        `GRANT SELECT ON crm.* TO ${user}@'%'`,
      ];
      expect(await loginOf('with_role', ...grant('clerk', 'with_role'))).toEqual({
        state: 'writes',
        by: 'role',
      });
      expect(await loginOf('looks', ...grant('looker', 'looks'))).toEqual({ state: 'reads' });
    });

    test('that keeps its own default role reads with it after the check', async () => {
      await server.administer(
        'CREATE ROLE shopper',
        'GRANT SELECT ON shop.* TO shopper',
        'CREATE TABLE shop.orders (id INT)',
        `CREATE USER by_role@'%' IDENTIFIED BY '${PASSWORD}'`,
        "GRANT shopper TO by_role@'%'",
        "SET DEFAULT ROLE shopper FOR by_role@'%'",
      );
      const entries = await withSession(
        async (session) => {
          expect(await session.login()).toEqual({ state: 'reads' });
          return session.tables({ schemas: null, after: null, limit: 10 });
        },
        { user: 'by_role', database: 'shop' },
      );
      expect(entries.map(({ name }) => name)).toEqual(['orders']);
      await server.administer('DROP TABLE shop.orders');
    });

    test('can write if everybody can', async () => {
      await server.administer('CREATE DATABASE open_to_all', 'GRANT INSERT ON open_to_all.* TO PUBLIC');
      expect(await withSession((session) => session.login())).toEqual({ state: 'writes', by: 'database' });
      await server.administer('REVOKE INSERT ON open_to_all.* FROM PUBLIC', 'DROP DATABASE open_to_all');
    });

    test('is shown a hash of its password, and nothing says it', async () => {
      const connection = await openMysql(target(), live);
      const lines: string[] = [];
      await connection.each({ sql: 'SHOW GRANTS', values: [] }, ([line]) => lines.push(String(line)));
      connection.close();
      const [hash = ''] = /\*[0-9A-F]{40}/.exec(lines.join()) ?? [];
      expect(hash).toHaveLength(41);
      const said = await withSession(async (session) => [
        await session.login(),
        await session.tables({ schemas: null, after: null, limit: 10 }),
        await session.permissions('none'),
      ]);
      expect(JSON.stringify(said)).not.toContain(hash);
    });
  });

  describe('tables', () => {
    test('and views are listed, sequences are not, and names of other case are two', async () => {
      await server.administer(
        "CREATE TABLE crm.People (id BIGINT UNSIGNED PRIMARY KEY, name VARCHAR(80) COMMENT 'Full name') COMMENT = 'Customers'",
        'CREATE TABLE crm.people (id INT PRIMARY KEY, person BIGINT UNSIGNED, FOREIGN KEY (person) REFERENCES crm.People (id))',
        'CREATE VIEW crm.names AS SELECT name FROM crm.People',
        'CREATE SEQUENCE crm.numbers',
      );
      const entries = await withSession((session) =>
        session.tables({ schemas: null, after: null, limit: 10 }),
      );
      expect(entries.map(({ id, kind }) => [id, kind])).toEqual([
        ['People', 'table'],
        ['names', 'view'],
        ['people', 'table'],
      ]);
      await withSession(async (session) => {
        for (const entry of entries) expect(await session.table(entry.id)).toEqual(entry);
        expect(await session.table('NAMES')).toBeNull();
        expect(
          (await session.tables({ schemas: null, after: 'People', limit: 1 })).map(({ id }) => id),
        ).toEqual(['names']);
      });
      expect(await sampleOf('People')).toMatchObject({
        comment: 'Customers',
        columns: [
          { name: 'id', type: 'bigint(20) unsigned', comment: null, key: 'primary', masked: false },
          { name: 'name', type: 'varchar(80)', comment: 'Full name', key: null, masked: false },
        ],
        allRowsVisible: true,
      });
      expect((await sampleOf('people')).columns[1]).toMatchObject({ name: 'person', key: 'foreign' });
      expect(await sampleOf('names')).toMatchObject({ kind: 'view', comment: null, allRowsVisible: null });
      await server.administer(
        'DROP VIEW crm.names',
        'DROP TABLE crm.people, crm.People',
        'DROP SEQUENCE crm.numbers',
      );
    });

    test('have values of all types as texts, and bytes only if they are text', async () => {
      await server.administer(
        `CREATE TABLE crm.types (id INT PRIMARY KEY, n DECIMAL(30, 2), f DOUBLE, d DATE, t DATETIME(3), y YEAR, b BIT(3), e ENUM('a', 'b'),
         s SET('x', 'y'), j JSON, l LONGTEXT, v VARBINARY(20), w BLOB, g POINT, u UUID, i INET6, latin VARCHAR(20) CHARACTER SET latin1)`,
        `INSERT INTO crm.types VALUES (1, 12345678901234567890.12, 0.5, '2026-11-27', '2026-11-27 08:09:10.123', 2026, b'101', 'b', 'x,y',
         '{"a": 1}', REPEAT('ü', 5000), 'Grüße', x'00ff', ST_PointFromText('POINT(1 2)'), '123e4567-e89b-12d3-a456-426614174000', '::1', 'Grüße')`,
        'INSERT INTO crm.types (id) VALUES (2)',
      );
      const { rows } = await sampleOf('types');
      expect(rows[0]).toEqual([
        '1',
        '12345678901234567890.12',
        '0.5',
        '2026-11-27',
        '2026-11-27 08:09:10.123',
        '2026',
        '5',
        'b',
        'x,y',
        '{"a": 1}',
        'ü'.repeat(4_096),
        'Grüße',
        null,
        null,
        '123e4567-e89b-12d3-a456-426614174000',
        '::1',
        'Grüße',
      ]);
      expect(rows[1]).toEqual(['2', ...Array.from({ length: 16 }, () => null)]);
      await server.administer('DROP TABLE crm.types');
    });

    test('have the columns that the login may read, or are denied', async () => {
      await server.administer(
        'CREATE TABLE shop.pay (id INT, name TEXT, iban TEXT)',
        "INSERT INTO shop.pay VALUES (1, 'Ada', 'DE89')",
        'CREATE TABLE shop.listed (id INT)',
        `CREATE USER some@'%' IDENTIFIED BY '${PASSWORD}'`,
        "GRANT SELECT (id, name) ON shop.pay TO some@'%'",
        "GRANT SHOW VIEW ON shop.listed TO some@'%'",
      );
      const rest = { user: 'some', database: 'shop' };
      const sample = await sampleOf('pay', BOUNDS, rest);
      expect(sample.columns.map(({ name }) => name)).toEqual(['id', 'name']);
      expect(sample.rows).toEqual([['1', 'Ada']]);
      expect(await withSession((session) => session.sample('listed', BOUNDS), rest)).toEqual({
        state: 'denied',
      });
      expect(await withSession((session) => session.sample('gone', BOUNDS), rest)).toEqual({ state: 'gone' });
      await server.administer('DROP TABLE shop.pay, shop.listed');
    });

    test('have the grants that the login is shown', async () => {
      await server.administer('CREATE TABLE crm.people (name TEXT)');
      expect(await withSession((session) => session.permissions('people'))).toEqual({
        grants: [
          { principal: 'reader@%', principalKind: 'user', external: false, role: 'read', inherited: true },
        ],
        complete: false,
      });
      await server.administer('DROP TABLE crm.people');
    });
  });

  describe('bounds', () => {
    test('a table that somebody locks is given up after the bound of locks', async () => {
      await server.administer(
        'CREATE TABLE crm.busy (id INT PRIMARY KEY)',
        'INSERT INTO crm.busy VALUES (1)',
      );
      const other = await server.session();
      await other.run('LOCK TABLES crm.busy WRITE');
      const started = performance.now();
      expect(await refusal(withSession((session) => session.sample('busy', BOUNDS)))).toMatchObject({
        safeDiagnostic: 'sql_locked',
        retryClass: 'transient',
      });
      expect(performance.now() - started).toBeLessThan(5_000);
      // The catalogue is read all the same.
      const entries = await withSession((session) =>
        session.tables({ schemas: null, after: null, limit: 10 }),
      );
      expect(entries.map(({ id }) => id)).toEqual(['busy']);
      await other.close();
      await server.administer('DROP TABLE crm.busy');
    });

    test('a view that computes too long is ended by the server at its bound', async () => {
      await server.administer('CREATE VIEW crm.slow AS SELECT SLEEP(60) AS waited');
      const started = performance.now();
      expect(await withSession((session) => session.sample('slow', BOUNDS))).toEqual({ state: 'denied' });
      expect(performance.now() - started).toBeLessThan(6_900);
      const [running] = await server.administer(
        "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE '%slow%' AND USER = 'reader'",
      );
      expect(running).toEqual([]);
      await server.administer('DROP VIEW crm.slow');
    });

    test('very many tables are listed in bounded pages, each once', async () => {
      await server.administer('CREATE DATABASE many', "GRANT SELECT ON many.* TO reader@'%'");
      const owner = await server.session();
      for (let table = 0; table < TABLES; table++)
        await owner.run(`CREATE TABLE many.t${table} (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE = MyISAM`);
      await owner.close();
      const ids = new Set<string>();
      let pages = 0;
      await withSession(
        async (session) => {
          for (let after: string | null = null; pages < 60; pages++) {
            const entries = await session.tables({ schemas: null, after, limit: 200 });
            for (const { id } of entries) ids.add(id);
            after = entries.at(-1)?.id ?? null;
            if (entries.length < 200) break;
          }
        },
        { database: 'many' },
      );
      expect(ids.size).toBe(TABLES);
      expect(pages).toBe(TABLES / 200);
      // To drop them takes as long as to make them. They go with the server.
    });

    test('a very large table is sampled from all its parts by few reads', async () => {
      await server.administer(
        'CREATE TABLE crm.visits (id BIGINT PRIMARY KEY, visitor VARCHAR(40))',
        `INSERT INTO crm.visits SELECT seq, CONCAT('visitor ', seq) FROM crm.seq_1_to_${ROWS}`,
        'ANALYZE TABLE crm.visits',
      );
      const counted = async () => {
        const [status = []] = await server.administer(
          "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Handler_read%' OR Variable_name = 'Innodb_buffer_pool_read_requests'",
        );
        const of = (isIt: (name: string) => boolean) =>
          status
            .filter(({ Variable_name: name }) => isIt(String(name)))
            .reduce((sum, { Value: value }) => sum + Number(value), 0);
        return {
          rows: of((name) => name.startsWith('Handler')),
          blocks: of((name) => name.startsWith('Innodb')),
        };
      };
      // The server still tidies up after the rows and tables of other tests.
      let before = await counted();
      await expect
        .poll(
          async () => {
            const earlier = before;
            before = await counted();
            return before.blocks - earlier.blocks;
          },
          { interval: 500 },
        )
        .toBeLessThan(100);
      const started = performance.now();
      const sample = await sampleOf('visits');
      expect(performance.now() - started).toBeLessThan(5_000);
      const after = await counted();
      const [[size] = []] = await server.administer(
        "SELECT DATA_LENGTH / 16384 AS blocks FROM information_schema.TABLES WHERE TABLE_NAME = 'visits'",
      );
      expect(after.rows - before.rows).toBeLessThan(10_000);
      // Each look at a block counts, also at the same one again.
      expect(after.blocks - before.blocks).toBeLessThan(Number(size?.blocks) / 100 + 5_000);
      const tenths = new Set(sample.rows.map(([id]) => Math.floor((10 * Number(id)) / ROWS)));
      expect([...tenths].filter((tenth) => tenth < 10)).toHaveLength(10);
      expect(sample.rows.length).toBeGreaterThan(900);
      expect(new Set(sample.rows.map(([id]) => id)).size).toBe(sample.rows.length);
      expect(await sampleOf('visits')).toEqual(sample);
      await server.administer('DROP TABLE crm.visits');
    });

    test('a sample by keys of texts, bytes and times has rows of all parts', async () => {
      await server.administer(
        'CREATE TABLE crm.by_text (id CHAR(36) PRIMARY KEY, n INT)',
        'INSERT INTO crm.by_text SELECT MD5(seq), seq FROM crm.seq_1_to_20000',
        'CREATE TABLE crm.by_bytes (id BINARY(16) PRIMARY KEY, n INT)',
        'INSERT INTO crm.by_bytes SELECT UNHEX(MD5(seq)), seq FROM crm.seq_1_to_20000',
        'CREATE TABLE crm.by_time (at DATETIME, id INT, n INT, PRIMARY KEY (at, id))',
        "INSERT INTO crm.by_time SELECT '2020-01-01' + INTERVAL seq HOUR, seq, seq FROM crm.seq_1_to_20000",
      );
      for (const table of ['by_text', 'by_bytes', 'by_time']) {
        const { rows } = await sampleOf(table, { ...BOUNDS, maxRows: 320 });
        const numbers = rows.map((row) => Number(row.at(-1)));
        expect(new Set(numbers).size).toBe(numbers.length);
        expect(new Set(numbers.map((number) => Math.floor(number / 2_000))).size).toBeGreaterThanOrEqual(10);
        expect(numbers.length).toBeGreaterThan(250);
      }
      await server.administer('DROP TABLE crm.by_text, crm.by_bytes, crm.by_time');
    });

    test('a small table is read wholly, and no more characters than asked for', async () => {
      await server.administer(
        'CREATE TABLE crm.small (id INT PRIMARY KEY, note TEXT)',
        "INSERT INTO crm.small SELECT seq, REPEAT('x', 98) FROM crm.seq_1_to_50",
      );
      expect((await sampleOf('small')).rows).toHaveLength(50);
      expect((await sampleOf('small', { ...BOUNDS, maxBytes: 1_000 })).rows.length).toBeLessThan(15);
      await server.administer('DROP TABLE crm.small');
    });
  });
});
