//! The demo's publishers and what they write. All of them are invented, as is everything that they report.
//!
//! A post with a negative age is published while one looks.

/// Somebody who publishes.
pub(crate) struct Publisher {
    /// The first part of its addresses.
    pub(super) path: &'static str,
    /// The host that its past is told of.
    pub(super) host: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) language: &'static str,
    /// Where the reader files it.
    pub(super) category: &'static str,
    pub(super) format: Format,
    pub(super) manner: Manner,
    /// What it asks visitors to wait.
    pub(super) ttl_minutes: Option<u32>,
    pub(super) posts: &'static [Post],
}

/// How it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Rss,
    Atom,
    Json,
}

impl Format {
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Rss => "application/rss+xml",
            Self::Atom => "application/atom+xml",
            Self::Json => "application/feed+json",
        }
    }
}

/// How it behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// As one would wish.
    Steady,
    /// It publishes every few seconds.
    Restless { seconds: i64 },
    /// It says that we come too often.
    Busy,
    /// It shows a page instead of its feed.
    Broken,
    /// It was at another address before.
    Moved { from: &'static str },
}

/// What it wrote.
pub(super) struct Post {
    pub(super) slug: &'static str,
    pub(super) title: &'static str,
    pub(super) author: &'static str,
    pub(super) minutes_ago: i64,
    pub(super) body: &'static str,
    /// Whether one can listen to it.
    pub(super) sound: bool,
    /// Whether it has comments.
    pub(super) comments: bool,
}

impl Publisher {
    /// The name of its feed.
    pub(super) fn file(&self) -> &'static str {
        match self.format {
            Format::Rss => "feed.xml",
            Format::Atom => "atom.xml",
            Format::Json => "feed.json",
        }
    }
}

const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;

const fn post(
    slug: &'static str,
    title: &'static str,
    author: &'static str,
    minutes_ago: i64,
    body: &'static str,
) -> Post {
    Post { slug, title, author, minutes_ago, body, sound: false, comments: false }
}

const fn episode(slug: &'static str, title: &'static str, minutes_ago: i64, body: &'static str) -> Post {
    Post { sound: true, ..post(slug, title, "Ines Calder", minutes_ago, body) }
}

#[expect(clippy::needless_pass_by_value, reason = "it is made where it is passed")]
const fn discussed(post: Post) -> Post {
    Post { comments: true, ..post }
}

