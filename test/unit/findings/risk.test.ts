import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Grant } from '../../../core/connectors/connector.ts';
import { exposureOf } from '../../../core/findings/exposure.ts';
import { changedFindings, FINDING_STATUSES, nextStatus } from '../../../core/findings/next-status.ts';
import {
  assessRisk as assessRiskWith,
  highestSeverity,
  type RiskComponentName,
  type RiskFacts,
} from '../../../core/findings/risk.ts';
import type { Level, RiskClassification } from '../../../core/findings/sensitivity.ts';
import { SEVERITIES } from '../../../core/kernel/vocabulary.ts';

const NOW = Date.parse('2026-11-21T00:00:00Z');
const DAY = 86_400_000;

const grant = (principalKind: Grant['principalKind'], principal = 'Finance', external = false): Grant => ({
  principal,
  principalKind,
  external,
  role: 'read',
  inherited: false,
});
const classified = (
  level: Level | null,
  confirmed = true,
  more: Partial<RiskClassification> = {},
): RiskClassification => ({
  domainId: 'dom_1',
  level,
  confirmed,
  confidence: 0.8,
  location: 'anywhere' as const,
  ...more,
});
const facts = (more: Partial<RiskFacts> = {}): RiskFacts => ({
  classifications: [classified(3)],
  signals: [],
  grants: [grant('group')],
  permissionsComplete: true,
  label: { state: 'labeled', rank: 3, topRank: 3 },
  confirmedCopyLevel: null,
  contentModifiedAt: NOW - DAY,
  withoutOwnerSince: null,
  now: NOW,
  ...more,
});
const TITLES = new Map([['iban', 'International bank account number']]);
const assessRisk = (given: RiskFacts) => assessRiskWith(given, TITLES);
const severityOf = (name: RiskComponentName, more: Partial<RiskFacts>) =>
  assessRisk(facts(more)).find((component) => component.name === name)?.severity ?? null;

test('a confirmed, labelled asset in its place has its sensitivity as its only risk', () => {
  expect(assessRisk(facts())).toEqual([
    { name: 'sensitivity', severity: 'medium', notes: 'An owner has confirmed that it is restricted.' },
  ]);
});

