import { phrases, wordList } from './word-lists.ts';

// Words that indicate what a name beside them is. Folded: lower case, without accents.

/** Directly before a name, with or without a full stop. Never part of the name. */
export const HONORIFICS = wordList(`
  mr, mrs, ms, miss, mx, dr, prof, professor, sir, lady, lord, rev, reverend, hon, sgt, capt, captain, lt, col, gen, cpl, doctor
  herr, herrn, frau, fraulein, hr, fr, dipl, ing
  m, mme, madame, mlle, monsieur, mademoiselle, maitre
  senor, senora, senorita, sr, sra, srta, don, dona, dn
  sig, signor, signora, signore, signorina, dott, dottor, dottore, dottoressa, avv
  senhor, senhora, dom, mevr, mevrouw, dhr, meneer, mej, pan, pani, panna
`);

/** Capitalised words before a name. Elsewhere they are ordinary words or surnames. */
export const TITLES = wordList(`
  president, minister, premier, chancellor, senator, governor, mayor, ambassador, judge, justice, attorney, officer, detective
  inspector, constable, sergeant, corporal, lieutenant, captain, major, colonel, general, commander, admiral, king, queen, prince, princess
  pope, bishop, archbishop, cardinal, pastor, imam, rabbi, sheikh, brother, sister, father, mother, uncle, aunt, auntie, grandpa
  grandma, granny, coach, nurse, manager, director, chairman, chairwoman, ceo, cfo, cto, representative, congressman
  patient, claimant, plaintiff, defendant, witness, tenant, landlord, student, candidate, mister, monsignor
  herrn, frau, onkel, tante, oma, opa, richter, richterin, rechtsanwalt, rechtsanwaltin, kanzler, prasident, minister, bundeskanzler
  docteur, maitre, professeur, president, senor, presidente, ministro, doctor, doctora, dottore, professore, avvocato, ingegnere, onorevole
`);

/** Words for what a person is. They precede a person's name, or follow in a statement about it. */
export const ROLES = wordList(`
  lawyer, painter, singer, actor, actress, poet, novelist, composer, songwriter, guitarist, drummer, pianist, violinist, rapper, comedian
  midfielder, striker, goalkeeper, defender, winger, forward, captain, referee, sprinter, boxer, cyclist, swimmer, driver, pilot, athlete
  wife, husband, son, daughter, sister, brother, mother, father, uncle, aunt, nephew, niece, cousin, fiance, fiancee, boyfriend, girlfriend
  mum, mom, dad, grandmother, grandfather, twin, widow, widower, neighbour, neighbor, friend, colleague, coworker, boss, assistant, nanny
  teacher, professor, student, pupil, nurse, doctor, surgeon, physician, dentist, midwife, therapist, paramedic, patient, plumber, electrician
  claimant, plaintiff, defendant, appellant, respondent, witness, suspect, victim, prisoner, juror, tenant, landlord, testator, deceased
  founder, cofounder, co-founder, chairman, chairwoman, chairperson, secretary, treasurer, president, senator, governor, mayor, judge
  journalist, reporter, photographer, economist, historian, philosopher, physicist, chemist, biologist, mathematician, engineer, architect
  employee, intern, trainee, candidate, applicant, developer, designer, accountant, auditor, notary, guard, sergeant, detective, constable
  anwalt, anwaltin, arzt, arztin, klager, klagerin, beklagte, zeuge, zeugin, mieter, mieterin, vermieter, patientin, kollege, kollegin
  freund, freundin, bruder, schwester, sohn, tochter, mutter, vater, nachbar, nachbarin, lehrer, lehrerin, geschaftsfuhrer, geschaftsfuhrerin
  docteur, maitre, avocat, avocate, patiente, locataire, collegue, temoin, frere, soeur, fils, fille, ami, amie, medecin
  paciente, abogado, abogada, testigo, inquilino, hermano, hermana, hijo, hija, amigo, amiga, doctora, profesor, profesora
  sottoscritto, sottoscritta, avvocato, dottore, paziente, fratello, sorella, figlio, figlia, amico, amica, testimone
  senhora, senhor, advogado, advogada, irmao, irma, filho, filha, heer, buurman, buurvrouw, broer, zus, zoon, dochter, collega
`);

