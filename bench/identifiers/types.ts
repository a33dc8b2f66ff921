import type { Detector } from '../../core/detectors/detector.ts';

/** The kinds of values that are scored in running text, in two groups, under the names that the results use. */
export const STRUCTURED = [
  'CREDIT_CARD',
  'IBAN_CODE',
  'EMAIL_ADDRESS',
  'PHONE_NUMBER',
  'US_SSN',
  'IP_ADDRESS',
] as const;
export const NAMED = ['PERSON', 'STREET_ADDRESS', 'GPE', 'ORGANIZATION'] as const;

/** Names of the same kinds in the corpora. */
const SAME_TYPE: Readonly<Record<string, string>> = {
  ADDRESS: 'STREET_ADDRESS',
  LOCATION: 'GPE',
  ORG: 'ORGANIZATION',
  ORGANISATION: 'ORGANIZATION',
};

export const typeOf = (upstream: string): string => SAME_TYPE[upstream] ?? upstream;

/** Detectors for each upstream kind, unless a detector has its name in lower case. Any of them may find the value. */
const DETECTORS_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  ABA_ROUTING_NUMBER: ['us_routing_number'],
  BR_TAX_ID: ['br_cpf', 'br_cnpj'],
  CRYPTO: ['bitcoin_address', 'ethereum_address'],
  DE_BSNR: ['de_practice_number'],
  DE_FUEHRERSCHEIN: ['de_driving_licence'],
  DE_HANDELSREGISTER: ['de_commercial_register'],
  DE_KFZ: ['de_vehicle_registration'],
  DE_LANR: ['de_doctor_number'],
  DE_PLZ: ['de_postcode'],
  ES_IDENTITY: ['es_dni', 'es_nie'],
  ES_NIF: ['es_dni'],
  FI_PERSONAL_IDENTITY_CODE: ['fi_personal_id'],
  GPE: ['place_name'],
  IBAN_CODE: ['iban'],
  IN_VEHICLE_REGISTRATION: ['vehicle_registration'],
  IN_VOTER: ['in_voter_id'],
  IP_ADDRESS: ['ipv4_address', 'ipv6_address'],
  IT_DRIVER_LICENSE: ['it_driving_licence'],
  IT_IDENTITY_CARD: ['it_id_card'],
  IT_VAT_CODE: ['it_vat_number'],
  KR_BRN: ['kr_business_number'],
  KR_DRIVER_LICENSE: ['kr_driving_licence'],
  KR_FRN: ['kr_foreigner_number'],
  MEDICAL_LICENSE: ['us_dea'],
  NG_VEHICLE_REGISTRATION: ['vehicle_registration'],
  ORGANIZATION: ['organization_name'],
  PERSON: ['person_name'],
  PH_MOBILE_NUMBER: ['phone_number'],
  PL_TAX_ID: ['pl_nip', 'pl_pesel'],
  SG_NRIC_FIN: ['sg_nric'],
  TH_TNIN: ['th_national_id'],
  TR_LICENSE_PLATE: ['tr_vehicle_registration'],
  TR_PHONE_NUMBER: ['phone_number'],
  UK_TAX_ID: ['uk_tax_reference', 'uk_nino'],
  URL: ['web_address'],
  US_BANK_NUMBER: ['bank_account_number'],
  US_DRIVER_LICENSE: ['us_driver_licence'],
};

/** The ids of the detectors for an upstream kind. Empty if there is none. */
export function detectorsOf(type: string, detectors: readonly Detector[]): string[] {
  const answering = [type.toLowerCase(), ...(DETECTORS_OF_TYPE[type] ?? [])];
  return detectors.filter(({ id }) => answering.includes(id)).map(({ id }) => id);
}

/**
 * Kinds of values by validator and its first argument. Calls with options are not scored, because options change what
 * is valid. `isVAT` is not scored, because it accepts any number of the right length.
 */
