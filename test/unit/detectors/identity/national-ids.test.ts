import fc from 'fast-check';
import { validate as validateCuit } from 'stdnum/lib/cjs/ar/cuit.js';
import { validate as validateVnr } from 'stdnum/lib/cjs/at/vnr.js';
import { validate as validateAbn } from 'stdnum/lib/cjs/au/abn.js';
import { validate as validateAcn } from 'stdnum/lib/cjs/au/acn.js';
import { validate as validateTfn } from 'stdnum/lib/cjs/au/tfn.js';
import { validate as validateInsz } from 'stdnum/lib/cjs/be/insz.js';
import { validate as validateEgn } from 'stdnum/lib/cjs/bg/egn.js';
import { validate as validateCnpj } from 'stdnum/lib/cjs/br/cnpj.js';
import { validate as validateCpf } from 'stdnum/lib/cjs/br/cpf.js';
import { validate as validateSin } from 'stdnum/lib/cjs/ca/sin.js';
import { validate as validateCif } from 'stdnum/lib/cjs/es/cif.js';
import { validate as validateNss } from 'stdnum/lib/cjs/es/nss.js';
import { validate as validateSpi } from 'stdnum/lib/cjs/fr/nif.js';
import { validate as validateAmka } from 'stdnum/lib/cjs/gr/amka.js';
import { validate as validateOib } from 'stdnum/lib/cjs/hr/oib.js';
import { validate as validateAadhaar } from 'stdnum/lib/cjs/in/aadhaar.js';
import { validate as validateIva } from 'stdnum/lib/cjs/it/iva.js';
import { validate as validateBrn } from 'stdnum/lib/cjs/kr/brn.js';
import { validate as validateRrn } from 'stdnum/lib/cjs/kr/rrn.js';
import { validate as validateBsn } from 'stdnum/lib/cjs/nl/bsn.js';
import { validate as validateFodselsnummer } from 'stdnum/lib/cjs/no/fodselsnummer.js';
import { validate as validateNip } from 'stdnum/lib/cjs/pl/nip.js';
import { validate as validatePesel } from 'stdnum/lib/cjs/pl/pesel.js';
import { validate as validateRegon } from 'stdnum/lib/cjs/pl/regon.js';
import { validate as validateNif } from 'stdnum/lib/cjs/pt/nif.js';
import { validate as validateCnp } from 'stdnum/lib/cjs/ro/cnp.js';
import { validate as validateOrgnr } from 'stdnum/lib/cjs/se/orgnr.js';
import { validate as validateThai } from 'stdnum/lib/cjs/th/idnr.js';
import { validate as validateTckn } from 'stdnum/lib/cjs/tr/tckimlik.js';
import { describe, expect, it } from 'vitest';
import { findHits } from '../../../../core/detectors/engine/detect.ts';
import { NATIONAL_IDS } from '../../../../core/detectors/identity/national-ids.ts';

const byId = new Map(NATIONAL_IDS.map((detector) => [detector.id, detector]));
const confidencesOf = (text: string, ids: readonly string[]) =>
  findHits(
    text,
    NATIONAL_IDS.filter(({ id }) => ids.includes(id)),
  ).flatMap(({ hits }) => hits.map(({ confidence }) => confidence));

/** Detector, the validator whose verdict it must keep, what stands before the digits, and how many digits there are. */
const CHECKED: readonly [string, (value: string) => { isValid: boolean }, string, number][] = [
  ['ar_cuit', validateCuit, '', 11],
  ['at_social_security', validateVnr, '', 10],
  ['au_abn', validateAbn, '', 11],
  ['au_acn', validateAcn, '', 9],
  ['au_tfn', validateTfn, '', 9],
  // The library takes check digits past 97 too, which nobody has.
  ['be_national_number', (n) => ({ isValid: Number(n.slice(9)) <= 97 && validateInsz(n).isValid }), '', 11],
  ['bg_personal_id', validateEgn, '', 10],
  ['br_cnpj', validateCnpj, '', 14],
  ['br_cpf', validateCpf, '', 11],
  ['ca_sin', validateSin, '', 9],
  ['es_company_number', validateCif, 'B', 8],
  ['es_social_security', validateNss, '', 12],
  ['fr_tax_number', validateSpi, '', 13],
  ['gr_social_security', validateAmka, '', 11],
  ['hr_oib', validateOib, '', 11],
  ['in_aadhaar', validateAadhaar, '', 12],
  ['it_vat_number', validateIva, '', 11],
  ['kr_business_number', validateBrn, '', 10],
  ['kr_rrn', validateRrn, '', 13],
  ['nl_bsn', validateBsn, '', 9],
  ['no_national_id', validateFodselsnummer, '', 11],
  ['pl_nip', validateNip, '', 10],
  ['pl_regon', validateRegon, '', 9],
  ['pl_regon', validateRegon, '', 14],
  ['pl_pesel', validatePesel, '', 11],
  ['pt_tax_number', validateNif, '', 9],
  ['ro_cnp', validateCnp, '', 13],
  ['se_organisationsnummer', validateOrgnr, '', 10],
  ['th_national_id', validateThai, '', 13],
  ['tr_national_id', validateTckn, '', 11],
];

