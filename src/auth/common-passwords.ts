// The commonest passwords of 8 and more characters.
// Written down from what is generally known of leaked passwords, not copied from a published list; no claim that it is complete.

/** `password` in lower case. The lists stay text: they are searched only when someone chooses a password. */
export function isCommon(password: string): boolean {
  return (
    words(listed).includes(password) ||
    ['', ...words(endings)].some(
      (ending) =>
        password.endsWith(ending) &&
        words(stems).includes(password.slice(0, password.length - ending.length)),
    ) ||
    words(rows).some((row) => row.includes(password) || row.includes([...password].reverse().join(''))) ||
    /^(.)\1+$/su.test(password)
  );
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Neighbours on a keyboard, in the alphabet or in counting: any stretch, forwards or backwards. */
const rows =
  '12345678901234567890 abcdefghijklmnopqrstuvwxyz qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm,./';

/** Each of these is as common with each of the endings, or as it is. */
const stems = `
password passw0rd p@ssw0rd p@ssword qwerty qwertyuiop asdfgh asdfghjkl zxcvbnm iloveyou iloveu welcome letmein admin administrator root user guest test login
master secret dragon monkey princess sunshine football baseball basketball soccer superman batman shadow hello charlie michael jessica ashley jordan daniel
andrew thomas summer winter spring autumn august december january november monday friday freedom whatever trustno starwars pokemon computer internet samsung
google facebook liverpool arsenal chelsea barcelona yankees killer hunter buster tigger pepper ginger cookie purple orange flower rainbow chocolate butterfly
angel lovely mylove forever friends family babygirl changeme default pass abcd abcdef abc123 asdf qwer hallo passwort azerty bonjour senha parola hola company
office abcdefg amanda anthony asshole austin awesome babyboy beckham bismillah brandon brasil captain cheese chicago coffee crystal dakota diamond england
ferrari florida fuckoff fuckyou geheim george hellokitty hockey horses iloveme jesus jetaime joseph joshua justin juventus krishna love loveyou lucky matkhau
matthew mexico midnight mustang naruto newyork nicole nothing oracle peanut phoenix playboy postgres pumpkin qwert robert ronaldo samantha security service
silver skater slipknot softball success superstar support taylor testing thunder unicorn william windows yellow
`;
const endings = `
1 2 3 7 01 07 10 11 12 13 21 22 23 69 77 88 99 00 007 111 123 321 420 666 777 786 1234 4321 12345 123456 1234567 12345678 123456789 ! !! 1! 12! 123! 1234! @
@1 @12 @123 @1234 #1 #123 _123 .123 2000 2010 2012 2015 2018 2019 2020 2021 2022 2023 2024 2025 2026
`;

const listed = `
pa55word pa55w0rd pa$$word pa$$w0rd motdepasse contrasena password1234567890 drowssap passpass password.1 passwordpassword mypassword mypass123 newpassword
thepassword yourpassword nopassword passphrase changeit changemenow changethis letmeinnow openopen opensesame opensaysme welcomehome welcomeback
defaultpassword secretpassword topsecret mysecret verysecret supersecret superuser administrador adminadmin adminpass adminpassword rootroot rootpassword
rootpass sysadmin guestguest testtest testtesttest testpass testpassword temp1234 temppass temporary temppassword username usuario1 loginlogin logmein1
access14 access123 accesscode demo1234 demodemo example1 sample123 masterkey mastermind microsoft iphone123 android1 youtube1 twitter1 instagram linkedin
linkedin1 whatsapp snapchat telegram netflix1 amazon123 playstation nintendo xbox360x minecraft minecraft1 roblox123 fortnite fortnite1 pikachu1 callofduty
warcraft starcraft counterstrike godofwar assassin skyrim123 leagueoflegends halflife2 zeldalink supermario mariokart sonic123 123qweasd 1q2w3e4r 1q2w3e4r5t
1q2w3e4r5t6y 1q2w3e4r5t6y7u8i 1qaz2wsx 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw2 1qaz!qaz 1qaz@wsx !qaz2wsx !qaz@wsx zaq12wsx zaq1xsw2 zaq!2wsx xsw21qaz
qazwsxedc qazwsxedcrfv qazwsx123 qaz123wsx qazqazqaz wsxedcrfv edcrfvtgb q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 q1q1q1q1 qweasdzxc qwe123qwe qweqweqwe qweasd123
qwerqwer qwertyqwerty qwertyui1 qwertyu1 asdfasdf asdfqwer asdasdasd asdasd123 asd123asd asdfzxcv asdf;lkj asdfghjkl; zxczxczxc zxcvzxcv azertyazerty 1a2b3c4d
1a2b3c4d5e a1b2c3d4 a1b2c3d4e5 a1s2d3f4 aa123456 aaa12345 aaaa1111 aabbccdd abc12345 abc123456 abc123abc abcabcabc abcde123 abcdefgh1 a1234567 a12345678
a123456789 a1b2c3d4e5f6 a123456a q1234567 q123456789 z1234567 123456789a 12345678a 1234567a 1234567q 123456789q 123456789z 12345qwert 123456abc 123456qwe
123456qwerty 1234qwer 123qwe123 123abc123 123asd123 12341234 123123123 123123123123 12121212 121212121212 12312312 123412341234 1234512345 123454321
1234554321 123456654321 123456123456 1234567654321 12345678910 1234567891 123456789123 1234567899 12345679 12344321 11112222 11223344 1122334455 112233445566
11221122 11235813 1123581321 10101010 1010101010 10203040 1029384756 102030405060 13131313 13579246 1357924680 135792468 147258369 1472583690 14725836
147852369 14789632 159357159 159753159 159753456 1597532486 15935728 147896325 159159159 112358132134 20002000 20102010 20202020 21212121 22334455 22446688
23232323 24682468 246810121 24681012 25252525 25802580 31415926 314159265 3141592653 31415927 321321321 32132132 36925814 369258147 3692581470 43214321
44332211 45454545 456456456 45645645 456789123 4815162342 481516234 50505050 51505150 52525252 54545454 55443322 56565656 64646464 65656565 66778899 69696969
7410852963 741852963 7418529630 74108520 75757575 753951456 77889900 78787878 789456123 7894561230 78945612 789789789 789632145 85208520 852456852 87654321a
88776655 89898989 90909090 951753852 963852741 9638527410 96385274 98989898 987456321 987654321a 999888777 00112233 01010101 010203040506 01020304 0102030405
01012000 01011980 01011990 0987654321a iloveyou143 iloveyouso iloveyoubaby ilovegod ilovehim ilovemum ilovemom ilovejesus ilovemyself ilovesex ilovecats
ilovedogs ihateyou ihateyou1 imissyou loveme123 lovelove lovelove1 lovelife loveless lovelovelove lover123 lovers12 lovebird lovebug1 loveable lovehurts
lovesick truelove myloveyou sweetlove babylove teamo123 teamomucho teamoteamo tequiero tequieromucho ichliebedich amorcito amoremio amoramor amorypaz
miamorcito princesa princesa1 princesse volleyball swimming snowboard skateboard spiderman spiderman1 ironman1 wolverine deadpool1 startrek darthvader
skywalker lukeskywalker chewbacca yodayoda obiwankenobi stormtrooper stargate stargate1 matrix123 trinity1 terminator gladiator predator transformer
harrypotter hogwarts dumbledore voldemort gandalf1 aragorn1 legolas1 lordoftherings pirates1 jacksparrow jamesbond jamesbond007 bond007bond simpsons
homersimpson bartsimpson southpark familyguy spongebob spongebob1 mickeymouse minniemouse mickey123 tinkerbell tinkerbell1 cinderella winniethepooh garfield
garfield1 snoopy123 scoobydoo scooby123 butthead metallica metallica1 linkinpark linkinpark1 nirvana1 greenday greenday1 eminem123 beatles1 ledzeppelin
ironmaiden megadeth blackmetal deathmetal blink182 blink182182 50cent50cent tupac123 rockstar rockstar1 rockandroll rocknroll guitar123 music123 musicman
corvette corvette1 porsche1 porsche911 lamborghini mercedes mercedes1 bmwbmwbm chevrolet chevy123 camaro123 subaru123 toyota123 honda123 yamaha123 kawasaki
suzuki123 harley123 harleydavidson michelle michelle1 jennifer jennifer1 elizabeth elizabeth1 stephanie stephanie1 christina christine christian christian1
christopher christopher1 alexander alexander1 alexandra alexandre alejandro alejandra benjamin benjamin1 nicholas nicholas1 jonathan jonathan1 jordan2323
michaeljordan kobe2424 lebron23 cristiano cristiano7 messi123 messi1010 neymar123 maradona realmadrid realmadrid1 liverpoolfc chelseafc manchester manchester1
manutd123 manunited manchesterunited acmilan1 galatasaray fenerbahce besiktas1 flamengo corinthians palmeiras vascodagama bocajuniors riverplate steelers
steelers1 packers1 cowboys1 dallascowboys redsox04 lakers24 raiders1 patriots patriots1 broncos1 dolphins dolphins1 panthers eagles123 victoria victoria1
veronica patricia patrick1 gabriel1 gabriela gabriella isabella isabelle francisco francesco francesca fernando fernanda giovanni guillermo rodrigo1 ricardo1
eduardo1 sebastian sebastian1 santiago valentina valentin carolina caroline catherine katherine kathleen kimberly kimberly1 danielle danielle1 madison1
brittany brittany1 courtney courtney1 justinbieber onedirection tyler123 taylorswift cameron1 hunter2hunter cupcake1 strawberry blueberry raspberry pineapple
bananas1 banana123 cheesecake ladybug1 dolphin1 elephant elephant1 monkeys1 golden123 moonlight moonlight1 starlight snowflake snowball snowman1 february
september september1 october1 thursday wednesday saturday birthday birthday1 christmas christmas1 halloween halloween1 valentine thanksgiving newyear1
holiday1 vacation blessed1 blessing jesuschrist jesuslovesme jesusislord godisgood godislove godbless1 godblessme godfather thankgod faithful hallelujah
amazinggrace angels12 angelito angelica angelina angelina1 heaven123 lucifer666 satan666 hellfire devil666 demon666 diablo123 darkness darkness1 darkangel
nightmare vampire1 vampires twilight twilight1 werewolf zombie123 killers1 assassin1 sniper123 soldier1 warrior1 warriors knight123 samurai1 ninja123
ninjaninja bulldog1 bulldogs pitbull1 cowboy123 trustnoone whocares anything something somebody someone1 nobody123 everyone everything idontknow dontknow1
iforgot1 forgetit forgotit cantremember remember remember1 rememberme hellohello helloworld helloworld1 hello1hello hithere1 hi123456 goodbye1 goodluck
goodmorning goodtimes happy123 happyday happydays happiness happyhappy smile123 smiley12 sweetie1 sweetheart sweetness sweetpea sweetpea1 sweety123 baby1234
babyblue babydoll babyface cutiepie cutiepie1 cuteness honey123 honeybee honeybunny sugar123 jellybean snickers skittles butterscotch marshmallow gangster
gangsta1 playgirl pornstar bigdaddy bigdaddy1 fuckfuck fuckface fuckthis motherfucker bullshit bullshit1 dickhead dumbass1 shithead shitface pussycat
sexsexsex sexy1234 sexygirl sexy6969 hotstuff hardcore hardcore1 liberty1 justice1 victory1 champion champion1 champions winner123 winners1 luckyone jackpot1
money123 moneymoney moneyman million1 millionaire dollars1 business business1 manager1 marketing finance1 accounting private1 passport mountain mountains
riverside sunflower sunflower1 hurricane lightning tornado1 volcano1 diamonds treasure treasure1 adventure explorer challenge creative beautiful beautiful1
gorgeous gorgeous1 handsome precious precious1 angelface fantastic wonderful excellent alabama1 arizona1 california california1 colorado colorado1 hawaii50
houston1 newyorkcity brooklyn brooklyn1 bostonma losangeles lasvegas sanfrancisco sandiego1 seattle1 texas123 virginia washington london123 paris123 scotland
scotland1 ireland1 australia australia1 canada123 america1 american americano argentina brazil123 germany1 deutschland frankfurt hamburg1 schalke04 borussia
bayern123 sommer123 hallohallo schatz123 schatzi1 liebling sonnenschein fussball fussball1 italia123 forzamilan napoli123 ciaociao doudou123 marseille
marseille13 loulou123 chouchou soleil123 espana123 estrella estrella1 mariposa corazon1 cuidado1 caramelo bienvenido bienvenue benvenuto contrasena1
minhasenha haslo123 polska123 qwerty1qwerty marina123 natasha1 nastya123 privet123 zhongguo woaini1314 woaini520 woaini123 5201314520 5201314a 1314520a
52013145 iloveyou520 caonima1 sakura123 anime123 onepiece dragonball dragonballz sasuke123 doraemon india123 bharat123 ganesha1 saibaba1 omsairam
omnamahshivaya sairam123 shivshiv pakistan pakistan1 muhammad mohammed mohamed1 muhammad1 allahuakbar allah123 indonesia indonesia1 sayangku sayang123
malaysia singapore thailand philippines pilipinas maganda1 mahalkita mahalko1 iloveyou14344 vietnam1 saigon123 blahblah blahblah1 blahblahblah blah1234
asdfjkl; asdfjkl123 mnbvcxz1 mnbvcxzlk 0p9o8i7u p0o9i8u7 zse45rdx vgy7bhu8 bgt5nhy6 nhy6bgt5 7ujm8ik, 1z2x3c4v z1x2c3v4 zaqxswcde !@#$%^&* !@#$%^&*(
!@#$%^&*() 1!2@3#4$ !1@2#3$4 qwerty!@# qwerty!@#$ admin!@# abc123!@# aa@123456 abc@1234 pass@word pass@word1 p@55w0rd p@55word pa$$w0rd1 passer123 pass12word
w3lcome1 welc0me1 l3tm31n! adm1n123 adm1n1strator r00tr00t r00tpass toor1234 mysql123 mongodb1 redis123 docker123 ubuntu123 debian123 centos123 linux123
raspberry1 raspberrypi vagrant1 jenkins1 tomcat123 apache123 cisco123 ciscocisco juniper1 netgear1 linksys1 ubntubnt helpdesk helpdesk1 customer starbucks
budweiser heineken heineken1 jackdaniels tequila1 whiskey1 marlboro marlboro1 newports cannabis marijuana mary1jane smokeweed smokeweed1 weed4200 weed420420
420420420 rasta420 bobmarley bobmarley1 reggae123 hiphop123 gothic666 surfing1 surfer12 baller23 nascar24 nascar88 dale3333 earnhardt3 jeffgordon peterpan
bigbang1 supernova superhero wonderwoman catwoman blackcat blackcat1 blackdog whitecat kittycat kittycat1 kitty123 kitkat12 doggie12 doggy123 puppies1
puppylove ilovemydog unicorns mermaid1 fairytale
`;
