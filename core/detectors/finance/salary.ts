import { defineDetector } from '../detector.ts';

const CURRENCY = '(?:[$€£]|US\\$|USD|EUR|GBP|CHF|PLN|BRL)';
const AMOUNT = "\\d{1,3}(?:[.,' \\u00a0]\\d{3}){1,3}(?:[.,]\\d{2})?|\\d{4,8}(?:[.,]\\d{2})?";
const BEFORE = '(?<![A-Za-z0-9_])(?<!\\d[.,-])';
const AFTER = '(?![A-Za-z0-9_])(?![.,-]\\d)';

export const salaryAmount = defineDetector({
  id: 'salary_amount',
  version: 1,
  family: 'compensation',
  title: 'Salary or other pay',
  gate: { kind: 'digits', least: 4, reach: 30 },
  patterns: [
    { regex: new RegExp(`${BEFORE}${CURRENCY} ?(?:${AMOUNT})${AFTER}`, 'g'), context: 'required' },
    {
      regex: new RegExp(`${BEFORE}(?:${AMOUNT}) ?(?:[$€£]|USD\\b|EUR\\b|GBP\\b|CHF\\b|PLN\\b|zł)`, 'g'),
      context: 'required',
    },
    // A column of salaries often states its currency once or not at all.
    { regex: /(?<![A-Za-z0-9_.-])\d{5,7}(?:\.\d{2})?(?![A-Za-z0-9_-])(?!\.\d)/g, context: 'required' },
  ],
  context: [
    ...[
      'salary',
      'salaries',
      'base salary',
      'annual salary',
      'gross pay',
      'net pay',
      'wage',
      'wages',
      'payroll',
    ],
    ...['compensation', 'remuneration', 'bonus', 'gehalt', 'gehalter', 'bruttogehalt', 'nettogehalt', 'lohn'],
    ...[
      'vergutung',
      'salaire',
      'salaires',
      'remuneration brute',
      'paie',
      'salario',
      'salarios',
      'sueldo',
      'nomina',
    ],
    ...['stipendio', 'retribuzione', 'remuneracao', 'ordenado', 'salaris', 'loon', 'wynagrodzenie', 'pensja'],
  ],
  confidence: { context: 0.75 },
  examples: {
    hits: [
      'base salary: $85,000',
      'Bruttogehalt 4.250,00 €',
      'salaire annuel de 45 000 EUR',
      'employee,salary\nA,72500',
    ],
    misses: ['$85,000', 'salary for 2023', 'wagering $85,000', 'salary A12345'],
  },
});