describe('sensitivity', () => {
  test('nothing known of it is no risk', () => {
    expect(assessRisk(facts({ classifications: [], grants: [grant('anyone')] }))).toEqual([]);
  });
  test('an asset that its owner calls public is no risk, unless it exposes identifiers', () => {
    const checked = {
      detectorId: 'iban',
      family: 'bank' as const,
      count: 1,
      confidence: 0.9,
      tiers: { checksum: 1 },
    };
    const lowered = (...signals: RiskFacts['signals']) => ({ classifications: [classified(0)], signals });
    const anyone = { grants: [grant('anyone')] };
    expect(assessRisk(facts(lowered(checked)))).toEqual([]);
    expect(assessRisk(facts({ ...lowered(), ...anyone }))).toEqual([]);
    const unproven = { ...checked, tiers: { context: 1 } };
    const sample = { ...checked, confidence: 0.2 };
    const byChance = { ...checked, tiers: { context: 1, checksum: 1 } };
    expect(assessRisk(facts({ ...lowered(unproven, sample, byChance), ...anyone }))).toEqual([]);
    expect(assessRisk(facts({ ...lowered(checked), ...anyone }))).toEqual([
      { name: 'exposure', severity: 'high', notes: expect.stringContaining('an owner'), inSpite: true },
    ]);
    expect(severityOf('exposure', { ...lowered(checked), grants: [grant('organization')] })).toBe('medium');
    const secret = { ...checked, family: 'secret' as const, tiers: { pattern: 1 } };
    expect(severityOf('exposure', { ...lowered(secret), ...anyone })).toBe('high');
  });
  test.each([
    ['anyone', 'high'],
    ['organization', 'medium'],
  ] as const)(
    'identifiers that prove themselves, open to %s, are a finding without a type',
    (who, severity) => {
      const column = {
        detectorId: 'iban',
        family: 'bank' as const,
        count: 42,
        confidence: 0.9,
        tiers: { checksum_of_many: 42 },
      };
      const [finding] = assessRisk(
        facts({ classifications: [], signals: [column], grants: [grant(who)] }),
      ).filter(({ name }) => name === 'exposure');
      expect(finding).toMatchObject({ severity });
      expect(finding?.inSpite).toBeUndefined();
      expect(finding?.notes).toContain('International bank account number (42)');
      expect(finding?.notes).toContain('Restrict who can open it');
      expect(assessRisk(facts({ classifications: [], signals: [column] })).map(({ name }) => name)).toEqual([
        'sensitivity',
      ]);
    },
  );
  test('a harmless type hides no sensitive one that is about as likely', () => {
    const likely = (level: Level, confidence: number, domainId = 'dom_1') =>
      classified(level, false, { confidence, domainId });
    const levels = (...classifications: RiskClassification[]) =>
      severityOf('sensitivity', { classifications });
    // One step less, since nobody has confirmed it.
    expect(levels(likely(3, 0.9), likely(1, 0.95))).toBe('low');
    const anyone = (...classifications: RiskClassification[]) =>
      severityOf('exposure', { classifications, grants: [grant('anyone')] });
    expect(anyone(likely(3, 0.9))).toBe('high');
    expect(anyone(likely(3, 0.9), likely(1, 0.95))).toBe('high');
    expect(anyone(likely(3, 0.5), likely(1, 0.99, 'dom_2'))).toBe('high');
    expect(anyone(likely(3, 0.5), likely(1, 0.99))).toBe('low');
  });
  test('a confirmed level hides no proven identifier that makes more of it', () => {
    const key = {
      detectorId: 'key',
      family: 'secret' as const,
      count: 1,
      confidence: 0.95,
      tiers: { pattern: 1 },
    };
    const internal = { classifications: [classified(1)], signals: [key] };
    expect(severityOf('exposure', { ...internal, grants: [grant('organization')] })).toBe('medium');
    expect(severityOf('exposure', { ...internal, grants: [grant('user', 'X', true)] })).toBe('high');
    expect(
      severityOf('exposure', {
        ...internal,
        classifications: [classified(3)],
        grants: [grant('organization')],
      }),
    ).toBe('high');
  });
  test('what people named and nobody confirmed does not stand above the model', () => {
    const named = classified(0, false, { confidence: null });
    expect(severityOf('sensitivity', { classifications: [named, classified(3, false)] })).toBe('low');
    expect(severityOf('sensitivity', { classifications: [named] })).toBe(null);
  });
  test('every note says whether an owner has confirmed the level', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        for (const { notes } of assessRisk(given)) expect(notes).toMatch(/owner has (confirmed|said)/);
      }),
    );
  });
  test('a confirmed type stands above the model’s, which weighs a step less', () => {
    const both = [classified(1), classified(3, false)];
    expect(severityOf('sensitivity', { classifications: both })).toBe('low');
    const anyone = { grants: [grant('anyone')] };
    expect(severityOf('exposure', { classifications: both, ...anyone })).toBe('medium');
    // What another domain is still asked counts beside it.
    const elsewhere = [classified(1), classified(3, false, { domainId: 'dom_2' })];
    expect(severityOf('exposure', { classifications: elsewhere, ...anyone })).toBe('high');
    const lowered = [classified(0), classified(3, false, { domainId: 'dom_2' })];
    expect(severityOf('exposure', { classifications: lowered, ...anyone })).toBe('high');
    expect(severityOf('exposure', { classifications: [classified(3, false)], ...anyone })).toBe('high');
    expect(severityOf('exposure', { classifications: [classified(3)], ...anyone })).toBe('critical');
  });
  test('sure identifiers speak where nobody has confirmed anything; samples do not', () => {
    const found = (confidence: number) => ({
      classifications: [],
      signals: [{ detectorId: 'card', family: 'payment' as const, count: 1, confidence, tiers: {} }],
      grants: [grant('anyone')],
    });
    expect(severityOf('exposure', found(0.95))).toBe('high');
    expect(severityOf('exposure', found(0.2))).toBe(null);
  });
});