pub(super) const PUBLISHERS: &[Publisher] = &[
    Publisher {
        path: "klaxon",
        host: "klaxon.example",
        title: "The Daily Klaxon",
        about: "The news of the bay, louder than necessary.",
        language: "en",
        category: "News",
        format: Format::Rss,
        manner: Manner::Steady,
        ttl_minutes: None,
        posts: KLAXON,
    },
    Publisher {
        path: "quay",
        host: "quay.example",
        title: "Quayside Ticker",
        about: "Ships as they come and go.",
        language: "en",
        category: "News",
        format: Format::Rss,
        manner: Manner::Restless { seconds: 7 },
        ttl_minutes: None,
        posts: &[],
    },
    Publisher {
        path: "northbank",
        host: "northbank.example",
        title: "Northbank Council Notices",
        about: "Decisions, closures and other notices.",
        language: "en",
        category: "News",
        format: Format::Rss,
        manner: Manner::Steady,
        ttl_minutes: Some(30),
        posts: NORTHBANK,
    },
    Publisher {
        path: "lamp",
        host: "harbourlamp.example",
        title: "Harbour Lamp",
        about: "Long essays about slow things.",
        language: "en",
        category: "Essays",
        format: Format::Atom,
        manner: Manner::Steady,
        ttl_minutes: None,
        posts: LAMP,
    },
    Publisher {
        path: "lantern",
        host: "lantern.example",
        title: "The Paper Lantern",
        about: "Notes on reading, moved to a new house.",
        language: "en",
        category: "Essays",
        format: Format::Rss,
        manner: Manner::Moved { from: "old-lantern" },
        ttl_minutes: None,
        posts: LANTERN,
    },
    Publisher {
        path: "bread",
        host: "fieldbread.example",
        title: "Field Notes on Bread",
        about: "One loaf a week, with its mistakes.",
        language: "en",
        category: "Home",
        format: Format::Json,
        manner: Manner::Steady,
        ttl_minutes: None,
        posts: BREAD,
    },
    Publisher {
        path: "signal",
        host: "slowsignal.example",
        title: "Slow Signal",
        about: "A podcast for long walks.",
        language: "en",
        category: "Listen and look",
        format: Format::Rss,
        manner: Manner::Steady,
        ttl_minutes: None,
        posts: SIGNAL,
    },
    Publisher {
        path: "moth",
        host: "mugandmoth.example",
        title: "Mug & Moth",
        about: "A comic in words, for screens without pictures.",
        language: "en",
        category: "Listen and look",
        format: Format::Rss,
        manner: Manner::Steady,
        ttl_minutes: None,
        posts: MOTH,
    },
    Publisher {
        path: "tidepool",
        host: "tidepool.example",
        title: "tidepool releases",
        about: "Releases of tidepool, a small queue.",
        language: "en",
        category: "Software",
        format: Format::Atom,
        manner: Manner::Steady,
        ttl_minutes: None,
        posts: TIDEPOOL,
    },
    Publisher {
        path: "minato",
        host: "minato.example",
        title: "みなと通信",
        about: "港町の小さなニュース。",
        language: "ja",
        category: "World",
        format: Format::Rss,
        manner: Manner::Steady,
        ttl_minutes: None,
        posts: MINATO,
    },
    Publisher {
        path: "mirat",
        host: "mirat.example",
        title: "مرآة الميناء",
        about: "أخبار المدينة والبحر.",
        language: "ar",
        category: "World",
        format: Format::Rss,
        manner: Manner::Steady,
        ttl_minutes: None,
        posts: MIRAT,
    },
    Publisher {
        path: "vane",
        host: "weathervane.example",
        title: "Old Weather Vane",
        about: "A feed that broke.",
        language: "en",
        category: "World",
        format: Format::Rss,
        manner: Manner::Broken,
        ttl_minutes: None,
        posts: &[],
    },
    Publisher {
        path: "overrun",
        host: "overrun.example",
        title: "Overrun Observer",
        about: "A server that wants to be left alone.",
        language: "en",
        category: "World",
        format: Format::Rss,
        manner: Manner::Busy,
        ttl_minutes: None,
        posts: &[],
    },
];

