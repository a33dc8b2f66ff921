import { describe, expect, test } from 'vitest';
import { BUSINESS_FUNCTIONS } from '../../../core/ai/knowledge/business-functions.ts';
import { GEOGRAPHIES } from '../../../core/ai/knowledge/geographies.ts';
import { REGULATIONS } from '../../../core/ai/knowledge/regulations.ts';
import { SECTORS } from '../../../core/ai/knowledge/sectors.ts';
import { mockAiProvider } from '../../../core/ai/mock.ts';
import { mockTaxonomy } from '../../../core/ai/mock-taxonomy.ts';
import type { TaxonomyInput, TaxonomyProposal } from '../../../core/ai/taxonomy-proposal.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';

const detectors = DETECTORS.map(({ id, title }) => ({ id, title }));
const section = (ref: string, text: string, heading = 'Section') => ({ ref, title: 'Policy', heading, text });
const propose = (
  profile: Partial<TaxonomyInput['profile']>,
  sections: TaxonomyInput['sections'] = [],
): Promise<TaxonomyProposal> =>
  mockTaxonomy.propose(
    {
      profile: { name: 'Example', industries: [], geographies: [], description: '', ...profile },
      sections,
      detectors,
    },
    new AbortController().signal,
  );
const domainsOf = ({ domains }: TaxonomyProposal) => domains.map(({ name }) => name);
const regulationsOf = ({ domains }: TaxonomyProposal) => [
  ...new Set(
    domains.flatMap(({ regulatoryMappings }) =>
      regulatoryMappings.map(({ regulation }) => /\(([^),]+)/.exec(regulation)?.[1] ?? regulation),
    ),
  ),
];

