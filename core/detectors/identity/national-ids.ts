import type { Detector } from '../detector.ts';
import { arCuit } from './ar.ts';
import { atSocialSecurity, atTaxNumber } from './at.ts';
import { auAbn, auAcn, auMedicare, auTfn } from './au.ts';
import { beNationalNumber } from './be.ts';
import { bgPersonalId } from './bg.ts';
import { brCnpj, brCpf } from './br.ts';
import { caSin } from './ca.ts';
import { chCompanyNumber, chSocialSecurity } from './ch.ts';
import { clRut } from './cl.ts';
import { cnResidentId } from './cn.ts';
import { czBirthNumber } from './cz.ts';
import {
  deCommercialRegister,
  deDoctorNumber,
  deDrivingLicence,
  deHealthInsurance,
  dePracticeNumber,
  deSocialSecurity,
  deTaxId,
  deVatId,
} from './de.ts';
import { deIdCard, dePassport } from './de-document.ts';
import { deTaxNumber } from './de-tax-number.ts';
import { dkCompanyNumber, dkCpr } from './dk.ts';
import { drivingLicenceNumber } from './driving-licence.ts';
import { eeLtPersonalCode } from './ee.ts';
import { esCompanyNumber, esDni, esNie, esPassport, esSocialSecurity } from './es.ts';
import { euVatId } from './eu-vat.ts';
import { fiBusinessId, fiPersonalId } from './fi.ts';
import { frCompanyNumber, frIdCard, frNir, frPassport, frTaxNumber } from './fr.ts';
import { grSocialSecurity } from './gr.ts';
import { hkIdCard } from './hk.ts';
import { hrOib } from './hr.ts';
import { iePps } from './ie.ts';
import { ilIdNumber } from './il.ts';
import {
  inAadhaar,
  inDrivingLicence,
  inGstin,
  inIfsc,
  inMemberNumber,
  inPan,
  inPassport,
  inUpi,
  inVoterId,
} from './in.ts';
import { itDrivingLicence, itFiscalCode, itIdCard, itPassport, itVatNumber } from './it.ts';
import { jpMyNumber } from './jp.ts';
import { krBusinessNumber, krDrivingLicence, krForeignerNumber, krPassport, krRrn } from './kr.ts';
import { mxCurp, mxRfc } from './mx.ts';
import { myIdCard } from './my.ts';
import { ngNin } from './ng.ts';
import { nlBsn, nlDocument } from './nl.ts';
import { noNationalId, noOrganisationNumber } from './no.ts';
import { nzIrd } from './nz.ts';
import { passportNumber } from './passport.ts';
import { phHealth, phNationalId, phSocialSecurity, phTin } from './ph.ts';
import { pkIdCard } from './pk.ts';
import { plIdCard, plNip, plPesel, plRegon } from './pl.ts';
import { ptCitizenCard, ptTaxNumber } from './pt.ts';
import { roCnp } from './ro.ts';
import { seOrganisationsnummer, sePersonnummer } from './se.ts';
import { sgNric, sgUen } from './sg.ts';
import { thNationalId } from './th.ts';
import { trNationalId, trTaxNumber } from './tr.ts';
import { twNationalId } from './tw.ts';
import { ukDrivingLicence, ukNhs, ukNino, ukPassport, ukTaxReference } from './uk.ts';
import { usDea, usDriverLicence, usEin, usItin, usMbi, usNpi, usPassport, usSsn } from './us.ts';
import { zaIdNumber } from './za.ts';

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
  inIfsc,
  inUpi,
  inDrivingLicence,
  inMemberNumber,
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
  phSocialSecurity,
  phHealth,
  phNationalId,
  pkIdCard,
  roCnp,
  sgNric,
  sgUen,
  thNationalId,
  trNationalId,
  trTaxNumber,
  twNationalId,
  zaIdNumber,
  passportNumber,
  drivingLicenceNumber,
];