describe('exposure', () => {
  test.each([
    ['anyone', 'critical', 'critical', 'medium'],
    ['organization', 'high', 'medium', null],
    ['user', 'critical', 'high', 'low'],
  ] as const)('%s', (kind, restricted, confidential, internal) => {
    const grants = [grant('group'), grant(kind, 'Somebody', kind === 'user')];
    for (const [level, severity] of [
      [3, restricted],
      [2, confidential],
      [1, internal],
    ] as const)
      expect(severityOf('exposure', { grants, classifications: [classified(level)] })).toBe(severity);
  });
  test('a group of everyone is told from one that is only named so in part', () => {
    expect(exposureOf([grant('group', 'CONTOSO\\Domain Users')])).toBe('broad_group');
    expect(exposureOf([grant('group', 'Jeder')])).toBe('broad_group');
    expect(exposureOf([grant('group', 'Everyone in Finance')])).toBe(null);
    expect(exposureOf([grant('user', 'Everyone')])).toBe(null);
  });
  test('says which of the two opens it, and what is not confirmed', () => {
    const notesWith = (...grants: Partial<Grant>[]) =>
      assessRisk(facts({ grants: grants.map((more) => ({ ...grant('anyone'), ...more })) }))[1]?.notes ?? '';
    expect(notesWith({ inherited: true })).toContain('What it lies in opens it.');
    expect(notesWith({ inherited: false })).toContain('A grant of its own opens it.');
    expect(notesWith({ inherited: true }, {})).toContain(
      'Both a grant of its own and what it lies in open it.',
    );
    expect(notesWith({ inherited: null })).not.toMatch(/of its own|lies in/);
    expect(notesWith({ unconfirmed: true })).toContain('That is not confirmed');
    expect(notesWith({ unconfirmed: true }, {})).not.toContain('That is not confirmed');
  });
  test('says where the source does not tell of every grant', () => {
    const [, exposure] = assessRisk(facts({ grants: [grant('anyone')], permissionsComplete: false }));
    expect(exposure?.notes).toContain('does not tell of every grant');
  });
});

describe('label', () => {
  test.each([
    [{ state: 'unlabeled', rank: null, topRank: 3 }, 'high'],
    [{ state: 'unknown', rank: null, topRank: 3 }, null],
    [{ state: 'labeled', rank: 2, topRank: 3 }, 'high'],
    [{ state: 'labeled', rank: 3, topRank: 3 }, null],
    [{ state: 'labeled', rank: null, topRank: 3 }, null],
  ] as const)('%j of something restricted: %s', (label, severity) => {
    expect(severityOf('label', { label })).toBe(severity);
  });
  test('a label of another organization is none, and the note says that it is there', () => {
    const label = { state: 'unlabeled', rank: null, topRank: 3, isLabeledElsewhere: true } as const;
    expect(severityOf('label', { label })).toBe('high');
    const notes = assessRisk(facts({ label })).find(({ name }) => name === 'label')?.notes;
    expect(notes).toContain('no label of this organisation, only one of another');
  });
  test('the middle of a catalog is enough for the middle of the levels', () => {
    const label = { state: 'labeled', rank: 2, topRank: 3 } as const;
    expect(severityOf('label', { label, classifications: [classified(2)] })).toBe(null);
    expect(severityOf('label', { label: { ...label, rank: 1 }, classifications: [classified(2)] })).toBe(
      'medium',
    );
  });
});

test('location: only what it is taken for firmly counts', () => {
  const elsewhere = { location: 'elsewhere' as const };
  expect(severityOf('location', { classifications: [classified(2, true, elsewhere)] })).toBe('medium');
  expect(severityOf('location', { classifications: [classified(2, false, elsewhere)] })).toBe('low');
  expect(severityOf('location', { classifications: [classified(2), classified(3, false, elsewhere)] })).toBe(
    null,
  );
});