const KLAXON: &[Post] = &[
    discussed(post(
        "bridge",
        "You Won't BELIEVE What the Council Just Did to the Old Bridge!!!",
        "Rex Hollander",
        25,
        "<p>The council of Northbank decided on Tuesday to close the Old Bridge to cars for eleven days in March. Engineers \
         will replace two of its six bearings. Pedestrians and bicycles can cross during the work.</p><p>The closure costs \
         the town 240,000 crowns, which is what the budget of last year set aside for it. Buses of line 4 take the Mill \
         Bridge and are about nine minutes slower.</p><p>\u{201c}The bearings are from 1962,\u{201d} said the town engineer, \
         Mara Quist. \u{201c}They have done well.\u{201d}</p>",
    )),
    post(
        "bakery",
        "SHOCKING: This One Ingredient Is Secretly Hiding in Your Bread",
        "Rex Hollander",
        3 * HOUR,
        "<p>The ingredient is salt. A test of forty loaves from bakeries around the bay found between 1.1 and 1.9 grams of \
         salt in every hundred grams of bread. The health office recommends at most 1.5 grams.</p><p>Nine of the forty loaves \
         were above that. The office has written to the bakeries and will test again in autumn.</p>",
    ),
    discussed(post(
        "storm",
        "TERRIFYING Monster Storm Races Toward the Coast \u{2014} Are You Ready to DIE?",
        "Petra Voss",
        7 * HOUR,
        "<p>The weather service expects wind of force 8 on Thursday night, with gusts of force 9 on the outer piers. The \
         ferry to Sel Island does not run between six in the evening and five in the morning.</p><p>Storms of this strength \
         reach the bay about four times a year. The service advises to bring in what stands on balconies.</p>",
    )),
    post(
        "library",
        "Experts STUNNED as Tiny Library Destroys Every Record",
        "Petra Voss",
        26 * HOUR,
        "<p>The branch library at Fish Market lent 61,204 books last year, more than in any year since it opened in 1988. \
         The librarian, Olu Brand, gives two reasons: longer hours on Saturdays, and a shelf of books that readers may keep \
         for as long as nobody else asks for them.</p>",
    ),
    post(
        "whale",
        "Why Is Nobody Talking About the Whale in the Harbour?",
        "Rex Hollander",
        2 * DAY,
        "<p>Nobody is talking about it because there was none. The shape that several people photographed on Sunday was the \
         hull of a fishing boat that is being towed for repair. It left the harbour on Monday.</p>",
    ),
    post(
        "tram",
        "The Brutal Truth About the New Tram That They Don't Want You to Know",
        "Petra Voss",
        4 * DAY,
        "<p>The new tram line carries 18,300 passengers on a working day; 17,000 had been forecast. Its trams were on time \
         in 91 percent of all departures, against 94 percent in the contract. The operator pays a penalty of 12,000 crowns \
         for the first quarter.</p>",
    ),
    post(
        "garden",
        "This Grandmother's Garden Trick Will Leave You SPEECHLESS",
        "Rex Hollander",
        6 * DAY,
        "<p>Ilse Marten, 81, waters her tomatoes in the morning and not in the evening. Slugs are out at night and look for \
         wet soil. She has counted them for three summers: eleven a night after an evening's watering, four otherwise.</p>",
    ),
    post(
        "lighthouse",
        "BREAKING: Chaos at the Lighthouse as Lamp Goes DARK",
        "Petra Voss",
        -2,
        "<p>The lamp of the lighthouse was off for fourteen minutes this morning while a fuse was replaced. Ships had been \
         told the day before.</p>",
    ),
    post(
        "market",
        "Fish Prices EXPLODE \u{2014} Here's What Happens Next",
        "Rex Hollander",
        -5,
        "<p>Mackerel costs 6 percent more than a month ago. The cooperative expects the price to fall when the boats from \
         the north return at the end of the week.</p>",
    ),
];

const NORTHBANK: &[Post] = &[
    post(
        "bearings",
        "Closure of the Old Bridge from 9 to 19 March",
        "Town office",
        2 * HOUR,
        "<p>The Old Bridge is closed to motor vehicles from 9 to 19 March. Bearings 2 and 5 are replaced. Line 4 takes the \
         Mill Bridge.</p>",
    ),
    post(
        "trees",
        "Forty lime trees for Station Road",
        "Town office",
        3 * DAY,
        "<p>The trees that were lost in the storm of November are replaced by forty small-leaved limes. Planting begins in \
         the second week of March.</p>",
    ),
    post(
        "water",
        "Reading of water meters",
        "Town office",
        9 * DAY,
        "<p>Meters in the districts of Mill and Fish Market are read from 2 to 6 March. Readings can also be sent by \
         post.</p>",
    ),
];

