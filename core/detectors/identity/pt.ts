import { validate as validateCc } from 'stdnum/lib/cjs/pt/cc.js';
import { validate as validateNif } from 'stdnum/lib/cjs/pt/nif.js';
import { judgeBy, sumsTo } from '../checks/judge-by.ts';
import { token } from '../checks/token.ts';
import { defineDetector } from '../detector.ts';

export const ptTaxNumber = defineDetector({
  id: 'pt_tax_number',
  version: 2,
  family: 'tax_id',
  countries: ['PT'],
  title: 'Portuguese tax number (NIF)',
  randomMatch: 1 / 12.5,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [{ regex: token('(?:[1-35-9]\\d|45)\\d([ .-]?)\\d{3}\\1\\d{3}'), context: 'optional' }],
  context: [
    ...[
      'nif',
      'nipc',
      'contribuinte',
      'numero de contribuinte',
      'n contribuinte',
      'numero fiscal',
      'financas',
    ],
    ...['identificacao fiscal', 'numero de identificacao fiscal', 'tax number', 'tax id', 'tin'],
  ],
  judge: judgeBy(validateNif, sumsTo([9, 8, 7, 6, 5, 4, 3, 2, 1], 11, [0, 1])),
  examples: {
    hits: ['NIF 206987064', 'contribuinte: 256 368 686', '295672854', '454719280'],
    misses: ['NIF 206987065', 'NIF 406987064', 'NIF 2069870640', 'NIF 256 368.686'],
  },
});

export const ptCitizenCard = defineDetector({
  id: 'pt_citizen_card',
  version: 2,
  family: 'national_id',
  countries: ['PT'],
  title: 'Portuguese citizen card number',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 9, reach: 16 },
  patterns: [{ regex: token('\\d{8}[ -]?\\d ?[A-Z][A-Z0-9]\\d', 'i'), context: 'optional' }],
  context: [
    ...['cartao de cidadao', 'cartao do cidadao', 'cc', 'bilhete de identidade', 'numero de documento'],
    ...['identificacao civil', 'citizen card', 'cidadao'],
  ],
  judge: judgeBy(validateCc),
  examples: {
    hits: ['Cartão de Cidadão 52596589 9 BZ2', '887031639GT3', 'CC: 587922439TL9'],
    misses: ['CC 52596589 9 BZ3', 'CC 525965899BZ22', 'CC 525965899BZ', 'CC A525965899BZ2'],
  },
});
