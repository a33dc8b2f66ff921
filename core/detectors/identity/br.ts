import { validate as validateCpf } from 'stdnum/lib/cjs/br/cpf.js';
import { judgeBy, sumsTo, weigh } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

const firstDigit = sumsTo([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11, [0, 1]);
const secondDigit = sumsTo([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11, [0, 1]);

export const brCpf = defineDetector({
  id: 'br_cpf',
  version: 2,
  family: 'national_id',
  countries: ['BR'],
  title: 'Brazilian taxpayer number (CPF)',
  randomMatch: 1 / 100,
  gate: { kind: 'digits', least: 11, reach: 16 },
  patterns: [{ regex: token('\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}|\\d{9}-?\\d{2}'), context: 'optional' }],
  context: [
    'cpf',
    'cadastro de pessoas fisicas',
    'c p f',
    'contribuinte',
    'receita federal',
    'titular',
    'tax id',
  ],
  judge: judgeBy(validateCpf, (number) => firstDigit(number) && secondDigit(number)),
  examples: {
    hits: ['CPF 532.837.864-45', '01732102104', 'CPF: 815349365-56'],
    misses: ['CPF 532.837.864-46', 'CPF 111.111.111-11', 'CPF 1532.837.864-45', 'CPF 532.837.864-455'],
  },
});

/** The check digit modulo 11. The remainders 0 and 1 give 0. */
function cnpjDigit(number: string, weights: readonly number[]): number {
  const remainder = weigh(number, weights) % 11;
  return remainder < 2 ? 0 : 11 - remainder;
}

/**
 * A letter counts as its ASCII code minus that of `0` (Receita Federal, instruction 2229 of 2024). The library does
 * not support letters.
 */
function judgeCnpj(match: string): Verdict {
  const number = compact(match);
  return !/^0{8}/.test(number) &&
    cnpjDigit(number, [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(number[12]) &&
    cnpjDigit(number, [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(number[13])
    ? 'checksum'
    : 'no';
}

export const brCnpj = defineDetector({
  id: 'br_cnpj',
  version: 2,
  family: 'tax_id',
  countries: ['BR'],
  title: 'Brazilian company number (CNPJ)',
  randomMatch: 1 / 100,
  gate: { kind: 'digits', least: 2, reach: 20 },
  patterns: [
    { regex: token('\\d{2}\\.?\\d{3}\\.?\\d{3}/?\\d{4}-?\\d{2}'), context: 'optional' },
    // Numbers issued since July 2026 can contain letters.
    { regex: token('[A-Z0-9]{2}\\.[A-Z0-9]{3}\\.[A-Z0-9]{3}/[A-Z0-9]{4}-\\d{2}', 'i'), context: 'optional' },
    { regex: token('[A-Z0-9]{12}\\d{2}', 'i'), context: 'required' },
  ],
  context: ['cnpj', 'cadastro nacional', 'pessoa juridica', 'razao social', 'inscricao', 'empresa'],
  judge: judgeCnpj,
  examples: {
    hits: [
      'CNPJ 69.896.500/0001-50',
      '33014902000136',
      '12.ABC.345/01DE-35',
      'Razão social, CNPJ: 74.119.593/0001-46',
    ],
    misses: [
      'CNPJ 69.896.500/0001-51',
      'CNPJ 00000000000000',
      'CNPJ 169.896.500/0001-50',
      'CNPJ 69.896.500/0001-5',
      '12.ABC.345/01DE-36',
      '12ABC34501DE35',
    ],
  },
});