const LAMP: &[Post] = &[
    post(
        "patience",
        "On the patience of tide tables",
        "Wilhelmine Aske",
        5 * HOUR,
        "<p>A tide table is a promise printed a year ahead. It says that on a certain morning in November, at 6:42, the \
         water will stand two metres and ten centimetres above the datum, and on that morning somebody will walk down to \
         the slip and find it so, give or take the width of a hand. We are so used to forecasts that fail that we hardly \
         notice this one, which does not.</p><h2>What is known in advance</h2><p>The reason is that the sea, for all its \
         noise, is mostly obedient. The moon pulls, the sun pulls, the basin of the bay answers with the delay that its \
         shape gives it. In 1867 somebody thought of describing the whole affair as a sum of waves, each with its own \
         period: twelve hours and twenty-five minutes, twelve hours, twenty-five hours and forty-nine minutes, and so on, \
         down to small ones that matter only in some estuaries. Thirty-seven of them are enough for this harbour. They were \
         measured once, over nineteen years, and they have not changed since.</p><p>What was hard was adding them. For \
         every hour of the year somebody had to find thirty-seven cosines, multiply each by its height, and write down the \
         sum; eight thousand seven hundred and sixty times. It was done by hand in the winters of several lives. Then came \
         the machines of brass, in which each wave was a wheel, and a single wire ran over and under all the wheels and \
         moved a pen. To make the tables of a year took a man and a boy two days, one cranking and one \
         watching.</p><h2>What is not</h2><p>The sea disobeys when the wind blows. A gale from the west piles the water \
         into the bay, and the table is wrong by half a metre, always in the same direction, always for the same reason. \
         The printers know it. At the foot of every page they have set, in small type, the sentence that I like best in \
         the whole book: <em>Heights are for average weather.</em></p><p>I think of that sentence when people ask for \
         certainty. There is a kind of knowledge that is patient: it was measured for nineteen years before it said \
         anything, it says exactly what it knows, and in small type it says what it does not. It is not exciting. One can \
         put a boat on it.</p><blockquote><p>Heights are for average weather.</p></blockquote><p>My copy is the one of \
         1974. The margins are full of the pencil of somebody who went out every day and wrote the difference beside the \
         forecast: plus four, minus seven, plus two. On the last page he added them up. The sum is plus three centimetres, \
         over a year.</p>",
    ),
    post(
        "repair",
        "The chair with three owners",
        "Wilhelmine Aske",
        5 * DAY,
        "<p>The chair in my kitchen was mended by three people who never met. The first was its maker, who noticed that the \
         beech of one leg had a knot where the rung would go, and turned the leg around so that the knot came to the back. \
         Nobody would have seen it. It is the only leg that never broke.</p><p>The second was my neighbour's grandfather. He \
         glued the left arm and bound it with cord until the glue had set, and then, it seems, he liked the look of the \
         cord and left it. For fifty years everybody has put a hand there. The cord is as smooth as the wood.</p><p>The \
         third was a woman who repaired chairs for a living, in a town that no longer has anybody who does. She took the \
         seat apart, kept two of its five boards, and made the other three of ash, which is wrong for this chair and will \
         outlast it. On the underside she wrote the date and the price: eleven crowns. I have looked it up. It was what she \
         would have earned in half a day; the work must have taken her two.</p><h2>Why one mends</h2><p>It would be easy to \
         say that they did it to save money, and the grandfather probably did. But the maker could have thrown the leg on \
         the heap, where beech was cheap, and the woman could have used nails. I have come to believe that repairing is a \
         form of attention. One cannot glue what one has not looked at. When the joint opens one learns how it was closed, \
         and by whom, and in which year glue was made of what.</p><p>I am the fourth. Last winter the rung came loose that \
         the maker had been careful about. I did what one does: took it out, cleaned the old glue from the hole with a \
         knife, cut a shaving of beech as thin as paper to make it tight again. It took an evening. I wrote the date on the \
         underside, below hers. I did not know what to write as the price.</p>",
    ),
    post(
        "footpaths",
        "Who decides where a path goes?",
        "Jonas Ferrant",
        12 * DAY,
        "<p>Behind the school a line of bare earth crosses the lawn. It leaves the pavement four steps before the corner, \
         where the gardeners intended everybody to turn, and meets it again eleven steps after. The gardeners have sown \
         grass on it in three springs. In the fourth they paved it.</p><p>Planners have a name for such lines, <em>desire \
         paths</em>, and for a while it was the fashion to build campuses without any walks at all, wait for a winter of \
         footprints, and then pour the concrete. It is a pretty story, and where it was done it worked, more or less. But \
         it answers only the question of where most people want to go. It does not ask about those who cannot walk over \
         grass.</p><p>The oldest path that I know goes from the quarry to the church, and it is not straight. It makes a \
         wide bow around a field that has not been a field for two hundred years. Somebody's right of way, lost in every \
         other respect, is still being respected by dogs and joggers. Nobody who walks there decided it. One could say \
         that the path did.</p><p>I used to think that a path is a record of many small decisions, averaged. Now I think it \
         is the other way about: that it makes them. A line in the grass says to whoever comes next, <em>here somebody got \
         through</em>. That is not a wish. It is information, and of all signs it is the one that we trust most.</p>",
    ),
    post(
        "silence",
        "A short history of the pause",
        "Jonas Ferrant",
        21 * DAY,
        "<p>Before there was a sign for silence, musicians had to be told to stop, each in his own part, by a word. The rest \
         as we write it, a small black block that hangs from the fourth line or sits on the third, is hardly older than the \
         mechanical clock, and I do not think that this is chance. To write a pause one must believe that time goes on \
         without us.</p><p>Readers will know the other kind, which is not written. A good speaker waits before the word that \
         matters; a poor one waits after it. On the radio of my childhood there was a man who read the shipping forecast \
         with a pause of exactly one breath between two areas. When he retired they replaced him with a younger voice, which \
         was clearer and better paid, and forty captains wrote to complain that they could no longer take it \
         down.</p><p>A pause is where the listener works.</p>",
    ),
];

