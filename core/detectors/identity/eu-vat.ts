import { validate as at } from 'stdnum/lib/cjs/at/uid.js';
import { validate as be } from 'stdnum/lib/cjs/be/vat.js';
import { validate as bg } from 'stdnum/lib/cjs/bg/vat.js';
import { validate as cy } from 'stdnum/lib/cjs/cy/vat.js';
import { validate as cz } from 'stdnum/lib/cjs/cz/dic.js';
import { validate as dk } from 'stdnum/lib/cjs/dk/cvr.js';
import { validate as ee } from 'stdnum/lib/cjs/ee/kmkr.js';
import { validate as es } from 'stdnum/lib/cjs/es/nif.js';
import { validate as fi } from 'stdnum/lib/cjs/fi/alv.js';
import { validate as fr } from 'stdnum/lib/cjs/fr/tva.js';
import { validate as gb } from 'stdnum/lib/cjs/gb/vat.js';
import { validate as gr } from 'stdnum/lib/cjs/gr/vat.js';
import { validate as hr } from 'stdnum/lib/cjs/hr/oib.js';
import { validate as hu } from 'stdnum/lib/cjs/hu/anum.js';
import { validate as ie } from 'stdnum/lib/cjs/ie/vat.js';
import { validate as it } from 'stdnum/lib/cjs/it/iva.js';
import { validate as lt } from 'stdnum/lib/cjs/lt/pvm.js';
import { validate as lu } from 'stdnum/lib/cjs/lu/tva.js';
import { validate as lv } from 'stdnum/lib/cjs/lv/pvn.js';
import { validate as mt } from 'stdnum/lib/cjs/mt/vat.js';
import { validate as nl } from 'stdnum/lib/cjs/nl/btw.js';
import { validate as pl } from 'stdnum/lib/cjs/pl/nip.js';
import { validate as pt } from 'stdnum/lib/cjs/pt/nif.js';
import { validate as ro } from 'stdnum/lib/cjs/ro/cif.js';
import { validate as se } from 'stdnum/lib/cjs/se/vat.js';
import { validate as si } from 'stdnum/lib/cjs/si/ddv.js';
import { validate as sk } from 'stdnum/lib/cjs/sk/dph.js';
import validator from 'validator';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** By the prefix of the number, which is EL for Greece. Germany has its own detector. */
const VALIDATORS = {
  AT: at,
  BE: be,
  BG: bg,
  CY: cy,
  CZ: cz,
  DK: dk,
  EE: ee,
  EL: gr,
  ES: es,
  FI: fi,
  FR: fr,
  GB: gb,
  HR: hr,
  HU: hu,
  IE: ie,
  IT: it,
  LT: lt,
  LU: lu,
  LV: lv,
  MT: mt,
  NL: nl,
  PL: pl,
  PT: pt,
  RO: ro,
  SE: se,
  SI: si,
  SK: sk,
};
const isPrefix = (prefix: string): prefix is keyof typeof VALIDATORS => Object.hasOwn(VALIDATORS, prefix);

/** Northern Ireland uses British numbers, but the library does not know its prefix XI. */
const withKnownPrefix = (number: string) => number.replace(/^XI/, 'GB');

/**
 * Some validators expect the number without its prefix. A number with a wrong check digit still has the right format,
 * as in many examples.
 */
function judge(match: string): Verdict {
  const number = withKnownPrefix(compact(match));
  const prefix = number.slice(0, 2);
  if (!isPrefix(prefix)) return 'no';
  const validate = VALIDATORS[prefix];
  if (validate(number).isValid || validate(number.slice(2)).isValid) return 'checksum';
  return validator.isVAT(withKnownPrefix(match), prefix) ? 'shape' : 'no';
}

export const euVatId = defineDetector({
  id: 'eu_vat_id',
  version: 2,
  family: 'tax_id',
  title: 'European VAT identification number',
  randomMatch: 1 / 1_000,
  gate: { kind: 'digits', least: 6, reach: 16 },
  patterns: [
    {
      regex: token(
        `(?:${Object.keys(VALIDATORS).join('|')}|XI)[ -]?(?:[A-Z]{1,2}[ .-]?)?\\d(?:[ .-]?\\d){5,13}(?:[ .-]?[A-Z](?:\\d{2}|[A-Z])?)?`,
      ),
      context: 'optional',
    },
    // In small letters, except what could be words and numbers of a sentence.
    {
      regex: token(
        `(?:${Object.keys(VALIDATORS).join('|')}|XI)(?:[A-Z]{1,2})?\\d{6,12}(?:[A-Z]\\d{2}|[A-Z]{1,2})?`,
        'i',
      ),
      context: 'required',
    },
  ],
  context: [
    ...[
      'vat',
      'vat id',
      'vat number',
      'vat no',
      'vat reg',
      'ust id',
      'ust',
      'uid',
      'tva',
      'numero de tva',
      'iva',
    ],
    ...[
      'nif',
      'cif',
      'partita iva',
      'btw',
      'btw nummer',
      'btw id',
      'nip',
      'ptu',
      'moms',
      'momsnummer',
      'alv',
    ],
    ...[
      'dic',
      'dph',
      'pvn',
      'pvm',
      'kmkr',
      'ddv',
      'pdv',
      'afm',
      'intracommunautaire',
      'mwst',
      'contribuinte',
    ],
  ],
  judge,
  confidence: { pattern: 0.15, context: 0.5 },
  examples: {
    hits: [
      'VAT ID ATU06987064',
      'FR 31 870953759',
      'BTW NL525965890B01',
      'ESB88870316',
      'GB921 9030 06',
      'EL150324779',
      'ATU12345678',
      'vat nl525965890b01',
      'tva fr31870953759',
    ],
    misses: [
      'VAT AT06987065',
      'FR 32 870953759',
      'XX870953759',
      'AFR31870953759',
      'PL 778887031',
      'SE 20 2024',
      'VAT 870953759',
      'nl525965890b01',
      'vat it 2024',
    ],
  },
});
