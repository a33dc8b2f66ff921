import { type KnownDomain, knownType, listed } from './known-domain.ts';

/** Domains that organizations of every industry have. */
export const BUSINESS_FUNCTIONS: readonly KnownDomain[] = [
  {
    name: 'Finance and Accounting',
    description: 'Money that comes in and goes out, and what is reported about it.',
    inclusion:
      'Invoices, payments, bank details, ledgers, budgets, forecasts and tax papers of the organization.',
    exclusion: 'Salaries of employees; offers and prices to customers.',
    industries: [],
    words: listed(
      'finance, financial, accounting, invoice, ledger, payment, tax, budget, buchhaltung, rechnung',
    ),
    informationTypes: [
      knownType('Invoices and payments', 'confidential', {
        definition:
          'A bill that was issued or received, or a payment made for one, with amounts and account details.',
        why: 'Shows prices and account details, which payment fraud needs.',
        where: 'Finance sites: payables and receivables.',
        detectors: 'iban, bic, eu_vat_id, bank_account_number',
        keywords:
          'invoice, amount due, payment terms, purchase order, remittance, rechnung, facture, factura, fattura',
      }),
      knownType('Ledgers and financial statements', 'restricted', {
        definition:
          'General ledger, trial balance, closing papers and statements before and after they are published.',
        why: 'Results that are not yet published may move markets.',
        where: 'Finance sites: closing and reporting.',
        keywords:
          'general ledger, trial balance, balance sheet, income statement, cash flow, accruals, bilanz, bilan',
      }),
      knownType('Budgets and forecasts', 'confidential', {
        definition: 'What is planned to be earned and spent, by unit and period.',
        why: 'Tells competitors what is planned.',
        where: 'Finance sites: planning.',
        keywords:
          'budget, forecast, capital expenditure, operating expenses, variance analysis, planung, presupuesto',
      }),
      knownType('Tax records', 'confidential', {
        definition: 'Returns, assessments and correspondence with tax authorities.',
        why: 'Kept by law and secret by law in many places.',
        where: 'Finance sites: tax.',
        detectors: 'us_ein, eu_vat_id, de_tax_number',
        keywords:
          'tax return, withholding, value added tax, transfer pricing, tax assessment, umsatzsteuer, impuesto',
      }),
    ],
  },
  {
    name: 'Human Resources',
    description: 'People who work or apply here, from application to leaving.',
    inclusion: 'Applications, contracts, pay, performance, absence and benefits of employees.',
    exclusion: 'Records of customers, patients or students, even where they are staff as well.',
    industries: [],
    words: listed(
      'employee, personnel, hiring, recruitment, payroll, staff, hr, workforce, mitarbeiter, beschaftigte',
    ),
    informationTypes: [
      knownType('Personnel files', 'restricted', {
        definition: 'Contracts, personal data and correspondence of one employee.',
        why: 'Personal data of employees, protected by labour and privacy law.',
        where: 'HR sites with access for HR alone.',
        detectors: 'person_name, date_of_birth, street_address, passport_number',
        keywords:
          'employment contract, personnel file, job title, probation, termination, arbeitsvertrag, contrat de travail',
        people: true,
      }),
      knownType('Payroll and compensation', 'restricted', {
        definition: 'Pay, bonuses, deductions and the accounts they are paid to.',
        why: 'Pay is personal, and account details allow diversion.',
        where: 'HR sites: payroll.',
        detectors: 'salary_amount, iban, bank_account_number, person_name',
        keywords: 'payroll, salary, gross pay, net pay, bonus, pay slip, gehalt, bulletin de paie, nomina',
        people: true,
      }),
      knownType('Applications and hiring', 'confidential', {
        definition: 'Applications, curricula vitae, interviews and offers.',
        why: 'Personal data of people who have not joined, to be deleted in time.',
        where: 'HR sites: recruiting.',
        detectors: 'person_name, email_address, phone_number',
        keywords:
          'curriculum vitae, applicant, interview notes, job offer, cover letter, lebenslauf, bewerbung',
        people: true,
      }),
      knownType('Absence and occupational health', 'restricted', {
        definition: 'Sick leave, parental leave, fitness for work and accommodations.',
        why: 'Tells of health, which is specially protected.',
        where: 'HR sites: absence.',
        detectors: 'person_name, icd10_code',
        keywords:
          'sick leave, medical certificate, parental leave, fitness for work, krankmeldung, arret maladie',
        people: true,
      }),
    ],
  },
  {
    name: 'Legal and Contracts',
    description: 'Rights and duties of the organization, and disputes about them.',
    inclusion: 'Contracts, litigation, legal advice, corporate records and intellectual property.',
    exclusion: 'Purchase orders and offers without a contract of their own.',
    industries: [],
    words: listed('legal, contract, litigation, counsel, privilege, agreement, vertrag, contrat, contrato'),
    informationTypes: [
      knownType('Contracts and agreements', 'confidential', {
        definition: 'Signed agreements and their drafts, with partners, customers and suppliers.',
        why: 'Terms are agreed to be confidential.',
        where: 'Legal sites: contracts.',
        detectors: 'organization_name',
        keywords:
          'agreement, governing law, indemnification, limitation of liability, termination clause, vertrag, contrat',
      }),
      knownType('Litigation and legal advice', 'restricted', {
        definition: 'Papers of disputes, and advice of counsel.',
        why: 'Privileged: disclosure may end the privilege.',
        where: 'Legal sites with access by case.',
        keywords:
          'attorney client, privileged and confidential, plaintiff, settlement, legal hold, klage, mise en demeure',
      }),
      knownType('Corporate and board records', 'restricted', {
        definition: 'Minutes, resolutions and papers of governing bodies.',
        why: 'Holds plans and decisions before they are known.',
        where: 'Board sites.',
        keywords:
          'board of directors, resolution, minutes of the meeting, shareholders, quorum, aufsichtsrat',
      }),
    ],
  },
  {
    name: 'Customers and Sales',
    description: 'Who buys, what they are offered, and what they say.',
    inclusion: 'Customer records, offers, orders, complaints and support.',
    exclusion: 'Invoices and payments; campaigns to people who are not customers yet.',
    industries: [],
    words: listed('customer, client, sales, consumer, complaint, kunde, cliente, subscriber, member'),
    informationTypes: [
      knownType('Customer records', 'confidential', {
        definition: 'Names, contacts and history of customers.',
        why: 'Personal data of customers.',
        where: 'Sales sites and exports of the customer system.',
        detectors: 'person_name, email_address, phone_number, street_address',
        keywords:
          'customer number, account manager, contact details, customer list, kundennummer, fichier client',
        people: true,
      }),
      knownType('Offers and pricing', 'confidential', {
        definition: 'Offers, price lists and discounts.',
        why: 'Competitors would gain by it.',
        where: 'Sales sites: offers.',
        keywords: 'quotation, price list, discount, request for proposal, angebot, devis, presupuesto',
      }),
      knownType('Complaints and support', 'confidential', {
        definition: 'What customers report and how it was settled.',
        why: 'Holds personal data in free text.',
        where: 'Support sites and mailboxes.',
        detectors: 'person_name, email_address, phone_number',
        keywords: 'complaint, ticket, refund, escalation, customer service, reklamation, reclamation',
        people: true,
      }),
    ],
  },
  {
    name: 'Information Technology and Security',
    description: 'Systems, their access and their protection.',
    inclusion: 'Credentials, configurations, architecture, incidents and vulnerability reports.',
    exclusion: 'Product source code and research.',
    industries: [],
    words: listed(
      'security, cyber, password, encryption, incident, access control, vulnerability, backup, ict',
    ),
    informationTypes: [
      knownType('Credentials and keys', 'restricted', {
        definition: 'Passwords, keys, tokens and where they are written down.',
        why: 'Whoever reads them can act as the organization.',
        where: 'A vault, and nowhere else.',
        detectors:
          'private_key, api_key, assigned_secret, connection_password, password_column, azure_credential, json_web_token',
        keywords: 'password, api key, connection string, secret, service account, kennwort, mot de passe',
      }),
      knownType('Systems and network documentation', 'confidential', {
        definition: 'Architecture, addresses, configurations and inventories of systems.',
        why: 'A map for an attacker.',
        where: 'IT sites.',
        detectors: 'ipv4_address, ipv6_address, mac_address',
        keywords:
          'network diagram, firewall rule, server inventory, configuration, runbook, disaster recovery',
      }),
      knownType('Security incidents and tests', 'restricted', {
        definition: 'Incident records, penetration tests, vulnerability scans and their remedies.',
        why: 'Says what is still open.',
        where: 'Security sites.',
        detectors: 'ipv4_address',
        keywords:
          'incident report, penetration test, vulnerability, root cause, indicator of compromise, data breach',
      }),
    ],
  },
  {
    name: 'Procurement and Suppliers',
    description: 'What is bought, and from whom.',
    inclusion: 'Tenders, supplier records, assessments and purchase orders.',
    exclusion: 'Supplier contracts themselves and their invoices.',
    industries: [],
    words: listed(
      'supplier, vendor, procurement, purchasing, third party, outsourcing, lieferant, fournisseur',
    ),
    informationTypes: [
      knownType('Supplier records and assessments', 'confidential', {
        definition: 'Who supplies, their account details and how they were assessed.',
        why: 'Account details allow fraud; assessments are confidential.',
        where: 'Procurement sites.',
        detectors: 'iban, organization_name, eu_vat_id',
        keywords: 'supplier assessment, vendor onboarding, due diligence questionnaire, lieferantenbewertung',
      }),
      knownType('Tenders and bids', 'confidential', {
        definition: 'Calls for bids, the bids, and how they were judged.',
        why: 'Bids are sealed until they are opened.',
        where: 'Procurement sites: tenders.',
        keywords:
          'tender, bid evaluation, request for quotation, award, ausschreibung, appel d offres, licitacion',
      }),
    ],
  },
  {
    name: 'Risk and Compliance',
    description: 'How rules are kept, and how that is checked.',
    inclusion:
      'Controls, audits, risk registers, investigations, reports to authorities and data-protection records.',
    exclusion: 'Security tests of systems.',
    industries: [],
    words: listed(
      'compliance, audit, control, risk, whistleblow, investigation, retention, privacy, data protection',
    ),
    informationTypes: [
      knownType('Audits and control tests', 'confidential', {
        definition: 'Audit reports, tests of controls and their remedies.',
        why: 'Names weaknesses that are not yet remedied.',
        where: 'Audit sites.',
        keywords: 'internal audit, control test, deficiency, remediation plan, audit finding, revision',
      }),
      knownType('Privacy records', 'confidential', {
        definition: 'Records of processing, impact assessments, requests of data subjects and consents.',
        why: 'Requests name persons; records show how data is handled.',
        where: 'Compliance sites: privacy.',
        detectors: 'person_name, email_address',
        keywords:
          'records of processing, data protection impact assessment, data subject request, consent, erasure request',
        people: true,
      }),
      knownType('Investigations and whistleblowing', 'restricted', {
        definition: 'Reports of misconduct, interviews and results.',
        why: 'Reporters and accused are protected by law.',
        where: 'Compliance sites with access by case.',
        detectors: 'person_name',
        keywords:
          'whistleblower, misconduct, allegation, investigation report, interview protocol, hinweisgeber',
      }),
    ],
  },
  {
    name: 'Marketing and Communications',
    description: 'What is said to the public and to those who may become customers.',
    inclusion: 'Campaigns, contact lists, press papers and market research.',
    exclusion: 'Records of those who are customers.',
    industries: [],
    words: listed('marketing, campaign, newsletter, brand, press, cookie, advertising, werbung'),
    informationTypes: [
      knownType('Contact lists and consents', 'confidential', {
        definition: 'People who are written to, and what they agreed to.',
        why: 'Personal data, used only as far as consent goes.',
        where: 'Marketing sites: lists.',
        detectors: 'email_address, person_name, phone_number',
        keywords: 'newsletter, opt in, unsubscribe, mailing list, lead, einwilligung, consentement',
        people: true,
      }),
      knownType('Campaigns and press papers', 'internal', {
        definition: 'Plans and drafts of what will be published.',
        why: 'Public soon, but not before.',
        where: 'Marketing sites.',
        keywords: 'press release, embargo, campaign plan, brand guideline, pressemitteilung',
      }),
    ],
  },
];