const LANTERN: &[Post] = &[
    post(
        "house",
        "We have moved",
        "Tove Lind",
        DAY,
        "<p>The Paper Lantern has a new address. Feed readers that understand a permanent redirect will have noticed before \
         you did.</p>",
    ),
    post(
        "margins",
        "In praise of wide margins",
        "Tove Lind",
        8 * DAY,
        "<p>A page needs room for a thumb, for a pencil, and for second thoughts. Fifty-six characters to the line; never \
         more than seventy.</p>",
    ),
    post(
        "aloud",
        "Books that should be read aloud, and to whom",
        "Tove Lind",
        15 * DAY,
        "<p>To children: anything with a list in it. To the ill: the weather of other countries. To somebody who cooks: \
         letters.</p>",
    ),
];

const BREAD: &[Post] = &[
    post(
        "rye",
        "Loaf 31: rye, and what the cellar taught me",
        "Per Olander",
        9 * HOUR,
        "<p>Eighteen degrees in the cellar, fourteen hours. The crumb is close and a little sour. Next time ten hours, or two \
         degrees less.</p><ul><li>500 g rye flour</li><li>430 g water</li><li>10 g salt</li><li>150 g sour dough</li></ul>",
    ),
    post(
        "flat",
        "Loaf 30: flat, and why",
        "Per Olander",
        7 * DAY,
        "<p>It rose, and then it fell, because I answered the telephone. Dough does not wait. I write this so that I \
         remember.</p>",
    ),
    post(
        "barley",
        "Loaf 29: one third barley",
        "Per Olander",
        14 * DAY,
        "<p>Barley has hardly any gluten, so that a third is the limit. It tastes of hay and of August.</p>",
    ),
];

const SIGNAL: &[Post] = &[
    episode(
        "foghorn",
        "Episode 14: The last man who tuned foghorns",
        11 * HOUR,
        "<p>For forty years Anselm Pryde kept the horns of the coast in tune, a minor third apart, so that captains could \
         tell them from each other. He retired in spring. We walked to the end of the pier with him.</p>",
    ),
    episode(
        "postbag",
        "Episode 13: What is in the postbag to Sel Island",
        8 * DAY,
        "<p>Three kilos of letters a week, one of them addressed to a cat. With the boatwoman who carries it.</p>",
    ),
    episode(
        "bells",
        "Episode 12: Bells that ring by themselves",
        15 * DAY,
        "<p>Buoys have no clock and no keeper. How the sea rings its own bells, and who listens.</p>",
    ),
];

