import { asPhrase } from './as-phrase.ts';
import { listed } from './known-domain.ts';

/** A place that the mock provider knows. */
export type KnownGeography = {
  name: string;
  /** Folded full names. */
  names: readonly string[];
  /** Larger regions that contain it, by the keys that regulations use. */
  regions: readonly string[];
  /** Detectors of identity numbers that are used there. */
  identityDetectors: readonly string[];
};

const place = (names: string, regions: string, identityDetectors = ''): KnownGeography => {
  const [name = '', ...others] = listed(names);
  return {
    name,
    names: [name, ...others].map((one) => one.toLowerCase()),
    regions: listed(regions),
    identityDetectors: listed(identityDetectors),
  };
};

export const GEOGRAPHIES: readonly KnownGeography[] = [
  place('European Union, eu, europe, emea, eea, european economic area', 'eu'),
  place(
    'Germany, deutschland, de, german, dach',
    'eu, de',
    'de_tax_id, de_social_security, de_id_card, de_health_insurance',
  ),
  place('Austria, osterreich, at, dach', 'eu', 'at_social_security, at_tax_number'),
  place('France, fr, french', 'eu, fr', 'fr_nir, fr_id_card'),
  place('Spain, espana, es, iberia', 'eu', 'es_dni, es_nie, es_social_security'),
  place('Portugal, pt, iberia', 'eu', 'pt_citizen_card, pt_tax_number'),
  place('Italy, italia, it', 'eu', 'it_fiscal_code, it_id_card'),
  place('Netherlands, nederland, nl, holland, benelux', 'eu', 'nl_bsn'),
  place('Belgium, belgie, belgique, be, benelux', 'eu', 'be_national_number'),
  place('Luxembourg, lu, benelux', 'eu'),
  place('Ireland, ie, eire', 'eu', 'ie_pps'),
  place('Poland, polska, pl', 'eu', 'pl_pesel, pl_id_card'),
  place('Czechia, czech republic, cesko, cz', 'eu', 'cz_birth_number'),
  place('Slovakia, slovensko, sk', 'eu', 'cz_birth_number'),
  place('Sweden, sverige, se, nordics, scandinavia', 'eu', 'se_personnummer'),
  place('Denmark, danmark, dk, nordics, scandinavia', 'eu', 'dk_cpr'),
  place('Finland, suomi, fi, nordics', 'eu', 'fi_personal_id'),
  place('Estonia, eesti, ee, baltics', 'eu', 'ee_lt_personal_code'),
  place('Lithuania, lietuva, lt, baltics', 'eu', 'ee_lt_personal_code'),
  place('Latvia, latvija, lv, baltics', 'eu'),
  place('Greece, hellas, gr', 'eu', 'gr_social_security'),
  place('Romania, ro', 'eu', 'ro_cnp'),
  place('Bulgaria, bg', 'eu', 'bg_personal_id'),
  place('Croatia, hrvatska, hr', 'eu', 'hr_oib'),
  place('Hungary, magyarorszag, hu', 'eu'),
  place('Slovenia, si', 'eu'),
  place('Malta, mt', 'eu'),
  place('Cyprus, cy', 'eu'),
  place('Norway, norge, no, nordics, scandinavia', 'eu', 'no_national_id'),
  place('Iceland, is, nordics', 'eu'),
  place('Liechtenstein, li', 'eu'),
  place('Switzerland, schweiz, suisse, svizzera, ch, dach', 'ch', 'ch_social_security'),
  place(
    'United Kingdom, uk, gb, great britain, britain, england, scotland, wales, northern ireland',
    'uk',
    'uk_nino, uk_passport',
  ),
  place(
    'United States, us, usa, u s, united states of america, america, north america',
    'us',
    'us_ssn, us_passport, us_driver_licence',
  ),
  place('California, us ca', 'us, us-ca', 'us_ssn, us_driver_licence'),
  place('New York, us ny', 'us, us-ny', 'us_ssn'),
  place('Virginia, us va', 'us', 'us_ssn'),
  place('Texas, us tx', 'us', 'us_ssn, us_driver_licence'),
  place('Canada, ca, north america', 'ca', 'ca_sin'),
  place('Quebec', 'ca, ca-qc', 'ca_sin'),
  place('Mexico, mx, north america, latam, latin america', 'mx', 'mx_curp, mx_rfc'),
  place('Brazil, brasil, br, latam, latin america, south america', 'br', 'br_cpf'),
  place('Argentina, ar, latam, latin america, south america', 'ar', 'ar_cuit'),
  place('Chile, cl, latam, latin america, south america', 'cl', 'cl_rut'),
  place('India, bharat, in', 'in', 'in_aadhaar, in_pan'),
  place('China, cn, prc, mainland china, greater china', 'cn', 'cn_resident_id'),
  place('Hong Kong, hk, greater china', 'hk', 'hk_id_card'),
  place('Taiwan, tw', 'tw', 'tw_national_id'),
  place('Japan, nippon, jp', 'jp', 'jp_my_number'),
  place('South Korea, korea, kr, republic of korea', 'kr', 'kr_rrn'),
  place('Singapore, sg', 'sg', 'sg_nric'),
  place('Thailand, th', 'th', 'th_national_id'),
  place('Malaysia, my', 'my', 'my_id_card'),
  place('Philippines, ph', 'ph', 'ph_tin'),
  place('Australia, au, anz', 'au', 'au_tfn, au_medicare'),
  place('New Zealand, nz, aotearoa, anz', 'nz', 'nz_ird'),
  place('South Africa, za', 'za', 'za_id_number'),
  place('Nigeria, ng', 'ng', 'ng_nin'),
  place('Turkey, turkiye, tr', 'tr', 'tr_national_id'),
  place('Israel, il', 'il', 'il_id_number'),
];

/** Finds places by their whole name, such as `Germany` or `US-CA`, or by a long name among other words. */
export function placesOf(geographies: readonly string[]): KnownGeography[] {
  const named = geographies.map((geography) => asPhrase(geography));
  return GEOGRAPHIES.filter(({ names }) =>
    names.some((name) =>
      named.some((phrase) => phrase === ` ${name} ` || (name.length > 3 && phrase.includes(` ${name} `))),
    ),
  );
}
