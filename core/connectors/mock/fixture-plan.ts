import type { TemplateName } from './documents/templates.ts';
import type { Format } from './formats/format.ts';

/** The rank of the label that fits the content, from 0 (public) to 3 (highly confidential). */
export type Rank = 0 | 1 | 2 | 3;

export type PlannedKind = {
  folder: string;
  template: TemplateName;
  format: Format;
  count: number;
  rank: Rank;
};

export type PlannedSite = { externalId: string; name: string; kinds: PlannedKind[] };

const kind = (
  folder: string,
  template: TemplateName,
  format: Format,
  count: number,
  rank: Rank,
): PlannedKind => ({
  folder,
  template,
  format,
  count,
  rank,
});

/** The sites of the fixture tenant and their content: about two hundred documents. */
export const SITES: readonly PlannedSite[] = [
  {
    externalId: 'site-finance',
    name: 'Finance',
    kinds: [
      kind('Receivables/Invoices', 'invoice', 'pdf', 6, 2),
      kind('Receivables/Rechnungen', 'rechnung', 'pdf', 3, 2),
      kind('Receivables/Factures', 'facture', 'docx', 2, 2),
      kind('Receivables/Facturas', 'factura', 'docx', 1, 2),
      kind('Treasury', 'bankReconciliation', 'xlsx', 3, 2),
      kind('Planning', 'budget', 'xlsx', 3, 2),
      kind('Expenses', 'expenseClaim', 'xlsx', 3, 2),
      kind('Reporting', 'managementAccounts', 'docx', 2, 3),
      kind('Reporting', 'managementAccounts', 'pptx', 1, 3),
      kind('Payables', 'vendorBankDetails', 'csv', 2, 2),
      kind('Tax', 'taxReturn', 'docx', 2, 3),
      kind('Payables/Mail', 'paymentApproval', 'eml', 2, 2),
    ],
  },
  {
    externalId: 'site-people',
    name: 'People',
    kinds: [
      kind('Contracts', 'employmentContract', 'docx', 8, 2),
      kind('Contracts/DE', 'arbeitsvertrag', 'docx', 4, 2),
      kind('Payroll', 'payroll', 'xlsx', 4, 3),
      kind('Compensation', 'salaryReview', 'docx', 2, 3),
      kind('Recruiting', 'curriculumVitae', 'pdf', 4, 2),
      kind('Recruiting/FR', 'lettreDeMotivation', 'docx', 2, 2),
      kind('Appraisals', 'performanceReview', 'docx', 4, 2),
      kind('Absence', 'healthInsuranceLetter', 'pdf', 3, 3),
      kind('Absence', 'sickNote', 'pdf', 1, 3),
      kind('Benefits', 'benefits', 'csv', 2, 2),
      kind('Mobility', 'usRelocation', 'docx', 1, 3),
      kind('Handbook', 'onboardingChecklist', 'html', 1, 1),
    ],
  },
  {
    externalId: 'site-legal',
    name: 'Legal',
    kinds: [
      kind('Agreements', 'supplyAgreement', 'docx', 4, 2),
      kind('Agreements/ES', 'contrato', 'docx', 1, 2),
      kind('Agreements/NDA', 'nonDisclosure', 'docx', 6, 2),
      kind('Litigation', 'litigationMemo', 'docx', 3, 3),
      kind('Board', 'boardMinutes', 'docx', 2, 3),
      kind('Privacy', 'processingAgreement', 'pdf', 2, 1),
      kind('Privacy', 'subjectAccess', 'docx', 2, 2),
      kind('Privacy', 'privacyNotice', 'html', 1, 0),
      kind('Agreements', 'contractRegister', 'xlsx', 1, 2),
      kind('Litigation/Mail', 'counselMail', 'eml', 2, 3),
    ],
  },
  {
    externalId: 'site-engineering',
    name: 'Engineering',
    kinds: [
      kind('Runbooks', 'runbookWithSecrets', 'txt', 3, 3),
      kind('Runbooks', 'deployKey', 'txt', 2, 3),
      kind('Runbooks', 'operationsGuide', 'html', 2, 1),
      kind('Design', 'architecture', 'docx', 3, 1),
      kind('Design', 'designSpecification', 'pdf', 3, 2),
      kind('Roadmap', 'roadmap', 'pptx', 2, 3),
      kind('Tests', 'testResults', 'csv', 2, 1),
      kind('Security', 'securityIncident', 'docx', 3, 3),
      kind('Security', 'vulnerabilityAssessment', 'xlsx', 2, 3),
      kind('Security', 'accessReview', 'csv', 1, 2),
      kind('Releases', 'releaseNotes', 'html', 3, 0),
      kind('Mail', 'outageMail', 'eml', 1, 1),
    ],
  },
  {
    externalId: 'site-sales',
    name: 'Sales',
    kinds: [
      kind('Pricing', 'priceList', 'xlsx', 3, 2),
      kind('Quotes', 'quote', 'docx', 4, 2),
      kind('Accounts', 'customerList', 'csv', 2, 2),
      kind('Accounts', 'pipeline', 'xlsx', 2, 2),
      kind('Proposals', 'proposal', 'pptx', 3, 2),
      kind('Marketing', 'brochure', 'html', 2, 0),
      kind('Marketing', 'werbetext', 'docx', 1, 0),
      kind('Marketing', 'argumentaire', 'docx', 1, 0),
      kind('Orders', 'cardAuthorisation', 'pdf', 2, 3),
    ],
  },
  {
    externalId: 'site-operations',
    name: 'Operations',
    kinds: [
      kind('Safety/Accidents', 'accidentReport', 'docx', 5, 2),
      kind('Safety/Risk', 'riskAssessment', 'xlsx', 3, 1),
      kind('Safety/Inspections', 'inspection', 'pdf', 3, 1),
      kind('Safety/Training', 'safetyTraining', 'pptx', 2, 1),
      kind('Safety/Health', 'occupationalHealth', 'docx', 3, 3),
      kind('Fleet', 'vehicleFleet', 'csv', 1, 2),
      kind('Planning', 'shiftPlan', 'xlsx', 2, 1),
      kind('Purchasing', 'supplierScorecard', 'xlsx', 2, 1),
    ],
  },
  {
    externalId: 'site-support',
    name: 'Customer support',
    kinds: [
      kind('Tickets', 'ticketExport', 'csv', 3, 2),
      kind('Complaints', 'complaint', 'docx', 3, 2),
      kind('Complaints/ES', 'reclamacion', 'docx', 1, 2),
      kind('Calls', 'callTranscript', 'txt', 4, 2),
      kind('Refunds', 'refunds', 'xlsx', 2, 2),
      kind('Articles', 'supportArticle', 'html', 3, 0),
      kind('Mail', 'supportMail', 'eml', 4, 2),
    ],
  },
  {
    externalId: 'site-general',
    name: 'General',
    kinds: [
      kind('News', 'newsletter', 'html', 3, 0),
      kind('Canteen', 'canteenMenu', 'txt', 2, 0),
      kind('Minutes', 'meetingMinutes', 'docx', 3, 1),
      kind('Minutes', 'acta', 'docx', 1, 1),
      kind('Office', 'holidayCalendar', 'csv', 1, 0),
    ],
  },
];

/** Byte-identical copies: the first document of a kind at one site, copied to a folder of another. */
export const COPIES: readonly { template: TemplateName; toSite: string; folder: string }[] = [
  { template: 'payroll', toSite: 'site-general', folder: 'Transfer' },
  { template: 'customerList', toSite: 'site-general', folder: 'Transfer' },
  { template: 'invoice', toSite: 'site-sales', folder: 'Orders' },
  { template: 'nonDisclosure', toSite: 'site-sales', folder: 'Accounts/NDA' },
  { template: 'accidentReport', toSite: 'site-people', folder: 'Absence' },
  { template: 'priceList', toSite: 'site-support', folder: 'Reference' },
  { template: 'runbookWithSecrets', toSite: 'site-support', folder: 'Reference' },
  { template: 'supplyAgreement', toSite: 'site-finance', folder: 'Payables/Contracts' },
  { template: 'brochure', toSite: 'site-general', folder: 'News' },
];