/** Phrases that end directly before a person. */
export const BEFORE_PERSON = phrases(`
  my name is, name is, names are, i'm, call me, calls me, calling me, call him, call her, named, named him, named her
  dear, hi, hello, hey, given, gave, nee, sincerely, regards, attn, novel by, written by, directed by, starring, featuring, spoke with
  please call, please ask, please tell, sie sich an, geschaftsfuhrer sind, song by, sung by, painted by, composed by, produced by, performed by
  sagte, erklarte, betonte, meinte, erlauterte, berichtete, erzahlte, kritisierte, versicherte, entgegnete, erwiderte, sagt, meint, betont
  familie, ehepaar, witwe, film by, book by, poem by, painting by, album by, edited by, translated by, accompanied by, photo by, illustrated by, played by, invented by
  according to, assistant to, introduce you to, heard back from, hear from, heard from, replaced by, succeeded by, survived by, biography of
  estate of, married to, divorced from, engaged to, daughter of, son of, wife of, husband of, sister of, brother of, mother of, father of
  friend of, whispered, regards from, cheers, best wishes, all the best, yours truly, yours faithfully, yours, warmly, respectfully, love
  in witness whereof, signature of, memory of, portrait of, obituary of, accounts of, invitation for, sent by, posted by, covered by
  said to, says, maiden name is, partner name, partner name is, leave me, c/o, on behalf of, mr and mrs, tribute to, follow up with
  grussen, gruss, grusse, hochachtungsvoll, i a, i v, ppa, herzlichst, cordialement, salutations, amicalement, bien a vous, d
  saludo, saludos, atentamente, cordialmente, abrazo, saluti, distinti saluti, un abbraccio, atenciosamente, cumprimentos, abraco, abracos
  groet, groeten, hoogachtend, halsningar, halsning, hilsen, hilsner, terveisin, ystavallisin terveisin, pozdrawiam, powazaniem, pozdravem
  saygilarimla, udvozlettel, stima, sayin, sayın, sn, tisztelt, kedves, stimate, stimata, domnule, doamna, draga, hej, hei, kaere, kjaere, hyva
  panie, pana, pania, pane, vazeny, vazena, mily, mila, umowe podpisal, podpisal, podpisala, laut, selon, segun, secondo, segundo, volgens
  уважаемый, уважаемая, господин, госпожа, г-н, г-жа, ich heisse, mein name ist, liebe, lieber, sehr geehrte, sehr geehrter, hallo, gez, unterzeichnet von, vertreten durch
  je m'appelle, cher, chere, bonjour, mon nom est, signe par, represente par
  me llamo, mi nombre es, estimado, estimada, querido, querida, hola, firmado por
  mi chiamo, il mio nome e, caro, cara, gentile, ciao, firmato da, egregio
  meu nome e, chamo-me, prezado, prezada, ola, assinado por
  ik heet, mijn naam is, beste, geachte, ondertekend door
  nazywam sie, mam na imie, drogi, droga, szanowny, szanowna, podpisano przez
`);

/** Phrases before a person that also precede companies, roles and things. */
export const MAYBE_BEFORE_PERSON = phrases(`
  this is, i am, called, beneficiary, speak to, spoke to, talk to, meeting with, said, asked, explained, told, replied, add
  v, vs, versus, let, call, phone, thank, remind, invite, cc, hired, fired, sued, thanked, invited, phoned, emailed, arrested, charged
  ex, assigned to, approved by, prepared by, signed by, signed, tell, ask, reported by, reviewed by, reports to, interviewed, met, married
  thank you, thanks, ich bin, je suis, soy, sono, eu sou, ik ben
`);

