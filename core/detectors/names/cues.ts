import { phrases, wordSet } from './phrases.ts';

// Words that say what a name beside them is. Folded: lower case, without accents.

/** Directly before a name, with or without a full stop; part of nothing. */
export const HONORIFICS = wordSet(`
  mr, mrs, ms, miss, mx, dr, prof, professor, sir, lady, lord, rev, reverend, hon, sgt, capt, captain, lt, col, gen, cpl, doctor
  herr, herrn, frau, fraulein, hr, fr, dipl, ing
  m, mme, madame, mlle, monsieur, mademoiselle, maitre
  senor, senora, senorita, sr, sra, srta, don, dona, dn
  sig, signor, signora, signore, signorina, dott, dottor, dottore, dottoressa, avv
  senhor, senhora, dom, mevr, mevrouw, dhr, meneer, mej, pan, pani, panna
`);

/** The last words before a person. */
export const BEFORE_PERSON = phrases(`
  my name is, name is, names are, i'm, call me, calls me, calling me, call him, call her, named, named him, named her
  dear, hi, hello, hey, given, gave, nee, sincerely, regards, attn, novel by, written by, directed by, starring, featuring, spoke with
  said to, says, maiden name is, partner name, partner name is, leave me, c/o, on behalf of, mr and mrs, tribute to, follow up with
  ich heisse, mein name ist, liebe, lieber, sehr geehrte, sehr geehrter, hallo, gez, unterzeichnet von, vertreten durch
  je m'appelle, cher, chere, bonjour, mon nom est, signe par, represente par
  me llamo, mi nombre es, estimado, estimada, querido, querida, hola, firmado por
  mi chiamo, il mio nome e, caro, cara, gentile, ciao, firmato da, egregio
  meu nome e, chamo-me, prezado, prezada, ola, assinado por
  ik heet, mijn naam is, beste, geachte, ondertekend door
  nazywam sie, mam na imie, drogi, droga, szanowny, szanowna, podpisano przez
`);

/** As above, where companies, roles and things stand as well. */
export const MAYBE_BEFORE_PERSON = phrases(`
  by, this is, i am, called, beneficiary, speak to, spoke to, talk to, meeting with, said, asked, explained, told, replied, contact, add, under
  assigned to, approved by, prepared by, signed by, signed, tell, ask, reported by, reviewed by, reports to, interviewed, met, married, between
  thank you, thanks, ich bin, je suis, soy, sono, eu sou, ik ben, von, par, por, da, door, przez
`);

/** Words whose owner is a person: `Maria's address`. */
export const OWNED_BY_PERSON = wordSet(`
  name, address, email, mail, e-mail, phone, number, account, birthday, daughter, son, wife, husband, mother, father, sister, brother
  partner, child, children, house, home, office, boss, manager, salary, passport, desk, colleague, friend, family, novel, novels
  cautionary, doctor, lawyer, assistant, death, birth, letter, contract, application, file, hand, eyes, face, voice
`);

/** The first words after a person. */
export const AFTER_PERSON = phrases(`
  said, told, asked, explained, replied, shouted, wrote, lives, lived, was born, smiled, laughed, nodded, had given, has given, points out
  pointed out, married, grew up, will be talking, will be speaking, argued, sang, whispered, resigned, retired, spent, novel, is very, is so, is a very
  schrieb, sagte, wohnt, dit, habite, ne le, nee le, dijo, vive, nacido, nacida, disse, abita, nato, nata, mora, zegt, woont, mieszka, powiedzial, powiedziala
`);

/** As above, where companies, products and things stand as well. */
export const MAYBE_AFTER_PERSON = phrases(`
  says, writes, thinks, thought, listed, met, is coming, called me, called, works, worked, will join, joined
  signed, and i, is my, was my, has been a, plays, just has, just, concert, version, fan
  arbeitet, geboren, travaille, trabaja, lavora, werkt, pracuje
`);

/** Labels of fields that hold a person. */
export const PERSON_LABELS = phrases(`
  name, full name, first name, last name, surname, given name, user, customer, client, patient, employee, author, contact, manager, attn, attention
  from, to, cc, bcc, signed, sender, recipient, applicant, beneficiary, account holder, cardholder, holder, owner, attendee, interviewer, the account
  founders, authors, attendees, participants, present, directors, signatories, teilnehmer, anwesend, presenti, asistentes
  nom, prenom, nombre, apellido, apellidos, nome, cognome, sobrenome, naam, voornaam, achternaam, imie, nazwisko, vorname, nachname, kunde
  ansprechpartner, bearbeiter, mitarbeiter, mitarbeiterin, unterzeichner, kontoinhaber, cliente, paciente, employe, salarie, titulaire, pacjent, pracownik
`);

