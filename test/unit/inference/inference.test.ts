import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mockAiProvider } from '../../../core/ai/mock.ts';
import type { Signal } from '../../../core/detectors/detector.ts';
import { NO_ANSWERS } from '../../../core/inference/answers-so-far.ts';
import type { RelatedDecision } from '../../../core/inference/contributions.ts';
import { deriveFeatures, type FeatureInput } from '../../../core/inference/features.ts';
import {
  bandOf,
  confidenceOf,
  FIRST_ENSEMBLE,
  type InferenceInput,
  infer,
  isCandidate,
} from '../../../core/inference/inference.ts';
import {
  indexTaxonomy,
  type Taxonomy,
  type TaxonomyInformationType,
  taxonomyText,
} from '../../../core/inference/taxonomy-index.ts';

const domain = (domainId: string, name: string, inclusion: string, exclusion: string) => ({
  domainId,
  name,
  description: `What ${name} governs.`,
  inclusion,
  exclusion,
});
const informationType = (
  informationTypeId: string,
  domainId: string,
  name: string,
  definition: string,
  detectors: string[],
  keywords: string[],
): TaxonomyInformationType => ({
  informationTypeId,
  domainId,
  name,
  definition,
  sensitivity: 'confidential',
  indicators: { detectors, keywords },
});

const TAXONOMY: Taxonomy = {
  domains: [
    domain('dom_finance', 'Finance', 'Invoices, payments and ledgers.', 'Salaries and wages of employees.'),
    domain('dom_people', 'People', 'Employment, wages and absence.', 'Invoices of suppliers.'),
  ],
  informationTypes: [
    informationType(
      'ift_invoices',
      'dom_finance',
      'Supplier invoices',
      'Bills for goods or services with the amount due.',
      ['iban', 'email_address'],
      ['invoice', 'amount due', 'rechnung'],
    ),
    informationType(
      'ift_cards',
      'dom_finance',
      'Payment cards',
      'Card numbers of customers.',
      ['credit_card'],
      ['card number', 'expiry date'],
    ),
    informationType(
      'ift_payroll',
      'dom_people',
      'Payroll',
      'What employees are paid: salary, bonus and deductions.',
      ['salary_amount', 'email_address'],
      ['salary', 'gross pay', 'date of payment'],
    ),
  ],
};
const INDEX = indexTaxonomy(TAXONOMY, null);
const ids = INDEX.types.map(({ type }) => type.informationTypeId);

const signal = (detectorId: string, count = 3, confidence = 0.9): Signal => ({
  detectorId,
  detectorVersion: 1,
  family: 'bank',
  count,
  confidence,
  tiers: { checksum: count },
  positions: [],
});
const features = (input: Partial<FeatureInput> = {}) =>
  deriveFeatures({
    name: 'scan',
    path: '',
    text: null,
    title: '',
    contentHash: null,
    signals: [],
    embedding: null,
    ...input,
  });
const run = (input: Partial<InferenceInput>) =>
  infer({
    features: features(),
    taxonomy: INDEX,
    ensemble: FIRST_ENSEMBLE,
    expectedDomainId: null,
    related: [],
    refusedBy: [],
    answers: NO_ANSWERS,
    ...input,
  });
const confidence = (input: Partial<InferenceInput>, id: string) =>
  run(input).find(({ informationTypeId }) => informationTypeId === id)?.confidence ?? 0;

const THIN_INVOICE =
  'Invoice 4711\nPlease pay the amount due of this invoice to our account. Bill for services of the supplier.';
const INVOICE = `${THIN_INVOICE} We were glad to be of help to you, and hope to hear from you again when spring has come to the garden.`;