/** Words before a person that also precede nearly anything. They only show that a name may follow. */
export const BEFORE_ANYTHING = wordList(`
  early, late, young, old, poor, little, by, contact, under, between, von, par, por, da, door, przez, with, about, that, and, but, than, because, if, when, while, whether, as, like, love, miss, hate, trust, know, knows, saw, see, meet, email
  mit, dass, und, aber, weil, wenn, avec, que, et, mais, con, pero, che, ma, com, mas, met, dat, maar, med, och, men, z, ze, ale
`);

/** After a possessive they indicate a person: `Maria's address`. */
export const OWNED_BY_PERSON = wordList(`
  name, address, email, mail, e-mail, phone, number, account, birthday, daughter, son, wife, husband, mother, father, sister, brother
  partner, child, children, house, home, office, boss, manager, salary, passport, desk, colleague, friend, family, novel, novels
  cautionary, doctor, lawyer, assistant, death, birth, letter, contract, application, file, hand, eyes, face, voice
`);

/** Phrases that begin directly after a person. */
export const AFTER_PERSON = phrases(`
  who, whom, himself, herself, has told, shrugged, cried, sighed, grinned, apologized, apologised, blushed, slept, woke, divorced, studied
  graduated, taught, teaches, lectured, testified, swore, confessed, insisted, admitted, complained, remembers, remembered, forgot, knows
  hates, was admitted, was arrested, was born, was promoted, was hired, was fired, was sent off, was married, was diagnosed, passed away, died
  arrested, phoned, emailed, texted, will take over, grew, scored, signed off, examined, teaches, chairs, and his, and her, and he, and she
  telefonierte, meinte, fragte, antwortete, rief, hat gestern, starb, studierte, erklarte, betonte, erlauterte, berichtete, erzahlte, kritisierte
  warnte, forderte, versicherte, entgegnete, erwiderte, wies zuruck, raumte ein, sagt, meint, erklart, betont, erzahlt, schreibt, heiratete, declare, dichiara, declara, a declare, a signe
  said, told, asked, explained, replied, shouted, wrote, lives, lived, was born, smiled, laughed, nodded, had given, has given, points out
  pointed out, married, grew up, will be talking, will be speaking, argued, sang, whispered, resigned, retired, spent, novel, is very, is so, is a very
  schrieb, sagte, wohnt, dit, habite, ne le, nee le, dijo, vive, nacido, nacida, disse, abita, nato, nata, mora, zegt, woont, mieszka, powiedzial, powiedziala
`);

/** After a name at the start of a sentence and a comma, they address a person. */
export const AFTER_ADDRESSED = wordList(
  `please, can, could, would, thanks, thank, bitte, kannst, konnen, merci, peux, pouvez, gracias, puedes, puede, grazie, puoi, obrigado`,
);

/** Phrases after a person that also follow companies, products and things. */
export const MAYBE_AFTER_PERSON = phrases(`
  confirmed, submitted, called, wants, believes, believed, agreed, refused, decided, promised, suggested, hopes
  attended, visited, arrived, left, went, came, got, moved, helped, thanked, signed, ran, sat, stood, wanted, seeks, argues, denied, denies
  likes, loves, v, vs
  says, writes, thinks, thought, listed, met, is coming, called me, called, works, worked, will join, joined
  signed, and i, is my, was my, has been a, plays, just has, just, concert, version, fan
  arbeitet, geboren, travaille, trabaja, lavora, werkt, pracuje
`);

/** Before a word they indicate a thing. */
export const DETERMINERS = wordList(`
  the, a, an, this, these, those, our, your, my, his, her, its, their, no, every, each, any, such, der, die, das, den, dem, des
  ein, eine, einen, einem, einer, unser, unsere, ihr, ihre, le, les, un, une, du, au, aux, ce, cette, votre, notre, los, las, una, il, lo, gli
  uno, os, um, uma, het, een
`);

