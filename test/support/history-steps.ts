import fc from 'fast-check';

const PROSE = {
  harmless:
    'The garden behind the canteen is open again from Monday on. Whoever likes may bring a chair, a cup and something to ' +
    'read. The fountain runs until the evening, the cat of the porter sleeps below the old tree, and nobody minds.',
  payroll:
    'Payroll for May. The salary of each employee with gross salary, bonus, income tax, deductions and net pay. ' +
    'Compensation follows the pay policy and its salary bands; the payroll is closed on the last working day of the month.',
  applications:
    'Curriculum vitae. Education, work experience and skills of the applicant, who is applying for the vacancy in the ' +
    'workshop. A letter and certificates are enclosed with the application; the interview takes place in the second week.',
  invoices:
    'Invoice. Bill to the works in the harbour, purchase order of last week, amount due within the payment terms, VAT ' +
    'included. Goods and services as delivered; a second reminder follows where the invoice is not paid in time.',
  accidents:
    'Workplace accident report. The injured employee slipped beside the press and got first aid from a witness. Two days ' +
    'lost. A corrective measure was taken at once, and a near miss of the week before is added to this accident report.',
  marketing:
    'Press release. The new sensor for industrial plants is published today with a brochure for the trade fair and a ' +
    'newsletter for everybody. The website tells the story of the product, and the campaign runs through the summer.',
} as const;

/** Valid identifiers with context words. */
const IDENTIFIERS = {
  none: '',
  bank: 'IBAN: DE68 2105 0170 0012 3456 78. IBAN: GB33 BUKB 2020 1555 5555 55.',
  tax: 'Steuerliche Identifikationsnummer: 86 095 742 719. Tax ID: 47 036 892 816.',
  card: 'Credit card number: 4539 5787 6362 1486, Visa, expiry 04/31.',
  secret: 'api_key = q8Zr51mXk02LpVt7Yw9s\nThe password is: Harbour-9sDf23kLmQ!',
} as const;

export type Content = { prose: keyof typeof PROSE | 'empty'; identifiers: keyof typeof IDENTIFIERS };

/** All texts differ, so that no asset is a copy of another one. */
export const textOf = ({ prose, identifiers }: Content, edition: number): string =>
  prose === 'empty'
    ? ' '.repeat(edition)
    : `${PROSE[prose]}\n${IDENTIFIERS[identifiers]}\nEdition ${edition}.`;

const DECISIONS = [
  'mine',
  'mine_not_sensitive',
  'not_a_match',
  'need_more_evidence',
  'mine_different_type',
  'another_domain',
] as const;
type Decision = (typeof DECISIONS)[number];

/** An answer. The numbers select among what exists at that time. */
export type Saying = { asset: number; candidate: number; person: number; decision: Decision; named: number };
export type Change =
  | { action: 'edit'; content: Content }
  | { action: 'overshare' | 'restrict' | 'clear_label' }
  | { action: 'set_label'; rank: number }
  | { action: 'rename'; name: string };
export type Step =
  | { do: 'change'; asset: number; change: Change; scanned: boolean }
  | { do: 'scan' | 'rescore' | 'change_owner' }
  | ({ do: 'answer' | 'revise' | 'take_back' } & Saying)
  | { do: 'pass'; days: number };

const anyNumber = fc.nat({ max: 11 });
/** Mostly the first asset, so that much happens to it. */
const anyAsset = fc.constantFrom(0, 0, 0, 1, 2);
export const contents: fc.Arbitrary<Content> = fc.record({
  prose: fc.constantFrom(...(Object.keys(PROSE) as (keyof typeof PROSE)[]), 'payroll', 'empty'),
  identifiers: fc.constantFrom('none', 'none', ...(Object.keys(IDENTIFIERS) as (keyof typeof IDENTIFIERS)[])),
});
const saying = (what: 'answer' | 'revise' | 'take_back') =>
  fc.record({
    do: fc.constant(what),
    asset: anyAsset,
    candidate: anyNumber,
    person: anyNumber,
    // Decisions with more complex consequences occur more often.
    decision: fc.constantFrom(...DECISIONS, 'mine_different_type', 'not_a_match', 'mine_not_sensitive'),
    named: anyNumber,
  });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ action: fc.constant('edit' as const), content: contents }) },
  { weight: 6, arbitrary: fc.record({ action: fc.constant('overshare' as const) }) },
  { weight: 1, arbitrary: fc.record({ action: fc.constantFrom('restrict', 'clear_label') }) },
  {
    weight: 1,
    arbitrary: fc.record({ action: fc.constant('set_label' as const), rank: fc.nat({ max: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      action: fc.constant('rename' as const),
      name: fc.constantFrom('Notes.txt', 'Payroll May.txt', 'Accident report.txt'),
    }),
  },
);
export const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      asset: anyAsset,
      change,
      // Usually true, because changes have no effect without a scan.
      scanned: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 7, arbitrary: saying('answer') },
  { weight: 4, arbitrary: saying('revise') },
  { weight: 2, arbitrary: saying('take_back') },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('scan', 'rescore', 'change_owner') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass' as const), days: fc.constantFrom(1, 8, 31, 400) }),
  },
);

/** The expected domain of the files' site. */
export const EXPECTED_DOMAIN = 'dom_human_resources';
export const DAY_MS = 86_400_000;
