import { listed } from './known-domain.ts';

/** A regulation that the mock provider knows, with the regions, industries and domains for which it can be relevant. */
export type KnownRegulation = {
  name: string;
  jurisdiction: string;
  /** Regions of geographies. Empty if it applies everywhere. */
  regions: readonly string[];
  /** Stems of words in industries. Empty if it applies to every industry. */
  industries: readonly string[];
  /** Folded names that policies use. If a policy names the regulation, it is a candidate in every region. */
  names: readonly string[];
  /** Names of the domains that it concerns. Empty for every domain with personal data. */
  domains: readonly string[];
  /** Its requirement, as a clause. */
  asks: string;
};

const FINANCE =
  'bank, financial, payment, fintech, credit, insur, investment, broker, asset management, lending';
const HEALTH = 'health, hospital., hospitals, clinic, medical, pharma, dental, nursing, laborator, insur';
const ESSENTIAL =
  'energy, utilit, power, electric, oil, gas, water, nuclear, grid, transport, rail, logistics, harbour, ports, airline, telecom, health, hospital., hospitals, bank, digital, cloud, data, food, chemical, manufactur, government, public., postal, waste, space, internet, it service';
const CARDS =
  'bank, payment, fintech, payment card, credit card, retail, commerce, e-commerce, ecommerce, hospitality, hotel, restaurant, travel, airline';

function regulation(
  name: string,
  jurisdiction: string,
  of: { regions?: string; industries?: string; names: string; domains?: string; asks: string },
): KnownRegulation {
  return {
    name,
    jurisdiction,
    asks: of.asks,
    regions: listed(of.regions ?? ''),
    industries: listed(of.industries ?? ''),
    names: listed(of.names),
    domains: listed(of.domains ?? ''),
  };
}

