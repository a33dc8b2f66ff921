import { inTransactionOf, withClient } from '../../core/db/client.ts';
import { ensureDatabase, ensureLogin, urlOf } from '../../core/db/provision.ts';
import {
  cardNumber,
  dayOf,
  diagnosis,
  germanTaxId,
  iban,
  nationalInsuranceNumber,
  phoneNumber,
} from './fixture/identifiers.ts';
import { money, person, product } from './fixture/people.ts';
import { type Random, seededRandom } from './fixture/random.ts';
import { grantsTo, IS_FILLED, ROWS, TABLES } from './fixture-tables.sql.ts';
import { SUPERUSER } from './postgres-home.ts';

const DATABASE = 'nordwind';
const READER = 'nordwind_reader';
const CONNECTION = 'SVC_LOCAL_SQL_CONNECTION';

/**
 * Fills a database of the local Postgres with made-up tables, once, and lets a login read some of them. Returns the
 * settings with which the service reads it. Without TLS, which the local Postgres does not have.
 */
export async function fixtureTables(adminUrl: string, password: string): Promise<Record<string, string>> {
  await ensureDatabase(adminUrl, { name: DATABASE, owner: SUPERUSER });
  await withClient(urlOf(adminUrl, { database: DATABASE }), (client) =>
    inTransactionOf(client, async () => {
      await ensureLogin(client, { name: READER, password });
      if ((await client.query(IS_FILLED)).rowCount !== 0) return;
      for (const statement of TABLES) await client.query(statement);
      for (const [table, rows] of Object.entries(madeUpRows()))
        await client.query(ROWS[table as keyof typeof ROWS], [JSON.stringify(rows)]);
      for (const statement of grantsTo(READER)) await client.query(statement);
    }),
  );
  const url = new URL(urlOf(adminUrl, { database: DATABASE, login: { name: READER, password } }));
  url.searchParams.set('sslmode', 'disable');
  return {
    SVC_SQL_ENABLED: 'true',
    SVC_SQL_CONNECTION_REF: CONNECTION,
    [CONNECTION]: url.href,
    SVC_SQL_SCHEMAS: 'sales,hr,support',
  };
}

const many = <Row>(count: number, row: (id: number) => Row): Row[] =>
  Array.from({ length: count }, (_, at) => row(at + 1));

const CUSTOMERS = 2_000;
const EMPLOYEES = 240;

function madeUpRows(): Record<keyof typeof ROWS, object[]> {
  const r = seededRandom('tables');
  return {
    customers: many(CUSTOMERS, (customer_id) => {
      const { name, email, street, city } = person(r, 'customers.example');
      const more = { phone: phoneNumber(r), street, city, iban: iban(r, r.pick(['DE', 'GB', 'FR', 'ES'])) };
      return { customer_id, name, email, ...more, since: dayOf(r, 2024) };
    }),
    payments: many(5_000, (payment_id) => ({
      payment_id,
      customer_id: r.int(1, CUSTOMERS),
      paid_on: dayOf(r, r.pick([2025, 2026])),
      amount: r.int(1_000, 900_000) / 100,
      card_number: cardNumber(r),
    })),
    products: ['NW-100', 'NW-220', 'NW-310', 'NW-450', 'NW-500'].map((name) => ({
      product: name,
      price: r.int(90, 900),
    })),
    employees: many(EMPLOYEES, (employee_id) => employee(r, employee_id)),
    absences: many(120, () => ({
      employee_id: r.int(1, EMPLOYEES),
      began: dayOf(r, 2026),
      diagnosis: diagnosis(r).join(' '),
    })),
    salaries: many(EMPLOYEES, (employee_id) => ({ employee_id, amount: r.int(30_000, 120_000) })),
    tickets: many(600, (ticket_id) => ticket(r, ticket_id)),
  };
}

function employee(r: Random, employee_id: number) {
  const { name, email } = person(r);
  return {
    employee_id,
    name,
    email,
    department: r.pick(['Operations', 'Finance', 'Sales', 'People']),
    tax_id: germanTaxId(r),
    national_insurance: nationalInsuranceNumber(r),
    born: dayOf(r, r.int(1962, 2004)),
  };
}

function ticket(r: Random, ticket_id: number) {
  const { name, email } = person(r, 'customers.example');
  const about = product(r);
  const asks = r.pick([
    `Please call me back at ${phoneNumber(r)}.`,
    `Please refund ${money(r, 20, 900)} EUR to ${iban(r, 'DE')}.`,
    `Answer to ${email}, my old address no longer works.`,
    'The display stays dark after the update.',
  ]);
  return {
    ticket_id,
    opened: `${dayOf(r, 2026)}T09:00:00Z`,
    subject: `Question about ${about}`,
    body: `Hello, I have a question about ${about}. ${asks} Kind regards, ${name}`,
  };
}
