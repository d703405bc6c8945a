//! The features of a headline that the clickbait model has weights for: hashed word and character n-grams, and style.
//!
//! The splitting into words is the model's own and frozen with its weights: a change here asks for a new training
//! (`cargo xtask train-clickbait`). Only the beginning of a very long title is looked at.

/// How many buckets the n-grams of one kind are hashed into.
pub const BUCKETS: usize = 1 << 16;

/// How many style features there are.
pub const STYLES: usize = 28;

/// Titles are read up to this many characters.
const LONGEST: usize = 400;

/// What the model sees of a headline.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// The buckets of the word n-grams, sorted, each once, with the words themselves.
    pub words: Vec<(u16, String)>,
    /// The buckets of the character n-grams, sorted, each once.
    pub characters: Vec<u16>,
    /// The style, each about 0 to 1.
    pub style: [f32; STYLES],
}

/// What the style features mean, in the order of [`Features::style`]; empty where a person has no use for it.
pub const STYLE_NAMES: [&str; STYLES] = [
    "",
    "capitals at the start of most words",
    "words in capitals",
    "numbers",
    "a question mark",
    "an exclamation mark",
    "a quotation",
    "dots that leave the end open",
    "a colon",
    "",
    "a number at the start",
    "",
    "a question at the end",
    "a hashtag",
    "",
    "",
    "very few words",
    "few words",
    "",
    "an emoji",
    "",
    "the reader is addressed",
    "pointing words (this, here, why)",
    "",
    "superlatives",
    "no name",
    "the writer speaks of himself",
    "strong feelings",
];

/// The features of a headline.
pub fn features(title: &str) -> Features {
    let title: String = title.chars().take(LONGEST).map(|letter| if letter == '’' { '\'' } else { letter }).collect();
    let tokens = tokens(&title);
    let mut grams: Vec<(u16, String)> = Vec::new();
    let lower: Vec<String> = tokens.iter().map(|token| folded(token)).collect();
    let mut line = vec!["^"];
    line.extend(lower.iter().map(String::as_str));
    line.push("$");
    for size in 1..=3 {
        for window in line.windows(size) {
            if window == ["^"] || window == ["$"] {
                continue;
            }
            let gram = window.join(" ");
            grams.push((bucket(b'w', gram.as_bytes()), gram));
        }
    }
    grams.sort();
    grams.dedup_by_key(|gram| gram.0);
    let mut characters = Vec::new();
    for word in &lower {
        let padded: Vec<char> = std::iter::once(' ').chain(word.chars()).chain(std::iter::once(' ')).collect();
        for size in 3..=5 {
            for window in padded.windows(size) {
                let gram: String = window.iter().collect();
                characters.push(bucket(b'c', gram.as_bytes()));
            }
        }
    }
    characters.sort_unstable();
    characters.dedup();
    Features { words: grams, characters, style: style(&title, &tokens, &lower) }
}

/// Words (with their apostrophes) and runs of the punctuation that says something.
fn tokens(title: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = title;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() {
            word_length(rest)
        } else if is_telling(first) {
            rest.find(|letter| letter != first).unwrap_or(rest.len())
        } else {
            rest = &rest[first.len_utf8()..];
            continue;
        };
        found.push(&rest[..length]);
        rest = &rest[length..];
    }
    found
}

fn is_telling(letter: char) -> bool {
    matches!(letter, '?' | '!' | '.' | '…' | ':' | '"' | '“' | '#' | '@' | '$' | '%')
}

fn word_length(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let inside = letter == '\'' && letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !letter.is_alphanumeric() && !inside {
            return at;
        }
    }
    text.len()
}

/// Lower case, with every run of digits as one `0`.
fn folded(token: &str) -> String {
    let mut folded = String::with_capacity(token.len());
    for letter in token.chars() {
        if letter.is_ascii_digit() {
            if !folded.ends_with('0') {
                folded.push('0');
            }
        } else {
            folded.extend(letter.to_lowercase());
        }
    }
    folded
}

/// FNV-1a, folded to 16 bits.
fn bucket(kind: u8, bytes: &[u8]) -> u16 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in std::iter::once(&kind).chain(bytes) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    ((hash ^ (hash >> 29)) >> 16) as u16
}

const READER: &str = "you your you're you'll you've you'd yours yourself";
const POINTING: &str = "this these here here's that why how what who when which";
const SUPERLATIVES: &str = "best worst most least ever only every everyone never always";
const WRITER: &str = "i i'm i've my me we we're our us";
const FEELINGS: &str = "amazing awesome incredible insane crazy shocking hilarious adorable perfect epic stunning heartbreaking \
    weird love hate totally really literally actually genius gorgeous brilliant beautiful cute creepy terrifying \
    unbelievable surprising secret things reasons ways tips guess";

fn style(title: &str, tokens: &[&str], lower: &[String]) -> [f32; STYLES] {
    let is_word = |token: &&&str| token.starts_with(char::is_alphanumeric);
    let words: Vec<&str> = tokens.iter().filter(is_word).copied().collect();
    let count = words.len().max(1) as f32;
    let share = |test: &dyn Fn(&str) -> bool| words.iter().filter(|word| test(word)).count() as f32 / count;
    let listed = |list: &str| {
        let is_in = |word: &&String| list.split(' ').any(|listed| listed == word.as_str());
        lower.iter().filter(is_in).count() as f32 / count
    };
    let flag = |yes: bool| f32::from(u8::from(yes));
    let capitals = share(&|word| word.starts_with(char::is_uppercase));
    let shouting = share(&|word| word.len() > 1 && word.chars().all(|letter| !letter.is_lowercase()));
    let numbers = words.iter().filter(|word| word.starts_with(|letter: char| letter.is_ascii_digit())).count() as f32;
    let letters = words.iter().map(|word| word.chars().count()).sum::<usize>() as f32;
    let named = words.iter().skip(1).any(|word| word.starts_with(char::is_uppercase));
    let end = title.trim_end();
    [
        count.min(30.0) / 30.0,
        capitals,
        shouting,
        numbers.min(4.0) / 4.0,
        flag(title.contains('?')),
        flag(title.contains('!')),
        flag(title.contains(['"', '“', '‘'])),
        flag(title.contains("...") || title.contains('…')),
        flag(title.contains(':')),
        (letters / count / 10.0).min(2.0),
        flag(words.first().is_some_and(|word| word.starts_with(|letter: char| letter.is_ascii_digit()))),
        flag(end.ends_with('.')),
        flag(end.ends_with('?')),
        flag(title.contains('#')),
        flag(title.contains('@')),
        flag(title.starts_with(char::is_lowercase)),
        flag(count < 5.0),
        flag(count < 8.0),
        flag(count > 16.0),
        flag(title.chars().any(is_emoji)),
        flag(capitals > 0.8),
        listed(READER) * 3.0,
        listed(POINTING) * 3.0,
        (title.chars().count() as f32 / 140.0).min(2.0),
        listed(SUPERLATIVES) * 3.0,
        flag(!named),
        listed(WRITER) * 3.0,
        listed(FEELINGS) * 3.0,
    ]
}

fn is_emoji(letter: char) -> bool {
    matches!(letter as u32, 0x1F300..=0x1FAFF | 0x2600..=0x27BF)
}
