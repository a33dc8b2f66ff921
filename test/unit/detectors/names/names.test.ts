import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { streetAddress } from '../../../../core/detectors/contact/street-address.ts';
import { detect } from '../../../../core/detectors/engine/detect.ts';
import { organizationName } from '../../../../core/detectors/names/organization-name.ts';
import { personName } from '../../../../core/detectors/names/person-name.ts';
import { placeName } from '../../../../core/detectors/names/place-name.ts';
import { type NamesAndAddresses, readNames } from '../../../../core/detectors/names/reading.ts';
import { tokenize } from '../../../../core/detectors/names/tokens.ts';

const found = (text: string, type: keyof NamesAndAddresses) =>
  readNames(text)[type].map(({ start, end }) => text.slice(start, end));

describe('names of people', () => {
  it.each<[text: string, names: string[]]>([
    ['Please ask Mr. Baker and Dr. Nguyen.', ['Baker', 'Nguyen']],
    ['My name is Oluwaseyi Adebayo-Smith.', ['Oluwaseyi Adebayo-Smith']],
    ['Ludwig van der Berg wrote to J. K. Marlowe.', ['Ludwig van der Berg', 'J. K. Marlowe']],
    ['Mit freundlichen Grüßen\nJürgen Großmann', ['Jürgen Großmann']],
    ['Madame Lefèvre habite ici', ['Lefèvre']],
    ['Gentile Signora Esposito,', ['Esposito']],
    ['la señora Zubieta y don Quijote', ['Zubieta']],
    ['Name: Qiu Zhang\nTeam: 4', ['Qiu Zhang']],
    ['Loan Officer Smith and Chief Financial Officer Tim Miller', ['Smith', 'Tim Miller']],
    ['We met Mark Bishop Taylor and Rose King Miller.', ['Mark Bishop Taylor', 'Rose King Miller']],
    ['Name: Mark Pope Wilson', ['Mark Pope Wilson']],
    ['Ask Sales Director Piotr Kowalski, not Stephen King.', ['Piotr Kowalski', 'Stephen King']],
    ['Piotr, Xyrella and Zdumek were there', ['Piotr', 'Xyrella', 'Zdumek']],
    ['Harkonnen: "Who goes there?"', ['Harkonnen']],
    ["This is Maria's desk", ['Maria']],
    ['my name is tamsin brontewood', ['tamsin brontewood']],
    ['Amina said \\"it\\\'s Omar\\\'s turn\\"', ['Amina', 'Omar']],
  ])('finds those in %j', (text, names) => {
    expect(found(text, 'person')).toEqual(names);
  });

  it.each([
    'QUARTERLY RESULTS OF ANNA HOLDINGS FOR THE YEAR',
    'Approved by Management under the Policy.',
    'The Account Manager Mark up the file.',
    'The Loan Officer Will call you.',
    'Grant access. Mark it read. Will you? Rose gold.',
    'const anna = John.smith; new Maria(1); Peter[0] + _Anna',
    'C:\\Users\\Anna\\Desktop and /home/maria/x and anna@example.com and @peter',
    'Anna1, JohnSmith, peter_pan, x=Maria',
    '4539 1488 0343 6467 and 308-63-0237',
    'The Terms Of Service Apply To Each User',
    'In January and on Monday we ship.',
  ])('finds none in %j', (text) => {
    expect(found(text, 'person')).toEqual([]);
  });

  it.each<[text: string, names: string[]]>([
    ['According to Szymborek, the shipment is late.', ['Szymborek']],
    ['The midfielder Quendara signed for three years.', ['Quendara']],
    ['Detective Aldercott asked the neighbour.', ['Aldercott']],
    ['Kowalczyk confirmed the date in writing.', ['Kowalczyk']],
    ['The report that Marchetti and Bergström submitted is wrong.', ['Marchetti', 'Bergström']],
    ['We met Tessamund, who joined in spring.', ['Tessamund']],
    ['Tessamund, please send me the invoice.', ['Tessamund']],
    ['Yesterday Tessamund told me that his car broke down.', ['Tessamund']],
    ['Our surgeon Iversholt retired.', ['Iversholt']],
    ['Write to m.quendara@example.com, or to Quendara itself.', ['Quendara']],
    ['Anna Brontewood called. Later Brontewood wrote.', ['Anna Brontewood', 'Brontewood']],
  ])('finds a surname alone by what stands around it in %j', (text, names) => {
    expect(found(text, 'person')).toEqual(names);
  });

  it.each([
    'John Q. Public',
    'Tamara M. Szabó',
    'J. R. R. Brontewood',
    'Omar bin Khalid al-Zahrani',
    "Siobhán O'Rourke",
    'Ewan McTavish',
    'Marie-Claire de Villiers',
    'João da Silva Pereira',
    'Krzysztof Wójcik-Nowak',
    'Þorgerður Egilsdóttir',
    'Priyanka Chatterjee',
    'Nguyen Van Thanh',
    'Takeshi Yamamoto',
    'Wang Xiaofeng',
  ])('does not cut %j', (name) => {
    expect(found(`My colleague ${name} will join the call.`, 'person')).toEqual([name]);
  });

  it.each<[text: string, names: string[]]>([
    ['SURNAME: BAKER\nGIVEN NAMES: ROSE\nSTATUS: ACTIVE', ['BAKER', 'ROSE']],
    ['Nom : MULLER\nPrénom : Désiré', ['MULLER', 'Désiré']],
    ['Apellidos: García Márquez\nNombre: Ana', ['García Márquez', 'Ana']],
    ['Achternaam: de Vos\nVoornaam: Finn', ['de Vos', 'Finn']],
    ['姓名：王小明\n部门：销售', ['王小明']],
    ['Фамилия: Волконский\nИмя: Дмитрий', ['Волконский', 'Дмитрий']],
    ['Pt. name: KRAMER, DAAN   DOB: 1961-04-02', ['KRAMER, DAAN']],
    ['To: Okonkwo, Chidi; Smith, John A.', ['Okonkwo, Chidi', 'Smith, John A']],
    ['To: Nijland, Xorn\nSubject: budget', ['Nijland, Xorn']],
    ['Attendees: van Dijk, Tessamund (minutes)', ['van Dijk', 'Tessamund']],
    ['"Levan Kobaridze" <levan@example.org> wrote:', ['Levan Kobaridze']],
  ])('finds the names in the fields of %j', (text, names) => {
    expect(found(text, 'person')).toEqual(names);
  });

  it.each<[text: string, names: string[]]>([
    [
      'id,first_name,last_name,amount\n1,Rose,Baker,250\n2,Min-jun,Park,75\n',
      ['Rose', 'Baker', 'Min-jun', 'Park'],
    ],
    ['Name;Vorname;Ort\nde Boer;Klara;-\nHase;Till;-\n', ['de Boer', 'Klara', 'Hase', 'Till']],
    ['Employee | Role\nAda Quendara | Analyst\nOffice Chair | Clerk\n', ['Ada Quendara']],
    ['Name;Colour\nOak Table;Walnut\nFloor Lamp;Brass\n', []],
  ])('finds the names in the columns of %j', (text, names) => {
    expect(found(text, 'person')).toEqual(names);
  });

  it.each<[text: string, names: string[]]>([
    ['Dear Ms Okonkwo,\nthank you.', ['Okonkwo']],
    ['Geachte heer de Leeuw,\nhierbij de factuur.', ['de Leeuw']],
    ['Kære Tessamund, tak for din mail.', ['Tessamund']],
    ['Sayın Yıldırım, faturanız ektedir.', ['Yıldırım']],
    ['Med vänliga hälsningar\nAstrid Quendara', ['Astrid Quendara']],
    ['Saluti,\nTessamund', ['Tessamund']],
    ['Laut Brontewood ist die Lieferung unvollständig.', ['Brontewood']],
    ['Der Kläger Lennard Saumweber beantragt die Zahlung.', ['Lennard Saumweber']],
  ])('finds who is greeted, signs or is quoted in %j', (text, names) => {
    expect(found(text, 'person')).toEqual(names);
  });

  it.each([
    'Brontewood & Sons delivered the timber.',
    'Invoice from Miller GmbH',
    'the law firm of Okafor and Lindqvist',
    'Smith, Jones & Partners LLP act for the buyer.',
    'They met at the Lincoln Hotel, room 12.',
    'The Kowalski Act of 1986 was repealed.',
    'We moved the Fees. All fees are due.',
    'Members who pay early save a fee; a member who does not pays more.',
    'The Data Protection Officer and the Video Player',
    'Product;Colour;Stock\nChair;Walnut;12\nTable;Oak;3',
    'BANK TRANSFER ONLY\nPAYMENT TERMS',
    'Surname: Required\nFirst name: Optional',
  ])('finds nobody in %j', (text) => {
    expect(found(text, 'person')).toEqual([]);
  });

  it('takes the names of streets for no people', () => {
    expect(found('Send it to 52 Rue Victor Hugo or 12 Martin Luther King Blvd.', 'person')).toEqual([]);
    expect(found('The office is at Greta and 15 Oak Lane', 'person')).toEqual([]);
  });
});