export const REGULATIONS: readonly KnownRegulation[] = [
  regulation('General Data Protection Regulation (GDPR)', 'European Union', {
    regions: 'eu',
    names: 'gdpr, general data protection regulation, 2016 679, dsgvo, rgpd',
    asks: 'a lawful basis, limited retention, security and rights of the persons concerned',
  }),
  regulation('UK GDPR and Data Protection Act 2018', 'United Kingdom', {
    regions: 'uk',
    names: 'uk gdpr, data protection act 2018, data protection act',
    asks: 'a lawful basis, limited retention, security and rights of the persons concerned',
  }),
  regulation('Federal Act on Data Protection (FADP)', 'Switzerland', {
    regions: 'ch',
    names: 'fadp, federal act on data protection, revdsg, ndsg, nlpd',
    asks: 'information of the persons concerned, security and care with transfers abroad',
  }),
  regulation('Bundesdatenschutzgesetz (BDSG)', 'Germany', {
    regions: 'de',
    names: 'bdsg, bundesdatenschutzgesetz',
    domains: 'Human Resources',
    asks: 'that data of employees are handled only where the employment needs it',
  }),
  regulation('Network and Information Security Directive (NIS2)', 'European Union', {
    regions: 'eu',
    industries: ESSENTIAL,
    names: 'nis2, nis 2, 2022 2555, network and information security',
    domains: 'Information Technology and Security, Energy and Critical Operations, Procurement and Suppliers',
    asks: 'risk management, reporting of incidents and security of the supply chain',
  }),
  regulation('Digital Operational Resilience Act (DORA)', 'European Union', {
    regions: 'eu',
    industries: FINANCE,
    names: 'dora, digital operational resilience, 2022 2554',
    domains:
      'Information Technology and Security, Procurement and Suppliers, Risk and Compliance, Banking and Payments',
    asks: 'management of ICT risk, registers of third parties and reporting of incidents',
  }),
  regulation('Payment Services Directive (PSD2)', 'European Union', {
    regions: 'eu',
    industries: 'bank, payment, fintech',
    names: 'psd2, payment services directive, 2015 2366',
    domains: 'Banking and Payments',
    asks: 'strong authentication and protection of payment account data',
  }),
  regulation('Artificial Intelligence Act', 'European Union', {
    regions: 'eu',
    industries: 'software, technolog, artificial intelligence, data, saas',
    names: 'ai act, artificial intelligence act, 2024 1689',
    domains: 'Software and Product Development',
    asks: 'governance of training data and documentation of systems',
  }),
  regulation('Whistleblower Directive', 'European Union', {
    regions: 'eu',
    names: 'whistleblower directive, 2019 1937, hinweisgeberschutzgesetz',
    domains: 'Risk and Compliance',
    asks: 'that who reports stays confidential',
  }),
  regulation('Health Insurance Portability and Accountability Act (HIPAA)', 'United States', {
    regions: 'us',
    industries: HEALTH,
    names: 'hipaa, hitech, protected health information',
    domains: 'Patient Care, Research and Clinical Studies, Insurance',
    asks: 'safeguards for protected health information and the least that is necessary',
  }),
  regulation('California Consumer Privacy Act (CCPA, as amended by CPRA)', 'United States: California', {
    regions: 'us-ca',
    names: 'ccpa, cpra, california consumer privacy act',
    asks: 'notice, access, deletion and the right to refuse a sale of personal information',
  }),
  regulation('SHIELD Act', 'United States: New York', {
    regions: 'us-ny',
    names: 'shield act',
    asks: 'reasonable safeguards for private information and notice of breaches',
  }),
  regulation('Sarbanes-Oxley Act (SOX)', 'United States', {
    regions: 'us',
    names: 'sox, sarbanes oxley, section 404, internal control over financial reporting',
    domains: 'Finance and Accounting, Risk and Compliance',
    asks: 'controls over financial reporting and records that are kept unaltered',
  }),
  regulation('Gramm-Leach-Bliley Act (GLBA)', 'United States', {
    regions: 'us',
    industries: FINANCE,
    names: 'glba, gramm leach bliley',
    domains: 'Banking and Payments, Insurance, Customers and Sales',
    asks: 'safeguards for what customers tell a financial institution',
  }),
  regulation('Family Educational Rights and Privacy Act (FERPA)', 'United States', {
    regions: 'us',
    industries: 'education, universit, school, college, academ',
    names: 'ferpa, family educational rights',
    domains: 'Students and Teaching',
    asks: 'consent before education records are disclosed',
  }),
  regulation('Good Clinical Practice and 21 CFR Part 11', 'United States', {
    regions: 'us',
    industries: 'pharma, biotech, life science, clinical, medical device',
    names: '21 cfr part 11, good clinical practice, gcp, gxp',
    domains: 'Research and Clinical Studies',
    asks: 'electronic records that can be trusted and traced',
  }),
  regulation('Payment Card Industry Data Security Standard (PCI DSS)', 'Worldwide (card schemes)', {
    industries: CARDS,
    names: 'pci dss, pci, payment card industry, cardholder data',
    domains:
      'Banking and Payments, Orders and Loyalty, Customers and Sales, Information Technology and Security',
    asks: 'that card data are kept as little as possible, encrypted and apart',
  }),
  regulation('Lei Geral de Protecao de Dados (LGPD)', 'Brazil', {
    regions: 'br',
    names: 'lgpd, lei geral de protecao de dados',
    asks: 'a legal basis, security and rights of the persons concerned',
  }),
  regulation('Personal Information Protection and Electronic Documents Act (PIPEDA)', 'Canada', {
    regions: 'ca',
    names: 'pipeda',
    asks: 'consent, limited use and safeguards for personal information',
  }),
  regulation('Law 25', 'Canada: Quebec', {
    regions: 'ca-qc',
    names: 'law 25, loi 25',
    asks: 'impact assessments, consent and notice of incidents',
  }),
  regulation('Ley Federal de Proteccion de Datos Personales', 'Mexico', {
    regions: 'mx',
    names: 'lfpdppp, ley federal de proteccion de datos personales',
    asks: 'notice, consent and rights of access, rectification, cancellation and opposition',
  }),
  regulation('Digital Personal Data Protection Act (DPDP)', 'India', {
    regions: 'in',
    names: 'dpdp, digital personal data protection',
    asks: 'consent, limited purpose and safeguards for digital personal data',
  }),
  regulation('Personal Information Protection Law (PIPL)', 'China', {
    regions: 'cn',
    names: 'pipl, personal information protection law',
    asks: 'consent, local storage in many cases and assessments before transfers abroad',
  }),
  regulation('Act on the Protection of Personal Information (APPI)', 'Japan', {
    regions: 'jp',
    names: 'appi, act on the protection of personal information',
    asks: 'a stated purpose, security and care with third parties',
  }),
  regulation('Personal Information Protection Act (PIPA)', 'South Korea', {
    regions: 'kr',
    names: 'pipa, personal information protection act',
    asks: 'consent, encryption of unique identifiers and notice of leaks',
  }),
  regulation('Personal Data Protection Act (PDPA)', 'Singapore', {
    regions: 'sg',
    names: 'pdpa',
    asks: 'consent, a stated purpose and limited retention',
  }),
  regulation('Privacy Act 1988', 'Australia', {
    regions: 'au',
    names: 'privacy act 1988, australian privacy principles',
    asks: 'handling of personal information by the Australian Privacy Principles',
  }),
  regulation('Privacy Act 2020', 'New Zealand', {
    regions: 'nz',
    names: 'privacy act 2020',
    asks: 'handling of personal information by the information privacy principles',
  }),
  regulation('Protection of Personal Information Act (POPIA)', 'South Africa', {
    regions: 'za',
    names: 'popia, popi act',
    asks: 'the conditions for lawful processing of personal information',
  }),
  regulation('Personal Data Protection Law (KVKK)', 'Turkey', {
    regions: 'tr',
    names: 'kvkk',
    asks: 'a legal basis, security and registration of processing',
  }),
];