/** Directly before a name they rather indicate a place. */
export const BEFORE_SOMEWHERE = wordList(
  `in, at, near, into, towards, through, across, bei, nach, aus, chez, en, te, naar, uit`,
);

/** As the last word of a name they indicate a thing that is named after somebody. */
export const THINGS = wordList(`
  hotel, airport, station, act, prize, award, awards, syndrome, disease, theorem, effect, agreement, building, boulevard, restaurant, museum
  cathedral, stadium, theatre, theater, library, festival, cup, league, county, river, island, mountains, valley, beach, plan, rule, report
  street, road, avenue, lane, square, drive, highway, terrace, platz, strasse, weg, allee, day, policy, policies, test, method, model, scale
  center, centre, clinic, school, team, project, program, programme, edition, series, collection, trust, fund, funds, office, terms, api
`);

/** Labels of fields that contain persons. */
export const PERSON_LABELS = phrases(`
  prepared by, approved by, reviewed by, written by, signed by, reported by, created by, submitted by, requested by, authorised by, authorized by
  checked by, verified by, issued by, taken by, reviewer, approver, witness, witnesses, assignee, requester, requested for, speaker, speakers
  organizer, organiser, chair, minutes, signature, erstellt von, gepruft von, freigegeben von, autor, auteur, redige par, approuve par
  elaborado por, aprobado por, redatto da, approvato da, opgesteld door, verfasser, verfasserin, protokoll, leitung, absender, empfanger
  name, full name, first name, last name, surname, given name, user, customer, client, patient, employee, author, contact, manager, attn, attention
  from, to, cc, bcc, signed, sender, recipient, applicant, beneficiary, account holder, cardholder, holder, owner, attendee, interviewer, the account
  founders, authors, attendees, participants, present, directors, signatories, teilnehmer, anwesend, presenti, asistentes
  nom, prenom, nombre, apellido, apellidos, nome, cognome, sobrenome, naam, voornaam, achternaam, imie, nazwisko, vorname, nachname, kunde
  ansprechpartner, bearbeiter, mitarbeiter, mitarbeiterin, unterzeichner, kontoinhaber, cliente, paciente, employe, salarie, titulaire, pacjent, pracownik
`);

/** Labels of fields that contain one person, so that a comma separates surname and given name. */
export const ONE_PERSON_LABELS = phrases(
  `from, to, cc, bcc, name, patient, employee, sender, recipient, author, contact, attn, von, an, de, para, nom, nome, da, a`,
);

export const BEFORE_PLACE = phrases(`
  lives in, living in, live in, lived in, born in, based in, grew up in, moved from, here from, moved to, moving to, arrived at, arrived in, arriving in, arrive in
  flight to, flight from, travel to, travelled to, traveled to, travelling to, trip to, trip in, visit, visiting, visited, originally from, i'm from, i am from, comes from, come from
  coming to, city of, town of, village of, state of, capital of, home city, near, i'm in, i am in, am in, located in, resident of, citizen of, stay in, staying in, year in, morning from, down from, street in
  office in, offices in, headquartered in, conference in, happened in, is in, was in, are in
  wohnhaft in, wohnt in, wohne in, geboren in, stadt, habite a, ne a, nee a, ville de, vive en, nacido en, nacida en, ciudad de, abita a, nato a, nata a
  citta di, mora em, nascido em, cidade de, woont in, geboren te, stad, mieszka w, urodzony w, miasto
`);

/** Phrases before a place that also precede products, companies and times. */
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

/** After an ampersand they turn a surname into the name of a firm. */
export const FIRM_TAILS = wordList(`
  sons, son, co, company, partners, partner, associates, brothers, bros, daughters, cie, compagnie, sohne, sohn, tochter, partnerschaft, kollegen
  fils, freres, associes, hijos, hermanos, asociados, figli, fratelli, associati, filhos, irmaos, zonen, zoon, zn, sonner, soner, synowie, synove
`);