describe('infer', () => {
  it('finds what a document is and says why, in words of the taxonomy', () => {
    const [best, ...others] = run({ features: features({ text: INVOICE, signals: [signal('iban')] }) });
    expect(best).toMatchObject({
      informationTypeId: 'ift_invoices',
      domainId: 'dom_finance',
      ensembleVersion: 1,
    });
    expect(best?.confidence).toBeGreaterThan(FIRST_ENSEMBLE.reviewHighThreshold);
    for (const other of others) expect(other.confidence).toBeLessThan(FIRST_ENSEMBLE.candidateThreshold);
    const reasons = Object.fromEntries(
      best?.contributions.map(({ name, evidence }) => [name, evidence]) ?? [],
    );
    expect(reasons.detector_signals).toEqual({ detectors: ['iban'] });
    expect(reasons.indicator_keywords).toEqual({ keywords: ['amount due', 'invoice'] });
    expect(reasons.lexical_similarity?.terms).toContain('supplier');
    expect(JSON.stringify(best)).not.toMatch(/4711|please|account/i);
  });

  it('has nothing to say of a document without a sign', () => {
    expect(run({ features: features({ text: 'Minutes of the garden club: roses and tulips.' }) })).toEqual(
      [],
    );
    expect(run({})).toEqual([]);
  });

  it('adds up, with the starting point, to the confidence that it states', () => {
    for (const { confidence, contributions } of run({ features: features({ text: INVOICE }) })) {
      expect(confidenceOf(contributions)).toBe(confidence);
      for (const { weight, score, value } of contributions) expect(value).toBe(weight * score);
    }
  });

  it('finds a phrase by its words in a row, in the text as in the approved keyword', () => {
    const of = (text: string) =>
      run({ features: features({ text }) })[0]?.contributions.map(({ evidence }) => evidence);
    expect(of('The gross pay, and the date of the payment.')).toContainEqual({
      keywords: ['date of payment', 'gross pay'],
    });
    expect(JSON.stringify(of('The pay was gross; payment has a date.') ?? '')).not.toContain('keywords');
  });

  it('reads the name and the folders of an asset whose content cannot be read', () => {
    const named = features({
      name: 'Supplier-Invoices_2024.pdf',
      path: 'Finance/Invoices/Supplier-Invoices_2024.pdf',
    });
    expect(run({ features: named })[0]).toMatchObject({ informationTypeId: 'ift_invoices' });
    expect(named.nameTerms).toEqual(['supplier', 'invoice']);
    expect(named.pathTerms).toEqual(['finance', 'invoice']);
  });

  it('is moved by the domain that governs the place, and a little against the others', () => {
    const of = (expectedDomainId: string | null) => ({
      features: features({ text: INVOICE }),
      expectedDomainId,
    });
    expect(confidence(of('dom_finance'), 'ift_invoices')).toBeGreaterThan(
      confidence(of(null), 'ift_invoices'),
    );
    expect(confidence(of('dom_people'), 'ift_invoices')).toBeLessThan(confidence(of(null), 'ift_invoices'));
  });

  it('follows what owners said of copies as far as the ensemble allows, and only then', () => {
    const related = (outcome: RelatedDecision['outcome'], kind: RelatedDecision['kind'] = 'exact') => [
      { kind, outcome, informationTypeId: 'ift_invoices' },
    ];
    const of = (decisions: RelatedDecision[], ensemble = FIRST_ENSEMBLE) =>
      confidence({ features: features({ text: INVOICE }), related: decisions, ensemble }, 'ift_invoices');
    expect(of(related('confirmed'))).toBeGreaterThan(of(related('confirmed', 'near')));
    expect(of(related('confirmed', 'near'))).toBeGreaterThan(of([]));
    expect(of(related('refused'))).toBeLessThan(of([]));
    expect(of([...related('refused'), ...related('confirmed')])).toBe(of([]));
    expect(of(related('confirmed'), { ...FIRST_ENSEMBLE, exactDupConfirmedBoost: 0 })).toBe(of([]));
    expect(confidence({ related: related('confirmed') }, 'ift_invoices')).toBeGreaterThan(0.7);
  });

  it('reads a title: the same words further down say less', () => {
    const filler = 'The roses of the garden are watered in the morning and again in the evening of the day. ';
    const of = (text: string, title = '') =>
      confidence({ features: features({ text, title }) }, 'ift_payroll');
    expect(of(`Payroll ${filler.repeat(4)}`)).toBeGreaterThan(of(`${filler.repeat(4)} Payroll`));
    expect(of(`${filler.repeat(4)} Payroll`, 'Payroll')).toBeGreaterThan(of(`${filler.repeat(4)} Payroll`));
  });

  it('weighs a word of the name in the title more than one of the definition', () => {
    const title = (text: string) =>
      run({ features: features({ text: 'What salary and gross pay of employees shall be.', title: text }) })
        .find(({ informationTypeId }) => informationTypeId === 'ift_payroll')
        ?.contributions.find(({ name }) => name === 'title_words')?.score ?? 0;
    expect(title('Payroll')).toBeGreaterThan(title('Deductions'));
    expect(title('Deductions')).toBeGreaterThan(0);
  });

  it('meets words of one meaning, whatever the language, and names them as approved', () => {
    const text = 'Lieferantenrechnung\nBitte begleichen Sie den Betrag dieser Rechnung.';
    const [best] = run({ features: features({ text }) });
    expect(best?.informationTypeId).toBe('ift_invoices');
    const evidence = JSON.stringify(best?.contributions.map((each) => each.evidence));
    expect(evidence).toContain('supplier invoice');
    expect(evidence).not.toMatch(/rechnung|betrag|begleichen/i);
  });

  it('finds an English text by a German definition, and names it in German', () => {
    const german = indexTaxonomy(
      {
        domains: [domain('dom_personal', 'Personalwesen', 'Gehälter und Urlaub.', '')],
        informationTypes: [
          informationType('ift_lohn', 'dom_personal', 'Gehälter', 'Was Mitarbeiter verdienen.', [], []),
        ],
      },
      null,
    );
    const [best] = run({
      taxonomy: german,
      features: features({ text: 'Salaries\nThe wages of our employees.' }),
    });
    const words = best?.contributions.find(({ name }) => name === 'lexical_similarity')?.evidence.terms;
    expect(words).toEqual(['gehalter', 'mitarbeiter']);
  });

  it('counts keywords of one meaning once', () => {
    const of = (keywords: string[]) => {
      const type = informationType('ift_a', 'dom_finance', 'Bills', 'Bills.', [], keywords);
      const taxonomy = indexTaxonomy({ domains: TAXONOMY.domains, informationTypes: [type] }, null);
      return run({ taxonomy, features: features({ text: INVOICE }) })[0]?.contributions.find(
        ({ name }) => name === 'indicator_keywords',
      );
    };
    expect(of(['invoice', 'rechnung', 'facture'])).toEqual(of(['invoice']));
  });

  it('is never confident of a text under 200 characters, and says so', () => {
    const of = (text: string) => run({ features: features({ text, signals: [signal('iban')] }) })[0];
    const [thin, thick] = [of(THIN_INVOICE), of(INVOICE)];
    expect(thick?.confidence).toBeGreaterThan(FIRST_ENSEMBLE.reviewHighThreshold);
    expect(thick?.contributions.map(({ name }) => name)).not.toContain('thin_text');
    expect(thin?.informationTypeId).toBe('ift_invoices');
    expect(thin?.confidence).toBeLessThan(FIRST_ENSEMBLE.reviewHighThreshold);
    expect(thin?.contributions.find(({ name }) => name === 'thin_text')?.evidence).toEqual({
      characters: THIN_INVOICE.length,
    });
    const padded = of(`${THIN_INVOICE}${' \n'.repeat(100)}`);
    expect(padded?.confidence).toBeLessThan(FIRST_ENSEMBLE.reviewHighThreshold);
  });

  it('lifts a short text that has a confirmed copy, also where the high threshold is 0', () => {
    const ensemble = { ...FIRST_ENSEMBLE, reviewLowThreshold: 0, reviewHighThreshold: 0 };
    const copy: RelatedDecision = { kind: 'exact', informationTypeId: 'ift_invoices', outcome: 'confirmed' };
    const [best] = run({ features: features({ text: THIN_INVOICE }), ensemble, related: [copy] });
    expect(best?.informationTypeId).toBe('ift_invoices');
    expect(best?.contributions.map(({ value }) => Number.isFinite(value))).not.toContain(false);
  });

  it('weighs a type against other domains, and not against those of its own', () => {
    const of = (text: string, id: string) => {
      const found = run({ features: features({ text }) }).find((each) => each.informationTypeId === id);
      return found?.contributions.find(({ name }) => name === 'rival_domains')?.score ?? Number.NaN;
    };
    const mixed = `${INVOICE} Salary, gross pay, bonus and deductions: what employees are paid.`;
    expect(of(INVOICE, 'ift_invoices')).toBeGreaterThan(0.9);
    expect(of(mixed, 'ift_invoices')).toBeLessThan(of(INVOICE, 'ift_invoices'));
    const twoOfOne = `${INVOICE} Payment cards: card number and expiry date of customers.`;
    expect(of(twoOfOne, 'ift_invoices')).toBeGreaterThan(of(mixed, 'ift_invoices'));
  });

  it('says in which way the decided assets are alike', () => {
    const near = (likeness: string, similarity: number): RelatedDecision => ({
      kind: 'near',
      informationTypeId: 'ift_invoices',
      outcome: 'confirmed',
      likeness,
      similarity,
    });
    const [best] = run({
      features: features({ text: INVOICE }),
      related: [near('same_template', 0.7), near('near_duplicate', 0.9)],
    });
    expect(best?.contributions.find(({ name }) => name === 'confirmed_near_copies')?.evidence).toEqual({
      confirmed: 2,
      refused: 0,
      likeness: ['near_duplicate', 'same_template'],
      similarity: 0.9,
    });
  });

  it('counts what a domain excludes against it', () => {
    const of = (text: string) =>
      run({ features: features({ text: `${INVOICE} ${text}` }) })
        .find(({ informationTypeId }) => informationTypeId === 'ift_invoices')
        ?.contributions.find(({ name }) => name === 'lexical_similarity');
    expect(of('employee wages')?.score).toBeLessThan(of('garden roses')?.score ?? 0);
    expect(of('employee wages')?.evidence.excluded).toEqual(['employee', 'salary']);
  });

  it('leaves out a type whose domain is not approved', () => {
    const taxonomy = indexTaxonomy({ ...TAXONOMY, domains: TAXONOMY.domains.slice(1) }, null);
    const found = run({ taxonomy, features: features({ text: INVOICE, signals: [signal('iban')] }) });
    expect(found.map(({ domainId }) => domainId)).not.toContain('dom_finance');
  });

  it('returns at most five', () => {
    const many = Array.from({ length: 12 }, (_, i) =>
      informationType(
        `ift_${i}`,
        'dom_finance',
        'Supplier invoices',
        'Bills.',
        [],
        ['invoice', `invoice kind ${i}`],
      ),
    );
    const taxonomy = indexTaxonomy({ ...TAXONOMY, informationTypes: many }, null);
    expect(run({ taxonomy, features: features({ name: 'supplier invoice', text: INVOICE }) })).toHaveLength(
      5,
    );
  });

  it('compares embeddings of the same model only', async () => {
    const never = new AbortController().signal;
    const texts = TAXONOMY.informationTypes.map((type) => {
      const of = TAXONOMY.domains.find(({ domainId }) => domainId === type.domainId);
      return of === undefined ? '' : taxonomyText(of, type);
    });
    const vectors = await mockAiProvider.embed([...texts, 'salary and bonus of employees'], never);
    const byType = new Map(
      TAXONOMY.informationTypes.map(({ informationTypeId }, i) => [
        informationTypeId,
        vectors[i] ?? new Float32Array(),
      ]),
    );
    const taxonomy = indexTaxonomy(TAXONOMY, { provider: 'mock', model: 'a', vectors: byType });
    const of = (model: string) => {
      const vector = vectors.at(-1) ?? new Float32Array();
      const found = run({
        taxonomy,
        expectedDomainId: 'dom_people',
        features: features({
          text: 'salary and bonus of employees',
          embedding: { provider: 'mock', model, vector },
        }),
      });
      return found.flatMap(({ informationTypeId, contributions }) =>
        contributions
          .filter(({ name }) => name === 'embedding_similarity')
          .map(({ score }) => ({ informationTypeId, score })),
      );
    };
    expect(of('a')[0]?.informationTypeId).toBe('ift_payroll');
    expect(of('a')[0]?.score).toBeGreaterThan(0.1);
    expect(of('b')).toEqual([]);
  });
});

