import { type KnownDomain, knownType, listed } from './known-domain.ts';

/** Additional domains of organizations in certain industries. */
export const SECTORS: readonly KnownDomain[] = [
  {
    name: 'Banking and Payments',
    description: 'Accounts, cards, credit and payments of customers.',
    inclusion: 'Account records, card data, credit files, transactions and know-your-customer papers.',
    exclusion: 'Accounts and payments of the organization itself.',
    industries: listed(
      'bank, financial, payment, fintech, credit, lending, credit card, broker, investment, asset management',
    ),
    words: listed('cardholder, card data, pan, money laundering, kyc, credit, pci, payment card'),
    informationTypes: [
      knownType('Cardholder data', 'restricted', {
        definition: 'Numbers of payment cards with name, expiry or security code.',
        why: 'Cards can be charged with it; card schemes forbid much of it to be kept.',
        where: 'The card environment, and nowhere else.',
        detectors: 'credit_card, card_verification_code, person_name',
        keywords: 'cardholder, card number, expiry date, cvv, chargeback, kartennummer',
        people: true,
      }),
      knownType('Know-your-customer files', 'restricted', {
        definition: 'Proof of identity, of ownership and of the source of funds.',
        why: 'Copies of identity papers allow identity theft.',
        where: 'Onboarding sites.',
        detectors: 'passport_number, person_name, date_of_birth, street_address',
        keywords:
          'know your customer, beneficial owner, proof of identity, sanctions screening, source of funds',
        people: true,
      }),
      knownType('Accounts and transactions', 'restricted', {
        definition: 'Balances, statements and transactions of customers.',
        why: 'Covered by bank secrecy.',
        where: 'Extracts of core systems.',
        detectors: 'iban, bic, bank_account_number, us_routing_number, uk_bank_account',
        keywords:
          'account statement, transaction history, standing order, account holder, kontoauszug, releve de compte',
        people: true,
      }),
      knownType('Credit and lending files', 'confidential', {
        definition: 'Applications for credit, ratings and collateral.',
        why: 'Shows the means of people and businesses.',
        where: 'Lending sites.',
        detectors: 'person_name, salary_amount',
        keywords: 'loan application, credit score, collateral, mortgage, default, bonitat',
        people: true,
      }),
    ],
  },
  {
    name: 'Insurance',
    description: 'Policies of the insured, claims and their settlement.',
    inclusion: 'Applications, policies, claims, expert reports and actuarial papers.',
    exclusion: 'Insurance that the organization takes out for itself.',
    industries: listed('insurance, insurer, reinsurance, assurance, versicherung'),
    words: listed('policyholder, claim, underwriting, insured'),
    informationTypes: [
      knownType('Policies and applications', 'confidential', {
        definition: 'Who is insured, against what, on what answers.',
        why: 'Personal data, often of health.',
        where: 'Underwriting sites.',
        detectors: 'person_name, date_of_birth, street_address',
        keywords: 'policyholder, sum insured, premium, underwriting, beneficiary, versicherungsnehmer',
        people: true,
      }),
      knownType('Claims', 'restricted', {
        definition: 'Reported losses, reports of experts and settlements.',
        why: 'Tells of injuries and losses of persons.',
        where: 'Claims sites.',
        detectors: 'person_name, iban, icd10_code, vehicle_registration',
        keywords: 'claim number, loss report, adjuster, settlement amount, schadenmeldung, sinistre',
        people: true,
      }),
    ],
  },
  {
    name: 'Patient Care',
    description: 'Diagnosis, treatment and billing of patients.',
    inclusion: 'Medical records, laboratory results, prescriptions, images and billing of care.',
    exclusion: 'Health of employees; data of studies.',
    industries: listed(
      'health, hospital., hospitals, clinic, medical, patient, pharmac, dental, nursing, laborator',
    ),
    words: listed('patient, medical, diagnosis, phi, protected health, treatment, klinik'),
    informationTypes: [
      knownType('Medical records', 'restricted', {
        definition: 'History, findings, diagnoses and treatment of one patient.',
        why: 'Health data; medical secrecy.',
        where: 'The record system and its exports.',
        detectors: 'medical_record_number, icd10_code, person_name, date_of_birth, uk_nhs, us_npi',
        keywords:
          'diagnosis, discharge summary, medical history, attending physician, arztbrief, dossier medical',
        people: true,
      }),
      knownType('Laboratory and imaging results', 'restricted', {
        definition: 'Results of tests and images of one patient.',
        why: 'Health data; medical secrecy.',
        where: 'Laboratory and radiology exports.',
        detectors: 'medical_record_number, person_name, date_of_birth',
        keywords: 'laboratory report, reference range, specimen, radiology, befund, resultat d analyse',
        people: true,
      }),
      knownType('Billing of care', 'restricted', {
        definition: 'Claims to payers and invoices for treatment.',
        why: 'Joins diagnoses with persons and accounts.',
        where: 'Billing sites.',
        detectors: 'health_plan_number, icd10_code, person_name, us_mbi',
        keywords: 'explanation of benefits, procedure code, health plan, copayment, krankenkasse',
        people: true,
      }),
    ],
  },
  {
    name: 'Research and Clinical Studies',
    description: 'Studies, their participants and their results.',
    inclusion: 'Protocols, consents, case report forms, results and submissions to authorities.',
    exclusion: 'Care of patients outside a study.',
    industries: listed(
      'pharma, biotech, life science, clinical research, research institute, medical device',
    ),
    words: listed('clinical trial, study participant, gxp, protocol deviation, informed consent'),
    informationTypes: [
      knownType('Study participants', 'restricted', {
        definition: 'Consents and forms of people who take part in a study.',
        why: 'Health data under a pseudonym that can be undone.',
        where: 'Study sites.',
        detectors: 'person_name, date_of_birth',
        keywords: 'informed consent, case report form, subject id, adverse event, study participant',
        people: true,
      }),
      knownType('Protocols and results', 'restricted', {
        definition: 'Designs of studies, analyses and results before publication.',
        why: 'Results move markets and carry patents.',
        where: 'Research sites.',
        keywords: 'study protocol, statistical analysis plan, primary endpoint, clinical study report',
      }),
    ],
  },
  {
    name: 'Orders and Loyalty',
    description: 'What consumers order, return and collect.',
    inclusion: 'Orders, deliveries, returns, loyalty accounts and payments of consumers.',
    exclusion: 'Sales to businesses under contract.',
    industries: listed(
      'retail, e-commerce, ecommerce, commerce, hospitality, hotel, restaurant, travel, airline, consumer',
    ),
    words: listed('loyalty, online shop, cardholder, order, guest'),
    informationTypes: [
      knownType('Orders and deliveries', 'confidential', {
        definition: 'Orders of consumers with addresses and payment.',
        why: 'Personal data of many people in one file.',
        where: 'Shop exports.',
        detectors: 'person_name, street_address, email_address, credit_card',
        keywords: 'order number, shipping address, tracking number, return label, bestellung, commande',
        people: true,
      }),
      knownType('Loyalty accounts', 'confidential', {
        definition: 'Members, points and what they buy.',
        why: 'A profile of habits.',
        where: 'Marketing and shop exports.',
        detectors: 'email_address, person_name, date_of_birth',
        keywords: 'loyalty card, points balance, membership tier, reward, kundenkarte',
        people: true,
      }),
    ],
  },
  {
    name: 'Engineering and Manufacturing',
    description: 'How products are designed, made and tested.',
    inclusion: 'Drawings, recipes, process parameters, quality records and maintenance.',
    exclusion: 'Software source code.',
    industries: listed(
      'manufactur, automotive, industrial, engineering, aerospace, machine, chemical, electronics, defence, defense',
    ),
    words: listed('production, quality, drawing, trade secret, export control, plant, supply chain'),
    informationTypes: [
      knownType('Designs and drawings', 'restricted', {
        definition: 'Drawings, models, recipes and bills of material.',
        why: 'Trade secrets; some are under export control.',
        where: 'Engineering sites.',
        keywords:
          'technical drawing, bill of materials, tolerance, recipe, export controlled, stuckliste, plan technique',
      }),
      knownType('Quality and test records', 'internal', {
        definition: 'Inspections, tests, deviations and corrective actions.',
        why: 'Shows faults of products.',
        where: 'Quality sites.',
        keywords: 'inspection report, nonconformity, corrective action, calibration, prufprotokoll',
      }),
    ],
  },
  {
    name: 'Energy and Critical Operations',
    description: 'Plants, networks and the systems that run them.',
    inclusion: 'Plans of sites, control systems, metering and operation.',
    exclusion: 'Office systems.',
    industries: listed(
      'energy, utilit, power, electric, oil, gas, water, nuclear, grid, transport, rail, logistics, harbour, ports',
    ),
    words: listed('scada, critical infrastructure, operational technology, essential service, metering'),
    informationTypes: [
      knownType('Control systems and site plans', 'restricted', {
        definition: 'Plans of sites and configurations of control systems.',
        why: 'Sabotage needs little more.',
        where: 'Operations sites.',
        detectors: 'ipv4_address, geo_coordinates',
        keywords: 'scada, control room, single line diagram, substation, site plan, leitsystem',
      }),
      knownType('Metering and consumption', 'confidential', {
        definition: 'Readings by connection and customer.',
        why: 'Shows when people are at home.',
        where: 'Metering exports.',
        detectors: 'person_name, street_address',
        keywords: 'meter reading, consumption profile, load curve, connection point, zahlerstand',
        people: true,
      }),
    ],
  },
  {
    name: 'Students and Teaching',
    description: 'Learners, their marks and their support.',
    inclusion: 'Admissions, marks, counselling and discipline of students.',
    exclusion: 'Staff, even where they study as well.',
    industries: listed('education, universit, school, college, academ, training'),
    words: listed('student, pupil, enrolment, enrollment, ferpa, grades'),
    informationTypes: [
      knownType('Student records', 'confidential', {
        definition: 'Admission, courses, marks and degrees of one student.',
        why: 'Personal data, often of minors.',
        where: 'Registrar sites.',
        detectors: 'person_name, date_of_birth, email_address',
        keywords: 'student id, transcript, enrolment, grade report, immatrikulation, bulletin de notes',
        people: true,
      }),
      knownType('Counselling and support', 'restricted', {
        definition: 'Support for disability, hardship and health of students.',
        why: 'Tells of health and family.',
        where: 'Student services.',
        detectors: 'person_name',
        keywords: 'learning support, accommodation plan, counselling note, bursary, nachteilsausgleich',
        people: true,
      }),
    ],
  },
  {
    name: 'Citizens and Public Services',
    description: 'What a public body does for and knows of citizens.',
    inclusion: 'Applications, permits, benefits, registers and enforcement.',
    exclusion: 'Procurement and staff of the body itself.',
    industries: listed(
      'government, public., municipal, ministry, authority, agency, police, defence, defense',
    ),
    words: listed('citizen, benefit, permit, freedom of information, register'),
    informationTypes: [
      knownType('Applications and permits', 'confidential', {
        definition: 'What citizens apply for and what was decided.',
        why: 'Personal data given under a duty.',
        where: 'Case files.',
        detectors: 'person_name, street_address, date_of_birth',
        keywords: 'application form, permit, case number, decision notice, bescheid, demande',
        people: true,
      }),
      knownType('Benefits and enforcement', 'restricted', {
        definition: 'Means, benefits, fines and offences of persons.',
        why: 'Specially protected in most places.',
        where: 'Case files with access by case.',
        detectors: 'person_name, iban, date_of_birth',
        keywords: 'benefit claim, means test, penalty notice, offence, sozialhilfe, amende',
        people: true,
      }),
    ],
  },
  {
    name: 'Network and Subscribers',
    description: 'Subscribers of a network and what they do in it.',
    inclusion: 'Subscriber records, call and connection records, locations and lawful requests.',
    exclusion: 'The network of the office.',
    industries: listed('telecom, mobile, internet service, network operator, carrier'),
    words: listed('subscriber, traffic data, lawful interception, cdr'),
    informationTypes: [
      knownType('Traffic and location data', 'restricted', {
        definition: 'Who was connected with whom, when and where.',
        why: 'Secrecy of telecommunication.',
        where: 'Network exports.',
        detectors: 'phone_number, imei, ipv4_address, geo_coordinates',
        keywords: 'call detail record, cell id, imsi, session log, verbindungsdaten',
        people: true,
      }),
    ],
  },
  {
    name: 'Software and Product Development',
    description: 'Source code, designs and plans of software products.',
    inclusion: 'Source code, specifications, road maps and data of tests.',
    exclusion: 'Systems that the organization runs for itself.',
    industries: listed(
      'software, technolog, saas, cloud, internet, data, artificial intelligence, it service, gaming',
    ),
    words: listed(
      'source code, software development, open source, machine learning, artificial intelligence',
    ),
    informationTypes: [
      knownType('Source code and specifications', 'confidential', {
        definition: 'Code, interfaces and designs that are not published.',
        why: 'Trade secrets; code may hold credentials.',
        where: 'Repositories and engineering sites.',
        detectors: 'api_key, assigned_secret',
        keywords: 'source code, design document, pull request, architecture decision, release plan',
      }),
      knownType('Training and test data', 'restricted', {
        definition: 'Data of persons that tests run on or models learn from.',
        why: 'Copies of real data outside the systems that protect it.',
        where: 'Data-science sites.',
        detectors: 'person_name, email_address',
        keywords: 'training data, test data set, annotation, model card, data dump',
        people: true,
      }),
    ],
  },
];