/** What firms that are named after their partners do. Directly after the surnames. */
export const DEEDS_OF_FIRMS = phrases(`
  designed, represented, represents, advised, advises, audited, audits, underwrote, underwrites, acted for, filed, llp, vertrat, beriet, pruft
`);

/** Directly before the surnames of partners. */
export const LAW_FIRMS = phrases(`
  law firm, law firm of, law firms, firm of, offices of, solicitors, auditors, attorneys, counsel, notaries, architects, accountants, notare, wirtschaftsprufer, steuerberater, architekten, architekturburo, notaires, architectes, kanzlei, sozietat, rechtsanwalte, cabinet, etude, despacho, bufete
  studio legale, escritorio, advocatenkantoor, kancelaria, advokatfirman, advokatfirma
`);

/** Between the last two names of a list. */
export const CONJUNCTIONS = wordList('and, und, et, y, e, en, i, or, och, og');

/** Words that only companies have at the end of their name. */
export const COMPANY_FORMS = wordList(`
  inc, incorporated, ltd, limited, llc, llp, plc, corp, corporation, gmbh, ag, kg, ohg, ug, mbh, sarl, sas, sasu, sa, spa, srl, bv, nv, oy, oyj, ab, asa, aps
  sl, slu, lda, ltda, eirl, pty, pte, kk, se
`);

/** At the end of the name of a company, or at the beginning of that of an institution. */
const INSTITUTIONS = wordList(`
  co, company, group, holding, holdings, industries, technologies, systems, solutions, partners, associates, ventures, consulting
  bank, university, institute, foundation, hospital, ministry, agency, council, committee, association, federation, society, college, academy, airlines, airways, insurance
  motors, pharmaceuticals, laboratories, labs, software, networks, media, enterprises, international, services, logistics, communications, records, studios, stores, brothers
  universitat, hochschule, stiftung, verein, klinikum, universite, universidad, universita, universidade, universiteit, uniwersytet, banque, banco, banca, ministerium, gruppe, grupo, groupe, gruppo
`);

export const ORGANIZATION_WORDS = COMPANY_FORMS | INSTITUTIONS;

/** Lower-case words inside a name: `Ludwig van Beethoven`, `Rio de Janeiro`. */
export const PARTICLES = wordList(`
  de, del, della, di, da, das, do, dos, du, des, la, le, van, von, vom, zu, zur, zum, der, den, ter, ten, bin, ibn, al, el, af, av, y, e
`);

/**
 * Capitalised words that are not names: words beside a job title in a signature, parts of the week or year, and words
 * of forms.
 */
export const CAPITALIZED_WORDS = wordList(`
  january, february, march, july, august, september, october, november, december, monday, tuesday, wednesday, thursday, friday
  saturday, sunday, feb, mar, apr, jun, jul, aug, sep, sept, oct, nov, dec, mon, tue, wed, thu, fri, sat, sun
  montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonntag, januar, februar, marz, mai, juni, juli, oktober, dezember
  english, german, french, spanish, italian, portuguese, dutch, polish, internet, street, avenue, road, suite, apt, unit, box, po, number, no, tel, fax, phone, email, mobile
  page, chapter, section, figure, table, appendix, version, article, god, bot, ssn, iban, pin, atm, cc, id, ok, asap, dob
  optional, required, mandatory, unknown, none, blank, redacted, null, pflichtfeld, unbekannt, obligatoire, facultatif, inconnu, obligatorio
  opcional, desconocido, obbligatorio, facoltativo, verplicht, onbekend, wymagane
`);

/** Capitalised first words of places: `Las Palmas`, `St Gallen`. */
export const BEGINNINGS_OF_PLACES = wordList(`
  el, la, las, los, le, les, san, santa, santo, sao, saint, sankt, st, den, der, die, new, north, south, east, west, bad, port, fort, lake, mount, cite
`);
