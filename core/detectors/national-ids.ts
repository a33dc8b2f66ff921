import { arCuit } from './ar-identity.ts';
import { atSocialSecurity, atTaxNumber } from './at-identity.ts';
import { auAbn, auAcn, auMedicare, auTfn } from './au-identity.ts';
import { beNationalNumber } from './be-identity.ts';
import { bgPersonalId } from './bg-identity.ts';
import { brCnpj, brCpf } from './br-identity.ts';
import { caSin } from './ca-identity.ts';
import { chCompanyNumber, chSocialSecurity } from './ch-identity.ts';
import { clRut } from './cl-identity.ts';
import { cnResidentId } from './cn-identity.ts';
import { czBirthNumber } from './cz-identity.ts';
import { deIdCard, dePassport } from './de-document.ts';
import {
  deCommercialRegister,
  deDoctorNumber,
  deDrivingLicence,
  deHealthInsurance,
  dePracticeNumber,
  deSocialSecurity,
  deVatId,
} from './de-identity.ts';
import { deTaxId } from './de-tax-id.ts';
import { deTaxNumber } from './de-tax-number.ts';
import type { Detector } from './detector.ts';
import { dkCompanyNumber, dkCpr } from './dk-identity.ts';
import { drivingLicenceNumber } from './driving-licence.ts';
import { eeLtPersonalCode } from './ee-identity.ts';
import { esCompanyNumber, esDni, esNie, esPassport, esSocialSecurity } from './es-identity.ts';
import { euVatId } from './eu-vat.ts';
import { fiBusinessId, fiPersonalId } from './fi-identity.ts';
import { frCompanyNumber, frIdCard, frPassport, frTaxNumber } from './fr-identity.ts';
import { frNir } from './fr-nir.ts';
import { grSocialSecurity } from './gr-identity.ts';
import { hkIdCard } from './hk-identity.ts';
import { hrOib } from './hr-identity.ts';
import { iePps } from './ie-identity.ts';
import { ilIdNumber } from './il-identity.ts';
import { inAadhaar, inGstin, inPan, inPassport, inVoterId } from './in-identity.ts';
import { itFiscalCode } from './it-fiscal-code.ts';
import { itDrivingLicence, itIdCard, itPassport, itVatNumber } from './it-identity.ts';
import { jpMyNumber } from './jp-identity.ts';
import { krBusinessNumber, krDrivingLicence, krForeignerNumber, krPassport, krRrn } from './kr-identity.ts';
import { mxCurp, mxRfc } from './mx-identity.ts';
import { myIdCard } from './my-identity.ts';
import { ngNin } from './ng-identity.ts';
import { nlBsn, nlDocument } from './nl-identity.ts';
import { noNationalId, noOrganisationNumber } from './no-identity.ts';
import { nzIrd } from './nz-identity.ts';
import { passportNumber } from './passport.ts';
import { phTin } from './ph-identity.ts';
import { pkIdCard } from './pk-identity.ts';
import { plIdCard, plNip, plPesel, plRegon } from './pl-identity.ts';
import { ptCitizenCard, ptTaxNumber } from './pt-identity.ts';
import { roCnp } from './ro-identity.ts';
import { seOrganisationsnummer, sePersonnummer } from './se-identity.ts';
import { sgNric, sgUen } from './sg-identity.ts';
import { thNationalId } from './th-identity.ts';
import { trNationalId } from './tr-identity.ts';
import { twNationalId } from './tw-identity.ts';
import { ukDrivingLicence, ukNhs, ukNino, ukPassport, ukTaxReference } from './uk-identity.ts';
import { usDea, usDriverLicence, usEin, usItin, usMbi, usNpi, usPassport } from './us-identity.ts';
import { usSsn } from './us-ssn.ts';
import { zaIdNumber } from './za-identity.ts';

/** National, tax, social security, health, driving and travel document numbers, by country. */
export const NATIONAL_IDS: readonly Detector[] = [
  usItin,
  usEin,
  usNpi,
  usMbi,
  usDea,
  usDriverLicence,
  usPassport,
  usSsn,
  ukNino,
  ukNhs,
  ukDrivingLicence,
  ukPassport,
  ukTaxReference,
  deTaxNumber,
  deVatId,
  deSocialSecurity,
  deHealthInsurance,
  deIdCard,
  dePassport,
  deDrivingLicence,
  deDoctorNumber,
  dePracticeNumber,
  deCommercialRegister,
  deTaxId,
  frTaxNumber,
  frCompanyNumber,
  frIdCard,
  frPassport,
  frNir,
  esDni,
  esNie,
  esCompanyNumber,
  esSocialSecurity,
  esPassport,
  itFiscalCode,
  itVatNumber,
  itDrivingLicence,
  itIdCard,
  itPassport,
  ptTaxNumber,
  ptCitizenCard,
  nlBsn,
  nlDocument,
  beNationalNumber,
  atSocialSecurity,
  atTaxNumber,
  chSocialSecurity,
  chCompanyNumber,
  plPesel,
  plNip,
  plRegon,
  plIdCard,
  czBirthNumber,
  sePersonnummer,
  seOrganisationsnummer,
  noNationalId,
  noOrganisationNumber,
  dkCpr,
  dkCompanyNumber,
  fiPersonalId,
  fiBusinessId,
  iePps,
  arCuit,
  auAbn,
  auAcn,
  auTfn,
  auMedicare,
  bgPersonalId,
  brCpf,
  brCnpj,
  caSin,
  clRut,
  cnResidentId,
  eeLtPersonalCode,
  euVatId,
  grSocialSecurity,
  hkIdCard,
  hrOib,
  ilIdNumber,
  inAadhaar,
  inPan,
  inGstin,
  inVoterId,
  inPassport,
  jpMyNumber,
  krRrn,
  krForeignerNumber,
  krBusinessNumber,
  krDrivingLicence,
  krPassport,
  mxCurp,
  mxRfc,
  myIdCard,
  ngNin,
  nzIrd,
  phTin,
  pkIdCard,
  roCnp,
  sgNric,
  sgUen,
  thNationalId,
  trNationalId,
  twNationalId,
  zaIdNumber,
  passportNumber,
  drivingLicenceNumber,
];