export const BEFORE_PLACE = phrases(`
  lives in, living in, live in, lived in, born in, based in, grew up in, moved from, here from, moved to, moving to, arrived at, arrived in, arriving in, arrive in
  flight to, flight from, travel to, travelled to, traveled to, travelling to, trip to, trip in, visit, visiting, visited, originally from, i'm from, i am from, comes from, come from
  coming to, city of, town of, village of, state of, capital of, home city, near, i'm in, i am in, am in, located in, resident of, citizen of, stay in, staying in, year in, morning from, down from, street in
  office in, offices in, headquartered in, conference in, happened in, is in, was in, are in
  wohnhaft in, wohnt in, wohne in, geboren in, stadt, habite a, ne a, nee a, ville de, vive en, nacido en, nacida en, ciudad de, abita a, nato a, nata a
  citta di, mora em, nascido em, cidade de, woont in, geboren te, stad, mieszka w, urodzony w, miasto
`);

/** As above, where products, companies and times stand as well. */
export const MAYBE_BEFORE_PLACE = phrases(
  `in, from, aus, nach, en, depuis, desde, da, em, uit, naar, z, w, do`,
);

export const PLACE_LABELS = phrases(`
  city, town, country, where, location, place, state, place of birth, birthplace, ort, stadt, land, geburtsort, wohnort, ville, pays, lieu de naissance
  ciudad, pais, lugar de nacimiento, citta, paese, luogo di nascita, cidade, stad, woonplaats, geboorteplaats, miasto, kraj, miejsce urodzenia
`);

export const BEFORE_ORGANIZATION = phrases(`
  works for, works at, worked for, worked at, working for, working at, work for, work at, employed by, employed at, joined, hired by, year at, years at, at, company, firm
  the company, subsidiary of, acquired by, owned by, shares of, customer of, partner of, supplier, vendor, invoice from, meet at, year in, later became, address of
  arbeitet bei, firma, travaille chez, societe, trabaja en, empresa, lavora presso, lavora per, azienda, trabalha na, werkt bij, bedrijf, pracuje w
`);

export const AFTER_ORGANIZATION = phrases(`
  office, offices, office is, headquarters, shares, stock, employees, invested, invests, acquired, announced, has acquired, announces, subsidiary, is the brainchild
  customers, shareholders, products, reported earnings, reported revenue, is a 501
`);

export const ORGANIZATION_LABELS = phrases(`
  company, company name, employer, organization, organisation, firm, vendor, supplier, firma, arbeitgeber, unternehmen, lieferant, societe, employeur, entreprise
  empresa, empleador, azienda, societa, datore di lavoro, empregador, bedrijf, werkgever, pracodawca, spolka
`);

/** What only companies have, last in their name. */
export const COMPANY_FORMS = wordSet(`
  inc, incorporated, ltd, limited, llc, llp, plc, corp, corporation, gmbh, ag, kg, ohg, ug, mbh, sarl, sas, sasu, sa, spa, srl, bv, nv, oy, oyj, ab, asa, aps
  sl, slu, lda, ltda, eirl, pty, pte, kk, se
`);

/** Last in the name of a company, or first in that of an institution. */
const INSTITUTIONS = wordSet(`
  co, company, group, holding, holdings, industries, technologies, systems, solutions, partners, associates, ventures, consulting
  bank, university, institute, foundation, hospital, ministry, agency, council, committee, association, federation, society, college, academy, airlines, airways, insurance
  motors, pharmaceuticals, laboratories, labs, software, networks, media, enterprises, international, services, logistics, communications, records, studios, stores, brothers
  universitat, hochschule, stiftung, verein, klinikum, universite, universidad, universita, universidade, universiteit, uniwersytet, banque, banco, banca, ministerium, gruppe, grupo, groupe, gruppo
`);

export const isOrganizationWord = (folded: string): boolean =>
  COMPANY_FORMS.has(folded) || INSTITUTIONS.has(folded);

/** Lower-case words inside a name: `Ludwig van Beethoven`, `Rio de Janeiro`. */
export const PARTICLES = wordSet(`
  de, del, della, di, da, das, do, dos, du, des, la, le, van, von, vom, zu, zur, zum, der, den, ter, ten, bin, ibn, al, el, af, av, y, e
`);

/** What stands beside a job in a signature, or names a part of the week or year: written with a capital, no name. */
export const CAPITALIZED_WORDS = wordSet(`
  january, february, march, july, august, september, october, november, december, monday, tuesday, wednesday, thursday, friday
  saturday, sunday, feb, mar, apr, jun, jul, aug, sep, sept, oct, nov, dec, mon, tue, wed, thu, fri, sat, sun
  montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonntag, januar, februar, marz, mai, juni, juli, oktober, dezember
  english, german, french, spanish, italian, portuguese, dutch, polish, internet, street, avenue, road, suite, apt, unit, box, po, number, no, tel, fax, phone, email, mobile
  page, chapter, section, figure, table, appendix, version, article, god, bot, ssn, iban, pin, atm, cc, id, ok, asap, dob
`);

/** Written with a capital at the beginning of a place: `Las Palmas`, `St Gallen`. */
export const BEGINNINGS_OF_PLACES = wordSet(`
  el, la, las, los, le, les, san, santa, santo, sao, saint, sankt, st, den, der, die, new, north, south, east, west, bad, port, fort, lake, mount, cite
`);