const ROUNDING = 1e-12;

describe('properties', () => {
  const word = fc.constantFrom(
    ...['invoice', 'amount', 'due', 'salary', 'gross', 'pay', 'card', 'number', 'supplier', 'rose'],
  );
  const text = fc.array(word, { maxLength: 60 }).map((all) => all.join(' '));
  const signals = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('iban', 'credit_card', 'salary_amount', 'email_address', 'vin'),
      count: fc.integer({ min: 1, max: 100_000 }),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { selector: ({ id }) => id },
  );
  const related = fc.array(
    fc.record<RelatedDecision>({
      kind: fc.constantFrom('exact', 'near'),
      informationTypeId: fc.constantFrom(...ids),
      outcome: fc.constantFrom('confirmed', 'refused'),
    }),
    { maxLength: 6 },
  );
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  const input = fc
    .record({
      text,
      signals,
      related,
      near: unit,
      exact: unit,
      expected: fc.constantFrom(null, 'dom_finance', 'dom_other'),
    })
    .map(({ text, signals, related, near, exact, expected }) => ({
      features: features({
        text,
        signals: signals.map(({ id, count, confidence }) => signal(id, count, confidence)),
      }),
      ensemble: { ...FIRST_ENSEMBLE, nearDupConfirmedBoost: near, exactDupConfirmedBoost: exact },
      expectedDomainId: expected,
      related,
    }));

  it('every confidence and score is in its range, best first', () => {
    fc.assert(
      fc.property(input, (each) => {
        const found = run(each);
        expect(found.length).toBeLessThanOrEqual(5);
        expect(found.map(({ confidence }) => confidence)).toEqual(
          found.map((f) => f.confidence).sort((a, b) => b - a),
        );
        for (const { confidence, contributions } of found) {
          expect(confidence).toBeGreaterThan(0);
          expect(confidence).toBeLessThanOrEqual(1);
          for (const { score } of contributions) expect(Math.abs(score)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('a thin text stays below the high band, and copies count in full', () => {
    fc.assert(
      fc.property(input, fc.double({ min: 0.05, max: 1, noNaN: true }), (each, reviewHighThreshold) => {
        const ensemble = { ...each.ensemble, reviewHighThreshold };
        const characterCount = Math.min(199, each.features.characterCount ?? 0);
        const thin = { ...each, ensemble, features: { ...each.features, characterCount } };
        for (const { confidence } of run({ ...thin, related: [] })) {
          expect(bandOf(confidence, ensemble)).not.toBe('high');
        }
        for (const id of ids) {
          const confirmed: RelatedDecision = { kind: 'exact', informationTypeId: id, outcome: 'confirmed' };
          const without = confidence({ ...thin, related: [] }, id);
          expect(confidence({ ...thin, related: [confirmed] }, id)).toBeGreaterThanOrEqual(without);
        }
      }),
    );
  });

  it('a thin text leaves the order of what it may be', () => {
    fc.assert(
      fc.property(input, (each) => {
        const order = (characterCount: number) =>
          run({ ...each, related: [], features: { ...each.features, characterCount } }).map(
            ({ informationTypeId }) => informationTypeId,
          );
        const [thin, thick] = [order(10), order(1_000)];
        expect(thin).toEqual(thick.slice(0, thin.length));
      }),
    );
  });

  it('the order of signals, related decisions and taxonomy does not matter', () => {
    const backwards = indexTaxonomy(
      { domains: TAXONOMY.domains.toReversed(), informationTypes: TAXONOMY.informationTypes.toReversed() },
      null,
    );
    fc.assert(
      fc.property(input, (each) => {
        const reversed = {
          ...each,
          taxonomy: backwards,
          related: each.related.toReversed(),
          features: { ...each.features, signals: each.features.signals.toReversed() },
        };
        expect(run(reversed)).toEqual(run(each));
      }),
    );
  });

  it('more of a sign never lowers the confidence', () => {
    fc.assert(
      fc.property(input, fc.constantFrom(...ids), (each, id) => {
        const before = confidence(each, id);
        const others = each.features.signals.filter(({ detectorId }) => detectorId !== 'credit_card');
        const now = each.features.signals.find(({ detectorId }) => detectorId === 'credit_card');
        const more = signal('credit_card', (now?.count ?? 0) + 1, Math.max(now?.confidence ?? 0, 0.5));
        const withMore = { ...each, features: { ...each.features, signals: [...others, more] } };
        // A question that is kept at the threshold has it but for the rounding of sums.
        expect(confidence(withMore, id)).toBeGreaterThanOrEqual(before - ROUNDING);
        const named = { ...each, features: { ...each.features, nameTerms: ['invoice', 'salary', 'card'] } };
        expect(confidence(named, id)).toBeGreaterThanOrEqual(before - ROUNDING);
        const confirmed = { kind: 'exact', informationTypeId: id, outcome: 'confirmed' } as const;
        if (each.related.every(({ outcome }) => outcome === 'confirmed')) {
          expect(confidence({ ...each, related: [...each.related, confirmed] }, id)).toBeGreaterThanOrEqual(
            before,
          );
        }
      }),
    );
  });

  it('a higher boost never lowers a confirmed type nor raises a refused one', () => {
    fc.assert(
      fc.property(
        input,
        unit,
        unit,
        fc.constantFrom(...ids),
        fc.constantFrom('exact', 'near'),
        (each, a, b, id, kind) => {
          const said = (outcome: RelatedDecision['outcome'], boost: number) =>
            confidence(
              {
                ...each,
                related: [{ kind, outcome, informationTypeId: id }],
                ensemble: { ...each.ensemble, nearDupConfirmedBoost: boost, exactDupConfirmedBoost: boost },
              },
              id,
            );
          const [less, more] = [Math.min(a, b), Math.max(a, b)];
          const unsaid = confidence({ ...each, related: [] }, id);
          expect(said('confirmed', more)).toBeGreaterThanOrEqual(said('confirmed', less));
          expect(said('confirmed', less)).toBeGreaterThanOrEqual(unsaid);
          expect(said('refused', more)).toBeLessThanOrEqual(said('refused', less));
          expect(said('refused', less)).toBeLessThanOrEqual(unsaid);
          const refused = { kind, informationTypeId: id, outcome: 'refused' } as const;
          expect(confidence({ ...each, related: [...each.related, refused] }, id)).toBeLessThanOrEqual(
            confidence(each, id),
          );
        },
      ),
    );
  });

  it('what owners said of one type moves no other', () => {
    fc.assert(
      fc.property(input, related, fc.constantFrom(...ids), (each, more, id) => {
        const others = more.filter(({ informationTypeId }) => informationTypeId !== id);
        const before = confidence(each, id);
        const after = run({ ...each, related: [...each.related, ...others] });
        // Five are returned at most, and there are three types: none can be crowded out.
        expect(after.find(({ informationTypeId }) => informationTypeId === id)?.confidence ?? 0).toBe(before);
      }),
    );
  });

  it('a type or a domain that is not approved never appears', () => {
    const without = indexTaxonomy(
      {
        domains: TAXONOMY.domains,
        informationTypes: TAXONOMY.informationTypes.filter(
          ({ informationTypeId }) => informationTypeId !== 'ift_payroll',
        ),
      },
      null,
    );
    fc.assert(
      fc.property(input, (each) => {
        const found = run({ ...each, taxonomy: without }).map(({ informationTypeId }) => informationTypeId);
        expect(found).not.toContain('ift_payroll');
      }),
    );
  });

  it('each contribution moves the confidence its own way', () => {
    const value = fc.double({ min: -10, max: 10, noNaN: true });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), value, (values, more) => {
        const of = (all: number[]) => confidenceOf(all.map((each) => ({ value: each })));
        expect(Math.sign(of([...values, more]) - of(values)) * Math.sign(more)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('thresholds', () => {
  it('say who is asked, and how sure the model is', () => {
    const ensemble = {
      ...FIRST_ENSEMBLE,
      candidateThreshold: 0.3,
      reviewLowThreshold: 0.4,
      reviewHighThreshold: 0.8,
    };
    expect([0.29, 0.3, 1].map((confidence) => isCandidate(confidence, ensemble))).toEqual([
      false,
      true,
      true,
    ]);
    expect([0, 0.39, 0.4, 0.79, 0.8, 1].map((confidence) => bandOf(confidence, ensemble))).toEqual([
      'below',
      'below',
      'review',
      'review',
      'high',
      'high',
    ]);
  });
});