describe('names of places', () => {
  it.each<[text: string, names: string[]]>([
    ['She moved here from Uzbekistan.', ['Uzbekistan']],
    ['Er wohnt in Frankreich', ['Frankreich']],
    ['Who lives in Victoria now?', ['Victoria']],
    [
      'He grew up in Kirchhundem, near Saint Vincent and the Grenadines',
      ['Kirchhundem', 'Saint Vincent and the Grenadines'],
    ],
    ['Where: Ashby Club', ['Ashby']],
    ['Donna lives at 12 Main Street, Quillport', ['Quillport']],
    ['i was born in wroxleigh', ['wroxleigh']],
  ])('finds those in %j', (text, names) => {
    expect(found(text, 'place')).toEqual(names);
  });
});

describe('names of organizations', () => {
  it.each<[text: string, names: string[]]>([
    ['an offer by Hollowbrook Timber GmbH', ['Hollowbrook Timber GmbH']],
    ['She works for Zentrix, not for us', ['Zentrix']],
    ['Brightwater, Inc. may terminate', ['Brightwater, Inc']],
    ['University of Leeds', ['University of Leeds']],
    ['Brontewood & Sons delivered it', ['Brontewood & Sons']],
    ['Smith, Jones & Partners LLP act for him', ['Smith, Jones & Partners LLP']],
    ['at the law firm of Okafor and Lindqvist', ['Okafor and Lindqvist']],
    ['The Davis, Reynolds and Okafor office moved', ['Davis, Reynolds and Okafor']],
  ])('finds those in %j', (text, names) => {
    expect(found(text, 'organization')).toEqual(names);
  });
});