const MOTH: &[Post] = &[
    discussed(post(
        "lamp",
        "#212: Lamp",
        "Noor",
        6 * HOUR,
        "<p><strong>Moth:</strong> I have read about the lamp.<br><strong>Mug:</strong> And?<br><strong>Moth:</strong> The \
         book was closed for health reasons.</p>",
    )),
    post(
        "monday",
        "#211: Monday",
        "Noor",
        3 * DAY,
        "<p><strong>Mug:</strong> I am half empty.<br><strong>Moth:</strong> You are at home. That is different.</p>",
    ),
    post(
        "winter",
        "#210: Winter",
        "Noor",
        6 * DAY,
        "<p><strong>Moth:</strong> Where does the light go?<br><strong>Mug:</strong> Into the next room.<br>\
         <strong>Moth:</strong> And then?<br><strong>Mug:</strong> Then somebody reads.</p>",
    ),
];

const TIDEPOOL: &[Post] = &[
    post(
        "v2-4-0",
        "tidepool 2.4.0",
        "tidepool",
        14 * HOUR,
        "<h3>New</h3><ul><li>A consumer may ask for messages from a moment on.</li><li><code>tidepool inspect --lag</code> \
         says how far each consumer is behind.</li></ul><h3>Fixed</h3><ul><li>A segment that was cut off in its header is \
         skipped and reported, and no longer read again and again.</li></ul><pre><code>$ tidepool inspect --lag\n\
         orders   2 s\nmails   41 s</code></pre>",
    ),
    post(
        "v2-3-2",
        "tidepool 2.3.2",
        "tidepool",
        9 * DAY,
        "<p>Only repairs: a leak of file handles when a consumer is gone for more than an hour (#418), and the man page of \
         <code>tidepool trim</code>.</p>",
    ),
    post(
        "v2-3-1",
        "tidepool 2.3.1",
        "tidepool",
        17 * DAY,
        "<p>Security: a topic whose name ends with a dot could be read by everybody who may read the topic without it. \
         Update soon.</p>",
    ),
];

const MINATO: &[Post] = &[
    post(
        "ferry",
        "島行きの始発便、四月から十五分早く",
        "港 花子",
        4 * HOUR,
        "<p>市は、島へ向かう始発便の出航時刻を四月一日から午前六時十五分に変更すると発表した。通学する生徒が一時間目に間に合うようにするためで、\
         運賃は変わらない。</p>",
    ),
    post(
        "market",
        "朝市に百二十の店、三年ぶりの人出",
        "浜 太郎",
        2 * DAY,
        "<p>日曜日の朝市には百二十の店が並び、主催者によるとおよそ八千人が訪れた。焼きたてのパンと干物の店には長い列ができた。</p>",
    ),
    post(
        "lighthouse",
        "灯台の一般公開は土曜日",
        "港 花子",
        5 * DAY,
        "<p>灯台の内部が土曜日の午前十時から午後三時まで公開される。階段は百四段。雨の場合は翌週に延期される。</p>",
    ),
];

const MIRAT: &[Post] = &[
    post(
        "bridge",
        "إغلاق الجسر القديم أمام السيارات أحد عشر يومًا في مارس",
        "ليلى البحري",
        3 * HOUR,
        "<p>قرر المجلس البلدي إغلاق الجسر القديم أمام السيارات من التاسع إلى التاسع عشر من مارس لاستبدال اثنين من المساند. \
         ويبقى الجسر مفتوحًا للمشاة والدراجات.</p>",
    ),
    post(
        "library",
        "مكتبة سوق السمك تُعير أكثر من ستين ألف كتاب",
        "سامي النجار",
        28 * HOUR,
        "<p>أعارت المكتبة 61204 كتب خلال العام الماضي، وهو أعلى رقم منذ افتتاحها عام 1988. وتعزو أمينة المكتبة ذلك إلى تمديد \
         ساعات العمل يوم السبت.</p>",
    ),
    post(
        "storm",
        "رياح قوية متوقعة مساء الخميس",
        "ليلى البحري",
        4 * DAY,
        "<p>تتوقع الأرصاد رياحًا بقوة ثماني درجات مساء الخميس، وتتوقف العبّارة من السادسة مساءً حتى الخامسة صباحًا.</p>",
    ),
];
