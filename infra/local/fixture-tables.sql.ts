/**
 * The made-up database of `npm start -- --sql`, statement by statement. It has what a scan finds in one: personal data,
 * free text, a table that every login can read, one that nobody granted, one whose rows are filtered, a table in parts and
 * views. Rows come as JSON.
 */
export const TABLES = [
  `create schema sales`,
  `create schema hr`,
  `create schema support`,
  `create table sales.customers (
     customer_id int primary key, name text not null, email text not null, phone text, street text, city text,
     iban text, since date not null)`,
  `comment on table sales.customers is 'People and firms that buy instruments'`,
  `comment on column sales.customers.iban is 'Account for refunds'`,
  `create table sales.payments (
     payment_id int not null, customer_id int not null references sales.customers, paid_on date not null,
     amount numeric(10, 2) not null, card_number text not null) partition by range (paid_on)`,
  `create table sales.payments_2025 partition of sales.payments for values from ('2025-01-01') to ('2026-01-01')`,
  `create table sales.payments_2026 partition of sales.payments for values from ('2026-01-01') to ('2027-01-01')`,
  `create table sales.products (product text primary key, price numeric(10, 2) not null)`,
  `create view sales.customer_directory as select name, email, city from sales.customers`,
  `create table hr.employees (
     employee_id int primary key, name text not null, email text not null, department text not null, tax_id text,
     national_insurance text, born date)`,
  `comment on table hr.employees is 'Staff records'`,
  `create table hr.absences (employee_id int not null references hr.employees, began date not null, diagnosis text not null)`,
  `create table hr.salaries (employee_id int primary key references hr.employees, amount numeric(10, 2) not null)`,
  `create table support.tickets (
     ticket_id int primary key, opened timestamptz not null, subject text not null, body text not null)`,
] as const;

/** Who can read what. Row security lets the reader see the staff of one department. */
export const grantsTo = (reader: string) => [
  `grant usage on schema sales, hr, support to ${reader}`,
  `grant select on all tables in schema sales, support to ${reader}`,
  `grant select on hr.employees, hr.absences to ${reader}`,
  `grant usage on schema support to public`,
  `grant select on support.tickets to public`,
  `alter table hr.employees enable row level security`,
  `create policy operations_only on hr.employees for select using (department = 'Operations')`,
];

export const ROWS = {
  customers: `insert into sales.customers
    select * from jsonb_to_recordset($1::jsonb)
      as r (customer_id int, name text, email text, phone text, street text, city text, iban text, since date)`,
  payments: `insert into sales.payments
    select * from jsonb_to_recordset($1::jsonb)
      as r (payment_id int, customer_id int, paid_on date, amount numeric, card_number text)`,
  products: `insert into sales.products
    select * from jsonb_to_recordset($1::jsonb) as r (product text, price numeric)`,
  employees: `insert into hr.employees
    select * from jsonb_to_recordset($1::jsonb)
      as r (employee_id int, name text, email text, department text, tax_id text, national_insurance text, born date)`,
  absences: `insert into hr.absences
    select * from jsonb_to_recordset($1::jsonb) as r (employee_id int, began date, diagnosis text)`,
  salaries: `insert into hr.salaries
    select * from jsonb_to_recordset($1::jsonb) as r (employee_id int, amount numeric)`,
  tickets: `insert into support.tickets
    select * from jsonb_to_recordset($1::jsonb) as r (ticket_id int, opened timestamptz, subject text, body text)`,
} as const;

export const IS_FILLED = `select from pg_catalog.pg_namespace where nspname = 'support'`;