describe('the head of a letter', () => {
  const head =
    'Helga Brandt\nPurchasing manager\nNordwind\n14 Ahornweg 3\nSuite 210\nMarienfeld\nGermany 33428\n';

  it('is read by lines', () => {
    expect(found(head, 'person')).toEqual(['Helga Brandt']);
    expect(found(head, 'organization')).toEqual(['Nordwind']);
    expect(found(head, 'address')).toEqual(['14 Ahornweg 3', 'Suite 210', '33428']);
    expect(found(head, 'place')).toEqual(['Marienfeld', 'Germany']);
  });

  it('is read whatever ends its lines', () => {
    const lines = head.replaceAll('\n', '\r\n');
    expect(found(lines, 'organization')).toEqual(['Nordwind']);
    expect(found(lines, 'address')).toEqual(['14 Ahornweg 3', 'Suite 210', '33428']);
    expect(found(lines, 'place')).toEqual(['Marienfeld', 'Germany']);
  });

  it('is read in a quoted mail and without capitals', () => {
    const quoted = head.replaceAll(/^/gm, '> ').toLowerCase();
    expect(found(quoted, 'place')).toEqual(['marienfeld', 'germany']);
    expect(found(quoted, 'organization')).toEqual(['nordwind']);
  });
});

describe('street addresses', () => {
  it.each<[text: string, addresses: string[]]>([
    [
      'Ship it to 742 Evergreen Terrace, Springfield, IL 62704 today',
      ['742 Evergreen Terrace, Springfield, IL 62704'],
    ],
    ['Wir sitzen in der Lindenstraße 12a, 10969 Berlin.', ['Lindenstraße 12a, 10969 Berlin']],
    ['au 12 bis, 14 rue de la Paix', ['14 rue de la Paix']],
    ['Calle de Alcalá, 48', ['Calle de Alcalá, 48']],
    ['abita in via Giuseppe Verdi 7', ['via Giuseppe Verdi 7']],
    ['mieszka przy ul. Długiej 5', ['ul. Długiej 5']],
    ['Write to P.O. Box 1122.', ['P.O. Box 1122']],
    [
      'It was moved to 18 Quillmarsh 75\nApt. 3\nTartu\nEstonia 50090 in May',
      ['18 Quillmarsh 75\nApt. 3\nTartu\nEstonia 50090'],
    ],
    ['Meet me at the corner of Elm Street and 5 Oak Avenue', ['the corner of Elm Street and 5 Oak Avenue']],
  ])('finds those in %j', (text, addresses) => {
    expect(found(text, 'address')).toEqual(addresses);
  });

  it.each(['the road to 2030', 'Section 12 of the Act', 'in 5 ways', 'a 3 way call', 'version 4 drive 2'])(
    'finds none in %j',
    (text) => {
      expect(found(text, 'address')).toEqual([]);
    },
  );
});

