import { mod97 } from '../checks/mod97.ts';

/**
 * The account number of each country after the check digits, in the notation of the ISO 13616 registry: n for digits,
 * a for letters, c for either.
 */
const ACCOUNTS = `
  AD:8n12c AE:19n AL:8n16c AT:16n AZ:4c20n BA:16n BE:12n BG:4a6n8c BH:4a14c BI:23n BR:23n1a1c BY:4c4n16c CH:5n12c
  CR:18n CY:8n16c CZ:20n DE:18n DJ:23n DK:14n DO:4a20n DZ:22n EE:16n EG:25n ES:20n FI:14n FK:2a12n FO:14n
  FR:10n11c2n GB:4a14n GE:2c16n GI:4a15c GL:14n GR:7n16c GT:24c HN:4a20n HR:17n HU:24n IE:4a14n IL:19n IQ:4a15n
  IR:22n IS:22n IT:1a10n12c JO:4a22n KW:4a22c KZ:3n13c LB:4n20c LC:4a24c LI:5n12c LT:16n LU:3n13c LV:4a13c LY:21n
  MA:24n MC:10n11c2n MD:20c ME:18n MK:3n10c2n MN:16n MR:23n MT:4a5n18c MU:4a19n3a MZ:21n NI:4a20n NL:4a10n NO:11n
  OM:3n16c PK:4c16n PL:24n PS:4a21c PT:21n QA:4a21c RO:4a16c RS:18n RU:14n15c SA:2n18c SC:4a20n3a SD:14n SE:20n
  SI:15n SK:20n SM:1a10n12c SO:19n ST:21n SV:4c20n TL:19n TN:20n TR:5n17c UA:6n19c VA:18n VG:4a16n XK:16n
  YE:4a4n18c
`;

const SETS: Readonly<Record<string, string>> = { n: '\\d', a: '[A-Z]', c: '[A-Z0-9]' };

const FORMS = new Map(
  ACCOUNTS.trim()
    .split(/\s+/)
    .map((each) => {
      const [country = '', account = ''] = each.split(':');
      const source = account.replace(
        /(\d+)([nac])/g,
        (_, count: string, kind: string) => `${SETS[kind] ?? ''}{${count}}`,
      );
      return [country, new RegExp(`^\\d\\d${source}$`)] as const;
    }),
);

/** Whether capitals and digits have the format of the IBAN of their country. */
export const hasIbanForm = (number: string): boolean =>
  FORMS.get(number.slice(0, 2))?.test(number.slice(2)) === true;

/** Whether capitals and digits form an IBAN: the format of its country and correct check digits. */
export const isIban = (number: string): boolean =>
  hasIbanForm(number) && mod97(number.slice(4) + number.slice(0, 4)) === 1;