test('an unconfirmed copy of a confirmed asset is a risk even without an inference', () => {
  expect(severityOf('unmanaged_copy', { classifications: [], confirmedCopyLevel: 3 })).toBe('high');
  expect(severityOf('unmanaged_copy', { classifications: [classified(3)], confirmedCopyLevel: 3 })).toBe(
    null,
  );
});

test('an owner who names no type takes charge; the sensitivity comes from elsewhere', () => {
  const untyped = classified(null, true, { confidence: null });
  expect(severityOf('unmanaged_copy', { classifications: [untyped], confirmedCopyLevel: 3 })).toBe(null);
  expect(assessRisk(facts({ classifications: [untyped] }))).toEqual([]);
  expect(severityOf('sensitivity', { classifications: [untyped, classified(3, false)] })).toBe('low');
  expect(severityOf('sensitivity', { classifications: [untyped, classified(3)] })).toBe('medium');
});

test('a question without an owner for a week is a risk', () => {
  const since = (days: number) => ({ withoutOwnerSince: NOW - days * DAY });
  expect(severityOf('no_owner', { ...since(8), classifications: [] })).toBe('medium');
  expect(severityOf('no_owner', since(7))).toBe(null);
});

test('access is stale where it is wide and nobody has changed the content for a year', () => {
  const old = { contentModifiedAt: NOW - 366 * DAY };
  expect(severityOf('stale_access', { ...old, grants: [grant('organization')] })).toBe('high');
  expect(severityOf('stale_access', { ...old })).toBe(null);
  expect(severityOf('stale_access', { grants: [grant('organization')] })).toBe(null);
  expect(severityOf('stale_access', { contentModifiedAt: null, grants: [grant('organization')] })).toBe(null);
});

const level = fc.constantFrom<Level>(0, 1, 2, 3);
const anyFacts = fc.record({
  classifications: fc.array(
    fc.record({
      domainId: fc.constantFrom('dom_1', 'dom_2'),
      level,
      confirmed: fc.boolean(),
      confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      location: fc.constantFrom('governed', 'elsewhere', 'anywhere'),
    }),
    { maxLength: 4 },
  ),
  signals: fc.array(
    fc.record({
      detectorId: fc.constantFrom('iban', 'key'),
      family: fc.constantFrom('secret', 'payment', 'contact'),
      count: fc.integer({ min: 1, max: 50 }),
      confidence: fc.constantFrom(0.2, 0.95),
      tiers: fc.constantFrom({}, { checksum: 1 }),
    }),
    { maxLength: 3 },
  ),
  grants: fc.array(fc.constantFrom(grant('group'), grant('anyone'), grant('organization')), { maxLength: 3 }),
  permissionsComplete: fc.boolean(),
  label: fc.record({
    state: fc.constantFrom('labeled', 'unlabeled', 'unknown'),
    rank: fc.option(fc.nat(3)),
    topRank: fc.option(fc.constant(3)),
  }),
  confirmedCopyLevel: fc.option(level),
  contentModifiedAt: fc.option(fc.integer({ min: 0, max: NOW })),
  withoutOwnerSince: fc.option(fc.integer({ min: 0, max: NOW })),
  now: fc.constant(NOW),
}) as fc.Arbitrary<RiskFacts>;

test('more access never makes a risk smaller, and no component stands twice', () => {
  const rank = (given: RiskFacts) => SEVERITIES.indexOf(highestSeverity(assessRisk(given)) ?? 'low');
  fc.assert(
    fc.property(anyFacts, (given) => {
      const names = assessRisk(given).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(rank({ ...given, grants: [...given.grants, grant('anyone')] })).toBeGreaterThanOrEqual(
        rank(given),
      );
    }),
  );
});