describe('a long text', () => {
  const names = 'Anna Kowalska wrote. '.repeat(100_000);

  it('is read in part, evenly over its length', () => {
    const slices = tokenize(names);
    const read = slices.reduce(
      (sum, { tokens }) => sum + (tokens.at(-1)?.end ?? 0) - (tokens[0]?.start ?? 0),
      0,
    );
    expect(read).toBeLessThan(17_000);
    expect(slices).toHaveLength(9);
    expect(slices.at(-1)?.tokens.at(-1)?.end).toBeGreaterThan(names.length - 10);
  });

  it('yields a lower bound, ascending', () => {
    const { person } = readNames(names);
    expect(person.length).toBeGreaterThan(500);
    expect(person.every(({ start }, i) => i === 0 || start >= (person[i - 1]?.end ?? 0))).toBe(true);
    for (const { start, end } of person)
      expect(names.slice(start, end)).toMatch(/^(?:Anna Kowalska|Anna|Kowalska)$/);
  });
});

describe('words that are kept', () => {
  const unknownWord = (number: number) =>
    `zwischenzeitlich${String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))}`;
  const heapAfter = (texts: Iterable<string>) => {
    for (const text of texts) readNames(text);
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    return process.memoryUsage().heapUsed;
  };

  it('do not keep their texts in memory', () => {
    const long = function* () {
      for (let i = 0; i < 60; i++)
        yield Buffer.from(`${unknownWord(i)} ${'lorem '.repeat(50_000)}`).toString();
    };
    const before = heapAfter(['Anna']);
    expect(heapAfter(long()) - before).toBeLessThan(5_000_000);
  });

  it('are few, however many are read', () => {
    const wordy = function* () {
      for (let i = 0; i < 200_000; i += 500)
        yield Array.from({ length: 500 }, (_, at) => unknownWord(i + at)).join(' ');
    };
    const before = heapAfter(['Anna']);
    expect(heapAfter(wordy()) - before).toBeLessThan(15_000_000);
  });
});

describe('weight', () => {
  it.each([personName, placeName, organizationName, streetAddress])(
    '$id stays below one half',
    (detector) => {
      for (const text of detector.examples.hits) {
        expect(detect(text, [detector])[0]?.confidence).toBeLessThanOrEqual(0.5);
      }
    },
  );

  it('says whether the surroundings speak of a name', () => {
    expect(detect('Anna Kowalska', [personName])[0]?.tiers).toEqual({ pattern: 1 });
    expect(detect('Customer name: Anna Kowalska', [personName])[0]?.tiers).toEqual({ context: 1 });
  });
});