describe('the quick check before a validator', () => {
  it.each(CHECKED)('%s drops nothing that the validator accepts', (id, validate, letters, length) => {
    const detector = byId.get(id);
    const judge = detector !== undefined && 'judge' in detector ? detector.judge : undefined;
    expect(judge).toBeDefined();
    // A birth date in one order or the other makes numbers that hold one likely; the last two digits are tried all.
    const digits = fc
      .tuple(
        fc.constantFrom('', '20', '850715', '3850715', '1850715', '150785', '1234150785'),
        fc.stringMatching(/^\d{14}$/),
      )
      .map(([start, rest]) => `${start}${rest}`.slice(0, length - 2));
    let accepted = 0;
    fc.assert(
      fc.property(digits, (front) => {
        for (let last = 0; last < 100; last++) {
          const number = `${letters}${front}${String(last).padStart(2, '0')}`;
          if (/^(.)\1*$/.test(number) || !validate(number).isValid) continue;
          // Belgian check digits are 01 to 97. The validator accepts 00 for 97.
          if (id === 'be_national_number' && last === 0) continue;
          accepted += 1;
          expect(['checksum', 'sample'], number).toContain(judge?.(number));
        }
      }),
      // A seed, since a run without any number that the validator accepts would say nothing.
      { numRuns: 100, seed: 1 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});

describe('national ids', () => {
  it('are less than half certain of digits that nothing around explains', () => {
    const bare = NATIONAL_IDS.flatMap(({ examples }) => examples.hits.filter((hit) => /^\d+$/.test(hit)));
    expect(bare.length).toBeGreaterThan(20);
    for (const { detector, hits } of findHits(bare.join('\n\n'), NATIONAL_IDS)) {
      // A long number is rarer, whatever its check digits.
      if (['cn_resident_id', 'fr_nir'].includes(detector.id)) continue;
      for (const { confidence } of hits) expect(confidence, detector.id).toBeLessThanOrEqual(0.4);
    }
  });

  it('have at least three hits and three misses each', () => {
    for (const { id, examples } of NATIONAL_IDS) {
      expect(examples.hits.length, id).toBeGreaterThanOrEqual(3);
      expect(examples.misses.length, id).toBeGreaterThanOrEqual(3);
    }
  });

  it('tell made-up numbers apart from real ones', () => {
    expect(confidencesOf('Steuer-ID 12345678903', ['de_tax_id'])).toEqual([0.2]);
    expect(confidencesOf('Steuer-ID 26954371827', ['de_tax_id'])).toEqual([0.98]);
    expect(confidencesOf('SIN 046 454 286', ['ca_sin'])).toEqual([0.2]);
    expect(confidencesOf('USt-IdNr DE123456789', ['de_vat_id'])).toEqual([0.2]);
  });

  it('find nothing certain in a table of amounts, times and order numbers', () => {
    const rows = Array.from({ length: 400 }, (_, i) =>
      [
        i,
        4_000_000_000 + i * 7_919,
        1_705_046_930_313 + i * 86_399,
        `A${10_000_000 + i * 7_907}`,
        i * 1.37,
      ].join(','),
    );
    const found = findHits(['row,order,time,part,amount', ...rows].join('\n'), NATIONAL_IDS);
    for (const { detector, hits } of found) {
      for (const { confidence } of hits) expect(confidence, detector.id).toBeLessThanOrEqual(0.4);
    }
  });
});

/** The examples that the tax administration gives of each state: as the state writes it, as the federation does. */
const TAX_NUMBERS: readonly [string, string, string][] = [
  ['Baden-Württemberg', '93815/08152', '2893081508152'],
  ['Bavaria', '181/815/08155', '9181081508155'],
  ['Berlin', '21/815/08150', '1121081508150'],
  ['Brandenburg', '048/815/08155', '3048081508155'],
  ['Bremen', '75 815 08152', '2475081508152'],
  ['Hamburg', '02/815/08156', '2202081508156'],
  ['Hesse', '013 815 08153', '2613081508153'],
  ['Mecklenburg', '079/815/08151', '4079081508151'],
  ['Lower Saxony', '24/815/08151', '2324081508151'],
  ['North Rhine-Westphalia', '133/8150/8159', '5133081508159'],
  ['Rhineland-Palatinate', '22/815/08154', '2722081508154'],
  ['Saarland', '010/815/08182', '1010081508182'],
  ['Saxony', '201/123/12340', '3201012312340'],
  ['Saxony-Anhalt', '101/815/08154', '3101081508154'],
  ['Schleswig-Holstein', '29/815/08158', '2129081508158'],
  ['Thuringia', '151/815/08156', '4151081508156'],
];

describe('German tax numbers', () => {
  const tiersOf = (number: string) => {
    const detectors = NATIONAL_IDS.filter(({ id }) => id === 'de_tax_number');
    return findHits(`Steuernummer ${number}`, detectors).flatMap(({ hits }) => hits.map(({ tier }) => tier));
  };

  it.each(TAX_NUMBERS)('of %s are found in its form and keep its check', (_, local, federal) => {
    const others = Array.from('0123456789', (digit) => federal.slice(0, -1) + digit).filter(
      (each) => each !== federal,
    );
    expect(tiersOf(local)).toHaveLength(1);
    expect(tiersOf(federal)).toEqual(['checksum_and_context']);
    expect(tiersOf(federal.slice(0, 4) + federal.slice(5))).toEqual(['checksum_and_context']);
    // Berlin has two checks, by district.
    const passing = others.filter((each) => tiersOf(each).includes('checksum_and_context'));
    expect(passing.length).toBeLessThanOrEqual(1);
  });
});