describe('findings', () => {
  const status = fc.constantFrom(...FINDING_STATUSES);
  const severity = fc.constantFrom(...SEVERITIES);

  test.each([
    [null, null, null],
    [null, 'high', 'open'],
    [{ status: 'open', severity: 'high' }, 'high', 'open'],
    [{ status: 'acknowledged', severity: 'high' }, 'high', 'acknowledged'],
    [{ status: 'acknowledged', severity: 'high' }, 'medium', 'acknowledged'],
    [{ status: 'acknowledged', severity: 'medium' }, 'high', 'reopened'],
    [{ status: 'reopened', severity: 'high' }, 'high', 'reopened'],
    [{ status: 'resolved', severity: 'high' }, 'low', 'reopened'],
    [{ status: 'acknowledged', severity: 'high' }, null, 'resolved'],
    [{ status: 'resolved', severity: 'high' }, null, 'resolved'],
  ] as const)('%j, then %s: %s', (known, severity, next) => {
    const before = known && { ...known, notes: '', acknowledgedDecisionId: null };
    expect(nextStatus(before, severity && { severity, notes: '', answered: null })?.status ?? null).toBe(
      next,
    );
  });

  const by = (decisionId: string, isNew = false) => ({ decisionId, isNew });
  test.each([
    ['an answer that follows it', 'open', null, by('dec_1', true), 'high', 'acknowledged', 'dec_1'],
    ['an answer after a person', 'acknowledged', null, by('dec_1', true), 'high', 'acknowledged', null],
    [
      'an answer, worse than a person knew',
      'acknowledged',
      null,
      by('dec_1', true),
      'critical',
      'acknowledged',
      'dec_1',
    ],
    ['an earlier answer', 'open', null, by('dec_1'), 'high', 'open', null],
    ['the same answer', 'acknowledged', 'dec_1', by('dec_1'), 'high', 'acknowledged', 'dec_1'],
    ['more severity', 'acknowledged', 'dec_1', by('dec_1'), 'critical', 'reopened', null],
    ['another answer', 'acknowledged', 'dec_1', by('dec_2'), 'high', 'reopened', null],
    ['no answer any more', 'acknowledged', 'dec_1', null, 'high', 'reopened', null],
    ['no answer, a person apart', 'acknowledged', null, null, 'high', 'acknowledged', null],
  ] as const)('acknowledged by an answer: %s', (_, status, former, answered, severity, next, latter) => {
    const known = { status, severity: 'high', notes: '', acknowledgedDecisionId: former } as const;
    expect(nextStatus(known, { severity, notes: '', answered })).toEqual({
      status: next,
      acknowledgedDecisionId: latter,
    });
  });

  test('an answer acknowledges what was there, and nothing else of the same severity', () => {
    const notes = 'Everyone in the organisation can open it.';
    const known = {
      status: 'acknowledged',
      severity: 'medium',
      notes,
      acknowledgedDecisionId: 'dec_1',
    } as const;
    const shared = (severity: 'low' | 'medium') =>
      nextStatus(known, { severity, notes: 'Outsiders can open it.', answered: by('dec_1') })?.status;
    expect([shared('medium'), shared('low')]).toEqual(['reopened', 'acknowledged']);
  });

  test('what is gone is resolved, what is there is not', () => {
    fc.assert(
      fc.property(fc.option(fc.record({ status, severity })), fc.option(severity), (known, now) => {
        const before = known && { ...known, notes: '', acknowledgedDecisionId: null };
        const next = nextStatus(before, now && { severity: now, notes: '', answered: null })?.status ?? null;
        if (now === null) expect(next).toBe(known === null ? null : 'resolved');
        else expect(next).not.toBe('resolved');
      }),
    );
  });

  test('the same judgement twice changes nothing', () => {
    const answer = { decisionId: 'dec_1', principalId: 'pri_1', decidedAt: new Date(NOW), isNew: true };
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(null, answer), (given, said) => {
        const components = assessRisk(given);
        const first = changedFindings([], components, said);
        expect(first.every(({ severity }) => severity !== 'low')).toBe(true);
        expect(changedFindings(first, components, said)).toEqual([]);
        expect(changedFindings(first, [], said).map((finding) => finding.status)).toEqual(
          first.map(() => 'resolved'),
        );
      }),
    );
  });
});
