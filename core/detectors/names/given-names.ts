/**
 * Frequent given names that the library's English lexicon lacks, of the supported languages and neighbouring ones.
 * Lower case, without accents. The list is short, because a known surname is enough to recognise a full name.
 */
export const GIVEN_NAMES: readonly string[] = `
aafke aaltje abbas abdelkader abdulaziz abdurrahman abelardo abhishek abilio achille achim adalberto adelaida
adelino aderito adil aditi aditya adnan adriaan adrie adwoa agata agathe agneta agnieszka agostino ahlam aitana
aitor ajay akane akash akemi akihiko akihiro akiko akio akosua akshay alaa albane albertina albin alcides aldina
alenka ales alessia alessio alexey alfons alfredo alix almudena alojzy alwin alzira ama amal amandine amani
amaro ambra ambrogio ambroise amedeo amelie americo amerigo amira amita amitabh amparo anais anand ananya anatol
andree andreja andries andrija angiolina anica aniela anil anjali anke ankit anne-marie anne-sophie annegret
anneke annelies anneliese anouk anselmo ansgar ante antje antonello antonietta antonin antoon anupam anushka
anzelm aparecida aparna apolline arantxa arend arie arif arjan arkadiusz arkady arlindo armelle armindo arnaldo
arne arun aruna arvid arvind asa asad asbjorn ashok ashwin aslaug asma asmund assunta astri asuka atsuko atsushi
attilio aude aukje aurea aurelie aurelien aurelio aurora axel ayaka ayako ayman ayumi azzurra badr bakr
baldassare baltasar bao baptiste baris bartlomiej bartolome bartolomeo bartosz basem bashar basim bastian
bastien beata beate beatrijs begona belen belmiro benedetta benedetto benedikt benedita benedykta bengt
beniamino benoit bento benvinda beppe berangere berend berit berkay bernabe bernardete berthold bharat biagio
binh birger birgit birgitta birgitte birte bjarki bjarne bjork blandine blazej bodo bogdana bogumil boguslaw
boguslawa bohdan bohumil bojan boleslaw borge borislav borja bozena bozidar bram branko bratislav brites britta
bronislava bronislaw bronislawa bruna brunella brygida brynhild brynjar bulent burak burkhard bushra caetano
caio candela candelaria candida cansu capucine carl-gustav carmelo carmine carsten casimiro cassio cayetana
cayetano cecilie cecylia cees celestine celestyn cem cemal cemile cengiz cesare cestmir cezary chaoxiang chau
chema chiara chidi chie chihiro chinedu chioma chiyoko christel christelle christer chukwuemeka chunhua cidalia
cinzia ciprian ciro clarisse clelia clemence clemente clementine clothilde cobie coen conceicao concetta
conchita corentin corrado cosimo costel covadonga cuong curro custodio cvetka cyrille czeslaw czeslawa dagmar
dagmara dagny daichi daisuke dalia dalibor dalila damir daniil danijel danijela danil danuta darija dariusz
darko davide davor dawid deepa deepika delfina demetrio denisa deniz deolinda desamparados detlef devendra didem
didier dieuwke dilek dimitar dinis diogo divya dmitriy dmytro dobroslaw domenica domenico domingos dominika
donata donatella donato dorota dorothee douwe dragana dragica drazen duarte dung duong dusan dusana ebba ebbe
ebele eberhard ebru ecaterina eckhard edda edelmira edeltraud edita edouard edson eduarda edurne edvard edyta
eelco egidio egon eiji einar eino eirik eivind eleonora elfriede eline elio elisabet elisabetta elisio elke
ellinor elodie els elsbeth elsebeth elwira elzbieta emad emanuele emeka emeline emiko emre encarnacion endre
enrica enza ercan erdal erdem erkan erkki erland erling ermanno ernesta erol ertugrul eryk espen esra essam
estefania estevao etsuko ettore eugenio eugeniusz eulalia eurico eusebio evaristo evelyne evert evgeni evgenia
evzen ewald ewelina eyvind ezequiel fabiana fabienne fabiola fabricio fabrizia fadime fadwa fahad faisal faiza
falk fareed farhan farid farouk fatema fathi fatih fatimah fausto fawzi fayez federica fedor feliciano felicie
feliks femke ferdi fermin fernand fernao fiamma fikret filipa filipe filippo filomena finn fiorella flavia
flavie flavio florent floriano florin floris folasade folkert foppe fortunato fouad franciszka franck
frantisek frauke frederique friedhelm frode froukje fryderyk fulgencio fulvio fumiko fumio funda gabor gael
gaelle gaetan gaetano gaia galina gaspard gaurav gauri gautier gavril geert geertje geertruida geeta geir
gennaro genoveva genowefa gerarda gerben gerbrand gerd gerda gerlinde gernot gerritje gertruda ghada ghassan
gheorghe ghislain ghislaine giacinto giada gianfranco giang gianluca gianluigi gianmarco gianni gianpaolo gijs
gijsbert gil ginette ginevra gioacchino giordano giorgia girish gisli gitte giuditta giulia giuliana giuliano
giulio giuseppa giuseppina goffredo gokhan goncalo gopal gordana gorka gorm goro graca graziano graziella
grazyna greetje greger gregoire grethe griet grigori gro grzegorz guang gudmund gudrun guenter guenther guerino
guglielmo guillermina gulay gulsen gunilla gunn gunnhild guoqiang gustaw guus gwenaelle haakon hadi hafsa
haitham haiyan hajime hakan hakim hakon halil halima halina halldor halvor hanan hani hanne hanneke hannelore
hannu hans-peter hansjorg harald hari harish harmen haroon hartmut haruka haruko harun hatem haya hayat heba
hedda hedvika hege heidrun heike heikki heiko heiner heinz helder heleen helge helio helle helmut heloisa hemant
hendrika hendrikus henk henning henny henriette henriikka henrike henryka heribert heriberto herminia herminio
herta herve hiba hicham hidde hideaki hideki hideko hideo hien hieronim hieu higino hilario hilma hiltrud hina
hind hiroaki hiroki hiroko hiromi hiroshi hiroto hisako hisham hjalmar hoang holger honorata horst hrafn hrvoje
huda hugues huguette huib huifang huong iara iben ibolya ichiro idunn ifeanyi iga ignacy ihab ikechukwu ikram
ilaria ildefonso ilie ilinca ilka ilker iman imanol imke immacolata imran imre inaam inacio inaki ineke ingeborg
ingegerd ingemar inger ingmar ingo ingolf ingvar ingvild inka inmaculada innokenti inocencio intisar ioan ioana
ionel iracema ireneusz irmgard irmtraud isak isamu isao isaura isidoro isidro ismet isolde issam istvan itziar
ivano ivar ivaylo iveta ivica ivo ivone iwao iyad izabela iztok jaakko jaap jabir jacek jacinto jacoba jacobus
jacopo jadranka jadwiga jafar jagoda jalal jamil jamila jan-willem jandira janez janko janneke jannie jantine
januario janusz jarkko jarmila jarmo jaromir jaroslaw jaroslawa jawad jaya jayant jean-baptiste jean-claude
jean-francois jean-jacques jean-louis jean-luc jean-marc jean-michel jean-paul jean-philippe jean-pierre jedrzej
jelle jelte jerneja jeroen jerzy jianguo jianhua jimena jindrich jingjing jiri jitka jitske joachim joakim
joaquim joaquina jochem jochen joep joerg joergen jolana jolanta jonna joost jop jorg jorgen jorgina joris jorma
jose-luis jose-maria josette josiane josip josselin jouni jovan jozefa jozica jozsef juan-carlos judite juergen
juha juhani jukka julita junichi junjie junko jure jurema jurgen jurre jurriaan jussi justyna jutta jyoti jytte
kaarina kadir kailash kaisa kaja kajetan kalevi kalin kalpana kana kaori kaoru karan kareem karel karianne
karine karl-erik karl-heinz karol karola karoliina karoly karsten kasia katalin katarzyna kathrin katja katriina
katrin kavya kazimiera kazimierz kazue kazuhiro kazuki kazuko kazuo kees keijo keiko keimpe keisuke kemal
kenichi kenji kenta kerem kerstin ketil khalil khanh kieu kimmo kinga kirsi kirsti kishore kiyoko kiyoshi
kjartan kjell kjersti klaas klara klaudia klemen kliment knud knut koen kofi koichi koji konstanty koos koray
kornelia kouji kresimir krijn kristiina kristoffer krisztina krystian krystyna ksawery ksenia kumiko kveta
kwabena kwaku kwame kyoko ladislav laetitia lajos lakshmi lalit lamia lanying lapo lasse laure laurens laurinda
lautaro lech leendert leire lella leni lenka leocadia leokadia leonarda leonidas leonor leontine leopoldo leszek
letizia levent libor libuse lidiane lidija lidwien lien liesbeth liesel lieselotte lieve lieven lihua liliane
liling lilou linh linnea lino lisbeth lise liselotte liudmila livio ljubica ljubomir ljudmila lodewijk loes loic
longin loredana lorella lorenza lothar lotta lourdes lourenco luana lubna lubomir lubos lucienne lucio lucja
lucjan lucrezia ludek ludger ludivine ludmila ludovica ludovico ludwik luigia luigina luis-miguel luiza lukasz
lutz luzia lydie lyudmila maaike maarit maarten maartje macarena machteld madalena maddalena madelief madhav
madhuri mael maelle mafalda magne magnhild mahmud maija maike maiken majbritt majid maki makoto maksym
maksymilian malgorzata malte mamoru manabu manju manlio manoj manolo mansour maram marceline marcio mareike
marek margareta margarete margaux margherita margit margrete margriet maria-grazia maria-jose maria-luisa
maria-teresa mariangela maricarmen marie-christine marie-claude marie-france marie-pierre marieke marielle
marijan marijana marijke marika mariko marilena marilia marinko mariola mariska marit marita mariusz marjan
marjatta marjolein marketa markku marlies marloes marte martijn martti martyna maruska marwan maryla maryse
marzanna marzena marzia masaaki masahiro masaki masako masao masaru masashi masato masayuki massimiliano massimo
mateus mateusz mathijs matija matjaz matthieu matthijs mauricette maurizio mauro maxence maxim maximo mayumi
mechthild meena meera megumi meihua meike meiling meindert melchiorre melek meltem menno merche merel merete
merlijn mert merve mette michalina michela michiko mieczyslaw mieczyslawa mieke mieszko miguel-angel mihael
mihaela mihail mihaly miho mija mikael miki mikkel mikko mikulas milana miljana milka miloslav milosz mingxia
minna minoru mircea mireille mirella mirjam mirjana mirko miroslav miroslava miroslaw miroslawa misaki misha
mitja mitsuko mitsuo miyako miyuki mladen moacir mogens mohan mojca momoko morena moreno morgane morten motoko
mounir moustafa mujahid mukesh mukta munir murat musa mylene nabil nadeem nadege nader nadezda nadezhda nadim
nadzieja nagwa naim najib najwa nanami nandini naoki naoko narayan narendra naresh nasir nasser natalija
natalina nataliya natasa natividad natsuki natsumi naveen nawal nayef nazario nazir nazli nebojsa necati neda
nedelko neelam neha nelia nelleke nenad nerea nermin neslihan nesrin nestor neven nevenka ngoc ngozi nguyet
nhung nicanor nicoletta nicolo niek nienke nieves nihat nikodem nikoleta nilgun nilton ninni nitin njal nkechi
nnamdi noboru nobuko nobuo noelia noemia noemie noortje norberto noriko norio noura nuno nunzia nunzio nuria
oana obdulia obinna oceane oddbjorn oddvar odete odile okan oktawia olavi olavo oldrich ole olegario oleksiy
olena olgierd olha oliwia oluwaseun onno onur ophelie oreste orhan orietta ornella oronzo ortwin osamu oskari
osmo osorio otavio otmar ottavio otylia ovidiu oystein ozan ozge ozgur ozlem paavo padma palle palmira paloma
paquita pascale pascual pasquale pastora patricio patrizia patrycja patryk pauli paulien paulino pavla pavlina
pavol pawel pekka pentti pepa pepe perico perrine perttu peter-paul petronella petru petter phuc phuong piedade
piera pierangelo piergiorgio pierluigi piero pierpaolo pierre-yves pierrette piet pieternel piia pim pinar pirjo
pirkko plamen pooja poul prabhakar pradeep pramod pranav prasad prashant pratibha praveen preben predrag preeti
primoz priya priyanka przemek przemyslaw puja purificacion qasim qiang quang quique quirino quiteria quoc quyen
quynh rabia radek radka radmila radomir rados radoslav radoslaw radovan radu raed rafaela rafal raffaele
raffaella rafiq ragna ragnar ragnhild rahma raija raimo raimunda raimundo raja rajat rajendra rajiv raju rakesh
raman ramazan ramesh rami rana rani rastislav ravi raymonde razvan regine reidar reijo reiko reima reinaldo
reiner reinhard reinier rejane rekha remi remigiusz remo remy renan renate renato rens renu renzo reyes riad
rida rie rigoberto riikka rik riku rinske rinus rishi risto ritu ritva riyad roald roelof rogerio rohit roksana
romano romeu romina romolo roos roque rosalba rosalia rosangela rosaria rosaura roselyne roshan rossana rossella
rostislav roza rozalia rudiger ruediger ruggero rui rune ruslan rutger ruud ruzena ryo ryoko ryota ryszard
ryszarda ryuji saar saara sabah sabatino sabri sachiko sachin sadao sadik sadiq safa safiya sakari saki salah
saleh salim salima salman samar samer samia samo samuele sancho sandrine sangeeta sanja sanjeev sanna sanne
santina santosh sarita sasa sascha saskia satish satoko satomi satoru satu saturnino saud sava saverio savita
sayaka sayed sebastiano sebnem seema segolene seiichi seija seiji selcuk selin senka seppo serdar serhiy serkan
setsuko settimio severine severino sevgi sevim seweryn shadi shaima shanti sharad sharif shashi shigeko shigeru
shilpa shinichi shinji shinobu shiv shivani shizuko shobha shoichi shoji shota shreya shruti shufen shunsuke
shyam sibel siddharth siebe sieglinde siem sietske sigbjorn signe sigrid sigurd sigurdur silje silke silvana
silvano silvestro silvija simao simeon simonetta sinan sindre sipho sirkka sirpa siv sixten sjaak sjoerd sjors
slavica slavka slavko slawomir smita sneha sneza soha solange soledad solene solveig soraia sota souad spela
srdjan srinivas stanislava stanislawa stanko stefania steffen steffi stefka stein steinar stepan stian stig
stijn stine stjepan sture subhash sudha sudhir sueli sujata sukhrob sule suleiman suleyman suman sunil sunniva
sushil sushma susumu suze svante svein sveinn svenja svetlana svetozar svyatoslav swantje swati sybille sylvain
sylvaine sylvette sylviane sylwester sylwia synnove sytske szabolcs szczepan tadashi tadeu tadeusz tahir taina
tais takahiro takako takayuki takeo takeshi takumi talal tamotsu tancredi tanja tanvi tapani tapio taras tarek
tariq tarja taro tatjana tatsuya teemu telma telmo temitope teodor teodoro teofil teofilo teppo terhi terje
terttu teruko tetsuo tetsuya teun teunis thabo thanh thao themba theodorus thi thibaud thibault thien thierry
thijs thinh thorbjorn thorsten thuan thuy tiago tibor tihomir tiina tijmen tineke tiril tiziana tiziano tjeerd
tolga tomaz tome tomislav tomoko tomomi toon torben tord torill torkel torleif torsten torunn torvald toshiko
toshio trang traudl trinh trond truc trude truus trygve tsutomu tuan tugba tuija tulay tullio tuncay tuomas
turid tuula tuyen tuyet twan tymon tymoteusz ubaldo ubirajara uchenna udo ufuk ugo ulf ulises ulla ulrika ulrike
ulyana uma umar umut unal urbano urho urmila urska urszula uta ute uwe vaclav vadim vaino valdemar valentino
valentyna valerio valeriy vanda vanja varun varvara vasant vasco vasil vasile vasyl vegard veikko veit velia
velimir venkat verena veronique vesa vibeke vicenta victoire vidar vidya viggo vijay vikas vikram vilhelm vilma
vimal vinay vincenza vineet vinh vinicius vinod violette virgilio virginie virtudes vishal vit vitale vitaliy
vitaly vito vitor vitoria vittoria vittorio viviane vjekoslav vladka vlado vlasta volkan volker volkmar vsevolod
vuk vyacheslav waclaw waclawa wael wafa wagner waheed waldemar walenty walid waltraud wanderley wanjiru weidong
weimin wenche wendelin weronika wessel wiebke wieslaw wieslawa wietse wietske wiktor wiktoria willem willemijn
wim wincenty wioletta witold wladyslaw wladyslawa wlodzimierz wubbo xabier xavi xiaohong xiaojun xiaoli xiaoling
xiaoming xiaoping xiulan xiuying xuan xueling yago yahya yana yaqub yash yasin yasir yasser yasuhiro yasuko
yasuo yavuz yaw yekaterina yifan yildiz yilmaz yngve yoann yogesh yoichi yoko yolande yoshiaki yoshie yoshiko
yoshio youcef younes yousef ype yrjo yuhua yui yuichi yuka yukari yuki yukie yukiko yukio yuko yulan yuliya yumi
yumiko yuriko yusuke yutaka yuuki yuuta zaid zaki zanele zbigniew zdenek zdenka zdravko zdzislaw zdzislawa zeki
zelia zeljko zhen zhiqiang ziad zihan zita zivko ziyad zlata zlatko zoltan zorica zsuzsanna zulema zulmira
zuzana zuzanna zvonimir zwaantje zygfryd zygmunt
adebayo ademola adunni afua agnes aiko aili ainhoa aino aisling aito akua alasdair alastair alena alexandros alina
alisher aliya alma altan amarjit aminata amir anahit anastasios anastasiya anca andras andrei aneta anika ankica
annika antal anthea antonis anzhela aoife aristide armen arpad artem artur asel asen asif aslan aslihan astou
athanasios attila ayasha aylin ayo ayodele ayse aysel aziz azra bahar balazs balint balkis balwinder barnabas basak
bayram beatrix bela benedek berna besim betul biljana blanka blerim bogdan boglarka bolanle botond branimir branka
brigid bronwyn bryndis burcu byung cahit callum camelia caoimhe caterina catrin catriona ceylan chandan chandra
chang chiamaka chidinma chimamanda ciara ciarrai cillian claudiu colm conall conor corneliu costin cristian cristina
dace dafydd daiki dainius daithi dalma damla dan danica darragh darshan david deirdre demba denes desislava dewi
diarmuid dilnoza dimitra dimitrios dimitris dinara dinesh djamila dora dorde dorina doru dumitru eamon edgars egle
eilidh einari eirini ekin elchin eldar eleftheria eleni elif ella elnur emese emine endang eniko eoghan eoin ervin
erzsebet eszter euan eva evangelos ewan ezgi farida fatima fatou ferenc feride fikri filiz finnian folake freya
gabriela gagan gamze ganesh gaukhar gellert georgi georgios geza giga giorgi gizem grainne grigor guldana gulnara
gulsah gurpreet gwyneth habib hadiza haldor halla hamish hanh harjit harpreet haruna hasmik hayato haydar hazel
henrietta hikari hilal hilda hinata hjordis honoka hovhannes hristo hulya husniye huyen ieva igor ildiko ilir ilona
ilya imani imogen indah indira indu ingibjorg ingrida ioannis ionut irakli irena irma ishaan ishita islam ismael
ivana ivelina jaan jagdish jakub jana janis janos jarek jasmina jaspreet jay jelena jemima jesper joanna johan joko
jolan jonas jovana jozef juraj jurgita kaan kadri kaito kamal kamila kamlesh kapil karina karlo karolina kartika
kasper katerina kazuya keeley keir keita keshav kestutis ketevan khadija khoa kirsty konstantin konstantinos kornel
kostas kota kristina krisztian krum kubra kujtim kylie laima lamine lana lasha laszlo lata laurentiu leda lejla lena
lestari levan levente lidia liga liliya liviu loan lorand lorcan luka lyubov madan madina magda mahendra maite maja
maksim malak mamadou manami manana manish manpreet maree mariam mariana marija marin marina marius markus marta
masaya mate matyas meenakshi mehmet mehtap merab meral mia michal mihai mikheil miklos milan milena milica milos
minal minh mio mirela miriam misato mithun mohamad mohit mohsen mourad muhammet mustafa naomi naoya narine nasrin
natia nazan nevena ngan nhi niamh nihal nika nikhil nikola nikolai nikolaos nina nino nisha nodar noemi nora norbert
nozomi nurlan nursultan nurul odhran okechukwu oksana oleg olexandr omer oonagh orla orsolya oscar ouma ousmane
padraig panagiotis pankaj parvati pavlos pelin petar peter petros phong piers piroska plamena polina poppy pradip
putri rachana rachid raluca randy ranjit rares rasa rashid rasim raul razia recep reka rhiannon rhys rizky rohan
roisin rozsa rustam saffron sahin salome samira sandor sanjana sanjay saoirse sara sarolta sayuri seda selim selma
semra serap sergei sevda shailesh shalini shane shingo shirin shukri shun shunya siarhei sibusiso silviu simona
sinead siobhan siti slamet slavomir slobodan snezana snorri sofia sofiane sorin spyros stavros stefan steinunn
stelian sue sujatha sukhwinder sumaya surinder surya svetla swapna szilvia taichi takuya tamar tamas tamaz tarun
tatiana tatsuo tengiz teresia tevfik thandeka thandi theodora theodoros thora thorunn thulani tilly timea timur
titilayo tomas tomohiro tonje tsubasa tuba tudor tugce tulsi tunc tunde turgut uday ulrik ulviye umesh umid unnur
urmas ursula usha vaclava vaida vakhtang valdis valentin valeriu vandana vanya vasilica vasiliki vasilis vasudha
vendula venkatesh vera vesna vessela viktor viktoria vilius viorel viorica virag vlad vladislav vojtech vy wafaa
wahyu wakana wangari wojciech wulan xhevdet yalcin yannis yanto yaroslav yasemin yashwant yasushi yemi yen yerlan
yesim yevgeny yiannis yonas yordan yosuke yudai yulia yuna yusuf yuto yuya zafer zainab zakaria zaneta zaur zdena
zehra zeynep zhanna zinaida zoe zofia zsofia zsolt zuhal zurab
april bill holly joy june mike rose ruby violet will penny
`
  .trim()
  .split(/\s+/);
