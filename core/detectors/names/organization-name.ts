import { defineDetector } from '../detector.ts';
import { sharedNames } from './reading.ts';

/** Low weight, because nearly every business text contains names of companies. */
export const organizationName = defineDetector({
  id: 'organization_name',
  version: 4,
  family: 'organization',
  title: 'Name of an organization',
  find: (reading) =>
    sharedNames(reading).organization.map((span) => ({ ...span, verdict: 'shape' as const })),
  context: [
    ...[
      'company',
      'employer',
      'organization',
      'organisation',
      'works for',
      'works at',
      'supplier',
      'vendor',
      'firma',
      'arbeitgeber',
    ],
    ...[
      'unternehmen',
      'societe',
      'employeur',
      'entreprise',
      'empresa',
      'azienda',
      'societa',
      'empregador',
      'bedrijf',
      'werkgever',
    ],
    ...['pracodawca', 'spolka'],
  ],
  confidence: { pattern: 0.2, context: 0.4 },
  examples: {
    hits: [
      'She works for Hooli',
      'an invoice from Northwind Traders Ltd.',
      'Company: Contoso',
      'Siemens AG, Munich',
      'Johnson & Sons delivered the timber',
      'a partner at the law firm of Okafor and Lindqvist',
    ],
    misses: ['a limited company', 'our group of partners', 'THE COMPANY', 'group.inc'],
  },
});
