import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { similarDomains } from '../../../core/governance/similar-names.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** What each of these names is told to be like. */
const told = (...names: string[]) =>
  Object.fromEntries(
    [
      ...similarDomains(
        names.map((name, at) => ({ domainId: `dom_${at}`, name })),
        () => true,
      ),
    ].map(([domainId, similar]) => [names[Number(domainId.slice(4))], similar.map(({ name }) => name)]),
  );

describe('names of domains', () => {
  test.each([
    // The same words.
    ['Human Resources', 'human resource'],
    ['Human Resources', 'Resources, Human'],
    ['Sales and Marketing', 'Marketing & Sales'],
    ['Health & Safety', 'Safety and Health'],
    ['Health Safety', 'Health & Safety'],
    ['Research and Development', 'Research + Development'],
    ['The Office of Legal', 'Legal'],
    ['Recht und Verträge', 'Vertrage, Recht'],
    ['Healthcare', 'Health Care'],
    ['E-Commerce', 'Ecommerce'],
    ['eCommerce', 'Ecommerce'],
    ['customerService', 'Customer Services'],
    ['Finance Department', 'Finance'],
    ['Risk Management', 'Risks'],
    // A slip, or the other spelling.
    ['Marketing', 'Marketting'],
    ['Procurement', 'Procurment'],
    ['Accounting', 'Acocunting'],
    ['Public Organizations', 'Public Organisations'],
    // One has all that the other has.
    ['Finance', 'Finance & Accounting'],
    ['Finance', 'Accounting and Finance'],
    ['Health and Safety', 'Health, Safety and Environment'],
    ['Legal', 'Legal/Compliance'],
    ['Sales', 'Sales - EMEA'],
    // A kind of it.
    ['Finance', 'Corporate Finance'],
    ['Information Security', 'Security'],
    ['Tax', 'Sales Tax'],
    ['Information Security', 'IT and Security'],
    // Initials.
    ['HR', 'Human Resources'],
    ['Human Resources (HR)', 'Human Resources'],
    ['Human Resources (HR)', 'HR'],
    ['hr & payroll', 'Human Resources'],
    ['R&D', 'Research and Development'],
    ['I.T.', 'Information Technology'],
    ['IT', 'Information Technology'],
    ['IT Security', 'Information Technology Security'],
    ['HSE', 'Health, Safety and Environment'],
    ['HRM', 'Human Resource Management'],
    ['IT', 'IT Department'],
  ])('%s is like %s', (one, other) => {
    expect(told(one, other)).toEqual({ [one]: [other], [other]: [one] });
  });

  test.each([
    // What the word stands before is the field.
    ['Sales', 'Sales Tax'],
    ['Product', 'Product Liability'],
    ['Customer Service', 'Customer'],
    // Each has something of its own.
    ['Sales and Marketing', 'Marketing and Communications'],
    ['Human Resources', 'Human Rights'],
    ['Data Protection', 'Data Quality'],
    ['Region 1', 'Region 2'],
    // No slip.
    ['Quality', 'Equality'],
    ['Patients', 'Patents'],
    ['Legal', 'Regal'],
    ['Compliance', 'Complaints'],
    ['Tax', 'Fax'],
    // Not the initials, or not of words that tell something.
    ['PR', 'Procurement'],
    ['IT', 'Italy'],
    ['HR', 'Human and Fair Resources'],
    ['IT', 'What It Is'],
    // Nothing in common but how people are organized.
    ['Legal Department', 'Finance Department'],
    ['Risk Management', 'Asset Management'],
    ['???', '!!!'],
  ])('%s is not like %s', (one, other) => {
    expect(told(one, other)).toEqual({ [one]: [], [other]: [] });
  });

  test('are compared for those that are asked about, with all others and in their order', () => {
    const domains = ['Finance', 'HR', 'Finance & Accounting', 'Financial Crime', 'Corporate Finance'].map(
      (name) => ({ domainId: `dom_${name}`, name }),
    );
    expect(similarDomains(domains, (id) => id === 'dom_Finance' || id === 'dom_HR')).toEqual(
      new Map([
        ['dom_Finance', [domains[2], domains[4]]],
        ['dom_HR', []],
      ]),
    );
  });

  test('of more than ten that are alike ten are told', () => {
    const names = Array.from({ length: 15 }, (_, at) => `Finance ${'& Tax '.repeat(at)}`);
    expect(told(...names)[names[0] ?? '']).toHaveLength(10);
  });

  test('are alike in both directions', () => {
    const name = fc
      .array(
        fc.constantFrom('Human', 'resources', 'HR', '&', 'and', 'IT', 'tax', 'Sales', ',', 'team', 'of'),
        {
          minLength: 1,
          maxLength: 6,
        },
      )
      .map((parts) => parts.join(' '));
    fc.assert(
      fc.property(name, name, (one, other) => {
        const similar = similarDomains(
          [
            { domainId: 'one', name: one },
            { domainId: 'other', name: other },
          ],
          () => true,
        );
        expect(similar.get('one')?.length).toBe(similar.get('other')?.length);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('are compared by their first twelve words', () => {
    const twelve = Array.from({ length: 12 }, (_, at) => `Word${at}x`).join(' ');
    expect(told(`${twelve} one`, `${twelve} two`)[`${twelve} one`]).toHaveLength(1);
    const eleven = twelve.replace(' Word11x', '');
    expect(told(`${eleven} one`, `${eleven} two`)[`${eleven} one`]).toHaveLength(0);
  });
});