const TYPE_OF_VALIDATOR: Readonly<Record<string, string>> = {
  'isEmail ': 'EMAIL_ADDRESS',
  'isIP ': 'IP_ADDRESS',
  'isIBAN ': 'IBAN_CODE',
  'isBIC ': 'BIC',
  'isCreditCard ': 'CREDIT_CARD',
  'isMACAddress ': 'MAC_ADDRESS',
  'isIMEI ': 'IMEI',
  'isURL ': 'URL',
  'isBtcAddress ': 'CRYPTO',
  'isEthereumAddress ': 'CRYPTO',
  'isJWT ': 'JSON_WEB_TOKEN',
  'isIdentityCard ES': 'ES_IDENTITY',
  'isIdentityCard FI': 'FI_PERSONAL_ID',
  'isIdentityCard IN': 'IN_AADHAAR',
  'isIdentityCard IT': 'IT_ID_CARD',
  'isIdentityCard NO': 'NO_NATIONAL_ID',
  'isIdentityCard PK': 'PK_ID_CARD',
  'isIdentityCard PL': 'PL_PESEL',
  'isIdentityCard TH': 'TH_NATIONAL_ID',
  'isIdentityCard he-IL': 'IL_ID_NUMBER',
  'isIdentityCard zh-CN': 'CN_RESIDENT_ID',
  'isIdentityCard zh-HK': 'HK_ID_CARD',
  'isIdentityCard zh-TW': 'TW_NATIONAL_ID',
  'isPassportNumber DE': 'DE_PASSPORT',
  'isPassportNumber ES': 'ES_PASSPORT',
  'isPassportNumber FR': 'FR_PASSPORT',
  'isPassportNumber GB': 'UK_PASSPORT',
  'isPassportNumber IN': 'IN_PASSPORT',
  'isPassportNumber IT': 'IT_PASSPORT',
  'isPassportNumber KR': 'KR_PASSPORT',
  'isPassportNumber US': 'US_PASSPORT',
  'isTaxID bg-BG': 'BG_PERSONAL_ID',
  'isTaxID cs-CZ': 'CZ_BIRTH_NUMBER',
  'isTaxID de-AT': 'AT_TAX_NUMBER',
  'isTaxID de-DE': 'DE_TAX_ID',
  'isTaxID dk-DK': 'DK_CPR',
  'isTaxID en-CA': 'CA_SIN',
  'isTaxID en-GB': 'UK_TAX_ID',
  'isTaxID en-IE': 'IE_PPS',
  'isTaxID en-IN': 'IN_PAN',
  'isTaxID en-US': 'US_EIN',
  'isTaxID es-AR': 'AR_CUIT',
  'isTaxID es-ES': 'ES_IDENTITY',
  'isTaxID et-EE': 'EE_LT_PERSONAL_CODE',
  'isTaxID fi-FI': 'FI_PERSONAL_ID',
  'isTaxID fr-FR': 'FR_TAX_NUMBER',
  'isTaxID hr-HR': 'HR_OIB',
  'isTaxID it-IT': 'IT_FISCAL_CODE',
  'isTaxID nl-BE': 'BE_NATIONAL_NUMBER',
  'isTaxID nl-NL': 'NL_BSN',
  'isTaxID pl-PL': 'PL_TAX_ID',
  'isTaxID pt-BR': 'BR_TAX_ID',
  'isTaxID pt-PT': 'PT_TAX_NUMBER',
  'isTaxID ro-RO': 'RO_CNP',
  'isTaxID sv-SE': 'SE_PERSONNUMMER',
};

/** The kind of value of a validator case, or null if no detector covers it. */
export const typeOfValidator = (validator: string, args: readonly unknown[]): string | null => {
  const [first = '', ...more] = args;
  if (typeof first !== 'string' || more.length > 0) return null;
  return TYPE_OF_VALIDATOR[`${validator} ${first}`] ?? null;
};
