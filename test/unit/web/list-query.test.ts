import { expect, test } from 'vitest';
import { listParams } from '../../../web/assets/list-query.ts';

test('the order of the address is asked for, unless something is searched for', () => {
  expect(listParams({ sort: 'name', domain: 'dom_1' })).toEqual({ sort: 'name', domainId: 'dom_1' });
  // The service refuses a search with an order of its own.
  expect(listParams({ sort: 'name', q: 'invoice' })).toEqual({ q: 'invoice' });
});

test('an order or a filter that the service does not know is left out', () => {
  expect(listParams({ sort: 'colour', severity: 'purple', q: 'a' })).toEqual({ q: 'a' });
  expect(listParams({ sort: 'colour' })).toEqual({});
});
