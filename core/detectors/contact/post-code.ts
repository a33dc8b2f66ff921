import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

/** Existing areas. The letters C, I, K, M, O and V do not occur in inward codes (Royal Mail, PAF digest). */
const AREA =
  'A[BL]|B[ABDHLNRST]?|C[ABFHMORTVW]|D[ADEGHLNTY]|E[CHNX]?|F[KY]|G[LUY]?|H[ADGPRSUX]|I[GMPV]|JE|K[ATWY]|L[ADELNSU]?|M[EKL]?|N[EGNPRW]?|O[LX]|P[AEHLOR]|R[GHM]|S[AEGKLMNOPRSTWY]?|T[ADFNQRSW]|UB|W[ACDFNRSV]?|YO|ZE';

const OUTWARD = `(?:${AREA})\\d[\\dA-HJKPSTUW]?`;
const INWARD = '\\d[ABD-HJLNP-UW-Z]{2}';
/** Not the value of a parameter, and not part of a web address or a code. */
const APART = '(?<![=&?/%+#-])';

export const ukPostcode = defineDetector({
  id: 'uk_postcode',
  version: 3,
  family: 'place',
  countries: ['GB'],
  title: 'UK postcode',
  gate: { kind: 'digits', least: 1, reach: 8 },
  patterns: [
    { regex: token(`${APART}(?:${OUTWARD} ${INWARD}|GIR 0AA)`), context: 'optional' },
    // Without its space, it looks like many other codes.
    { regex: token(`${APART}(?:${OUTWARD} ?${INWARD}|GIR ?0AA)`, 'i'), context: 'required' },
  ],
  context: [
    'postcode',
    'post code',
    'address',
    'street',
    'road',
    'lane',
    'london',
    'avenue',
    'town',
    'delivery',
    ...['postcodes', 'addresses', 'zip', 'zip code', 'postal code', 'city', 'county', 'square', 'close'],
    ...['drive', 'court', 'gardens', 'terrace', 'crescent', 'place', 'house', 'flat', 'england', 'scotland'],
    ...['wales', 'northern ireland', 'united kingdom', 'uk'],
  ],
  confidence: { pattern: 0.3, context: 0.6 },
  examples: {
    hits: ['M1 1AA', 'postcode EC1A1BB', 'SW1A 1AA in London', 'GIR 0AA', 'postcode ec1a 1bb'],
    misses: [
      ...['QA1 1AA', 'M1 1CA', '1A1 1AA', 'XM1 1AA', 'm1 1aa'],
      ...['M11AA', 'search?town=1&q=E18LD', 'postcode-M11AA'],
    ],
  },
});

/** Five digits can be anything, so a context word is required. */
export const dePostcode = defineDetector({
  id: 'de_postcode',
  version: 2,
  family: 'place',
  countries: ['DE'],
  title: 'German postcode',
  gate: { kind: 'digits', least: 5, reach: 8 },
  patterns: [{ regex: token(`${APART}(?:D-)?(?:0[1-9]|[1-9]\\d)\\d{3}`), context: 'required' }],
  context: [
    ...['plz', 'postleitzahl', 'anschrift', 'adresse', 'wohnort', 'strasse', 'str', 'wohnhaft', 'postfach'],
    ...['lieferadresse', 'rechnungsadresse', 'hausnummer'],
  ],
  confidence: { context: 0.6 },
  examples: {
    hits: ['PLZ: 10115', 'Anschrift: Hauptstr. 5, D-80331 München', 'wohnhaft in 01067 Dresden'],
    misses: ['10115', 'PLZ 00115', 'PLZ 1011', 'PLZ 101155', 'Adresse: shop.example/suche?plz=10115&x=1'],
  },
});
