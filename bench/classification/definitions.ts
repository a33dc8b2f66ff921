/** A line for each kind of document that online services publish, written from the purpose of the kind. */
const DEFINITIONS: Readonly<Record<string, string>> = {
  'Acceptable Use Policy':
    'What users may and may not do with a service: prohibited activities, abuse, and what happens on a violation.',
  'Ad Publishing Policy':
    'Advertising guidelines for publishers and advertisers: which ads may be shown, and on which sites and beside which content.',
  'Advertising Content Policy':
    'What an advertisement itself may show and say, and what viewers are told about the ads that they see.',
  'Brand Guidelines':
    'How the logo, trademarks, name and other brand assets of a company may be used by others.',
  'Business Mediation Policy':
    'How business users and a platform settle a dispute through mediators after an internal complaint.',
  'Business Privacy Policy':
    'How personal data of business customers and of their staff is collected and used.',
  'Closed Captioning Policy': 'Captions and subtitles of streamed video, and whom to contact about them.',
  'Commercial Terms':
    'Terms for businesses and professional customers: commercial use, orders, fees, invoices and payment.',
  'Community Guidelines':
    'Code of conduct, rules or standards for members of a community: respect, harassment, hate speech, violence, nudity, spam, and how posts and accounts that break them are moderated.',
  'Complaints Policy': 'How complaints are made, handled and answered.',
  'Conditions of Carriage':
    'Conditions under which passengers, tickets and baggage are carried, with delays and cancellations.',
  'Content Monetisation Policy':
    'Which content and creators may earn money on a platform: eligibility, monetization standards and payouts.',
  'Copyright Claims Policy':
    'How copyright owners report infringement, with takedown notices, counter-notices and repeat infringers.',
  'Data Controller Agreement':
    'Agreement between two controllers about the protection of the personal data that each processes.',
  'Data Processor Agreement':
    'Data processing agreement in which a processor handles personal data on behalf of a controller: instructions, subprocessors, security and transfers.',
  'Deceased Users':
    'What becomes of the account and data of a user who has died, and what relatives may request.',
  'Developer Terms': 'Terms for developers who use an API, SDK or developer platform to build applications.',
  'Editorial Policy':
    'Standards and principles by which articles are written, edited, corrected and published.',
  'General Conditions of Sale':
    'Conditions under which goods or services are sold to buyers: order, price, delivery, return and warranty.',
  'Human Rights Policy': 'The commitment of a company to respect human rights in its business.',
  Imprint:
    'Who publishes a site: name, address, registration, representative and contact of the company and its host.',
  'In-App Purchases Policy': 'Purchases of virtual goods and currency within an app, and their refunds.',
  'Law Enforcement Guidelines':
    'How law enforcement authorities request account records and user data, by legal process or in an emergency.',
  'Live Policy': 'Rules for those who stream live.',
  'Marketplace Buyers Conditions': 'Terms for buyers who purchase from sellers on an online marketplace.',
  'Marketplace Sellers Conditions':
    'Terms for sellers who list and sell products to buyers on an online marketplace: fees, orders and fulfilment.',
  'Parent Organization Privacy Policy':
    'How the parent company of a service collects, uses and shares personal information of its users.',
  'Parent Organization Terms':
    'Terms of the parent company of a service for the use of its corporate websites.',
  'Platform to Business Notice':
    'What a platform tells its business users about complaints, mediation and transparency as the law demands.',
  'Premium Partner Conditions':
    'Eligibility for and benefits of a programme for preferred partners and sellers.',
  'Privacy Policy':
    'Privacy notice: how personal information and data of users are collected, used, shared, retained and protected, and which rights and choices they have.',
  'Quality Guidelines': 'What content of good quality is, and which practices and spam are to be avoided.',
  'Ranking Parameters Description':
    'Which parameters decide the ranking of search results and listings, and why.',
  'Restricted Use Policy':
    'Products, content and uses that are restricted, need approval, or are limited to some.',
  'Review Guidelines': 'How apps or content that developers submit are reviewed, approved or rejected.',
  'Seller Warranty': 'How sellers on a platform are protected against claims and losses.',
  'Single Sign-On Policy': 'How a user connects an account and signs in with it to other services.',
  'Terms of Service':
    'Terms and conditions of use: the agreement between a provider and the users of its service, with accounts, licence, disclaimer of warranties, limitation of liability, termination and governing law.',
  'Trackers Policy':
    'Cookie policy or notice: which cookies and similar tracking technologies, such as pixels, web beacons and local storage, a site uses, and how to refuse them.',
  'User Consent Policy':
    'How consent of end users is to be obtained and recorded for cookies and personalised ads.',
  'Vulnerability Disclosure Policy':
    'How security researchers report a vulnerability, and what they may expect.',
};

/**
 * The definition of a label. A kind with an addition (`Kind - Addition`) has the definition of the kind. An unknown
 * one is its own definition.
 */
export function definitionOf(label: string): string {
  const [kind = '', ...additions] = label.split(' - ');
  const known = DEFINITIONS[kind];
  return known === undefined ? label : [known, ...additions].join(' ');
}