describe('the catalogue', () => {
  const all = [...BUSINESS_FUNCTIONS, ...SECTORS];

  test('knows domains of many industries and regulations of many places', () => {
    expect(all.length).toBeGreaterThanOrEqual(18);
    expect(REGULATIONS.length).toBeGreaterThanOrEqual(25);
  });

  test('names existing detectors, regions with places, and domains of its own, each once', () => {
    const known = new Set(detectors.map(({ id }) => id));
    const named = [
      ...all.flatMap(({ informationTypes }) => informationTypes.flatMap((type) => type.detectors)),
      ...GEOGRAPHIES.flatMap(({ identityDetectors }) => identityDetectors),
    ];
    expect(named.filter((id) => !known.has(id))).toEqual([]);
    const regions = new Set(GEOGRAPHIES.flatMap((place) => place.regions));
    expect(REGULATIONS.flatMap((each) => each.regions).filter((region) => !regions.has(region))).toEqual([]);
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(REGULATIONS.flatMap(({ domains }) => domains).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('has texts in every domain and type, and is found whole by its own words', async () => {
    for (const { name, description, inclusion, exclusion, informationTypes } of all) {
      expect(
        [name, description, inclusion, exclusion].every((text) => text !== ''),
        name,
      ).toBe(true);
      for (const type of informationTypes) {
        expect(
          type.definition !== '' && type.sensitivityRationale !== '' && type.keywords.length > 2,
          type.name,
        ).toBe(true);
      }
    }
    const industries = SECTORS.map((sector) => sector.industries[0] ?? '');
    const everything = await propose({ industries, geographies: GEOGRAPHIES.map(({ name }) => name) });
    expect(domainsOf(everything)).toEqual(all.map(({ name }) => name));
    const fromCatalogue = new Set(
      everything.domains.flatMap((domain) => domain.regulatoryMappings.map(({ regulation }) => regulation)),
    );
    expect(REGULATIONS.map(({ name }) => name).filter((name) => !fromCatalogue.has(name))).toEqual([]);
  });
});

describe('the mock', () => {
  test('says that it is one, and answers the same to the same', async () => {
    expect(mockAiProvider).toMatchObject({
      name: 'mock',
      mode: 'mock',
      taxonomy: { model: 'business-catalogue-v1' },
    });
    const profile = { industries: ['Banking', 'Insurance'], geographies: ['Germany'] };
    expect(await propose(profile)).toEqual(await propose(profile));
  });

  test.each([
    ['Banking', 'Germany', 'Banking and Payments', ['GDPR', 'DORA', 'NIS2', 'BDSG', 'PSD2', 'PCI DSS']],
    ['Retail banking', 'California', 'Banking and Payments', ['CCPA', 'GLBA', 'SOX', 'PCI DSS']],
    ['Healthcare', 'United States', 'Patient Care', ['HIPAA', 'SOX']],
    ['Energy & Utilities', 'France', 'Energy and Critical Operations', ['GDPR', 'NIS2']],
    ['E-commerce', 'Brasil', 'Orders and Loyalty', ['LGPD', 'PCI DSS']],
    ['Higher education', 'US', 'Students and Teaching', ['FERPA']],
    ['Versicherung', 'Schweiz', 'Insurance', ['FADP']],
    ['FinTech', 'Germany', 'Banking and Payments', ['DORA', 'PSD2']],
    ['SaaS', 'Canada', 'Software and Product Development', []],
    ['University hospitals', 'US', 'Patient Care', ['HIPAA']],
  ])('%s in %s', async (industry, geography, domain, regulations) => {
    const proposal = await propose({ industries: [industry], geographies: [geography] });
    expect(domainsOf(proposal)).toContain(domain);
    expect(regulationsOf(proposal)).toEqual(expect.arrayContaining(regulations));
  });

  test('proposes no sector and no regulation of elsewhere', async () => {
    const bank = await propose({ industries: ['Banking'], geographies: ['Germany'] });
    expect(domainsOf(bank)).not.toContain('Patient Care');
    for (const foreign of ['HIPAA', 'CCPA', 'LGPD', 'SOX'])
      expect(regulationsOf(bank)).not.toContain(foreign);
    const hotel = await propose({ industries: ['Hospitality'], description: 'Publicly listed since 1999.' });
    expect(domainsOf(hotel)).toEqual([...BUSINESS_FUNCTIONS.map(({ name }) => name), 'Orders and Loyalty']);
    const cardiology = await propose({ industries: ['Cardiology portfolio'], geographies: ['Norfolk'] });
    expect(domainsOf(cardiology)).toEqual(BUSINESS_FUNCTIONS.map(({ name }) => name));
    expect(regulationsOf(cardiology)).toEqual([]);
  });

  test('reads the policies: their sectors, and regulations with the section cited', async () => {
    const policies = [
      section('s1', 'Every patient is told how long a diagnosis is kept.'),
      section('s2', 'Treatment of a patient is documented. We follow the HIPAA security rule.', 'Patients'),
      section('s3', 'Passwords are changed after an incident, as NIS 2 asks for.'),
    ];
    const without = await propose({});
    expect(domainsOf(without)).not.toContain('Patient Care');
    expect(regulationsOf(without)).toEqual([]);
    const proposal = await propose({}, policies);
    const mappings = (name: string) =>
      proposal.domains.find((domain) => domain.name === name)?.regulatoryMappings ?? [];
    expect(mappings('Patient Care')).toMatchObject([
      { regulation: expect.stringContaining('HIPAA'), jurisdiction: 'United States', citedSection: 's2' },
    ]);
    expect(mappings('Information Technology and Security')).toMatchObject([
      { regulation: expect.stringContaining('NIS2'), citedSection: 's3' },
    ]);
  });

  test('gives types that name people the identity numbers of where they are', async () => {
    const personnel = (proposal: TaxonomyProposal) =>
      proposal.domains
        .flatMap((domain) => domain.informationTypes)
        .find(({ name }) => name === 'Personnel files')?.detectors ?? [];
    expect(personnel(await propose({ geographies: ['Italy'] }))).toContain('it_fiscal_code');
    expect(personnel(await propose({ geographies: ['Poland'] }))).not.toContain('it_fiscal_code');
  });

  test('stops when the caller does', async () => {
    const input = {
      profile: { name: 'x', industries: [], geographies: [], description: '' },
      sections: [],
      detectors,
    };
    await expect(mockTaxonomy.propose(input, AbortSignal.abort())).rejects.toMatchObject({
      failure: 'aborted',
    });
  });
});
