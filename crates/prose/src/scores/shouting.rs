//! Shouting: words in capitals, exclamation marks, emoji; and what is an acronym and no shout.

use crate::words::{Kind, tokens};

/// How loud a text is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shouting {
    /// Words in capitals that are no acronyms.
    pub(crate) words: usize,
    /// Exclamation marks.
    pub(crate) exclamations: usize,
    /// Emoji.
    pub(crate) emoji: usize,
}

/// Counts what is loud in a text.
pub(crate) fn shouting(text: &str) -> Shouting {
    let mut found = Shouting::default();
    let all = text.chars().any(char::is_lowercase);
    for token in tokens(text) {
        let word = token.text(text);
        match token.kind {
            Kind::Word if is_capitals(word) && !(all && is_acronym(word)) => found.words += 1,
            Kind::Punctuation if word.contains(['!', '¡', '！']) => found.exclamations += 1,
            Kind::Punctuation if word.chars().any(is_emoji) => found.emoji += 1,
            _ => {}
        }
    }
    found
}

/// Whether a word of two letters or more is written in capitals only.
pub(crate) fn is_capitals(word: &str) -> bool {
    word.chars().filter(|letter| letter.is_uppercase()).count() >= 2 && !word.chars().any(char::is_lowercase)
}

/// Whether a word in capitals is an acronym: listed, short and no common word, without vowels, or with a digit.
pub(crate) fn is_acronym(word: &str) -> bool {
    let word = word.trim_end_matches("'S").trim_end_matches("’S");
    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
    let listed = |list: &str| list.split_ascii_whitespace().any(|known| known == word);
    if listed(SHOUTED) {
        return false;
    }
    let vowels = word.chars().any(|letter| "AEIOUÄÖÜÉÈÁÓÍÚØÅÆ".contains(letter));
    listed(ACRONYMS) || letters <= 4 || !vowels || word.chars().any(|letter| letter.is_ascii_digit())
}

/// Whether a character is a picture.
pub(crate) fn is_emoji(letter: char) -> bool {
    matches!(letter as u32, 0x1F000..=0x1FAFF | 0x2600..=0x27BF | 0x2B00..=0x2BFF | 0x2190..=0x21FF | 0xFE0F | 0x200D | 0x20E3)
}

/// Acronyms of more than four letters.
const ACRONYMS: &str = "NAACP NATO UNICEF UNESCO NASA OPEC FIFA UEFA ASEAN AIDS COVID LGBTQ LGBTQIA LGBT USMCA NAFTA \
    SCOTUS POTUS FLOTUS NORAD CITES INTERPOL EUROPOL ESPN HBO UNHCR UNRWA FEMA OSCE OECD BRICS MERCOSUR SARS MERS RADAR \
    NASDAQ NYSE DAX BAFTA EMMY NASCAR NCAA WADA USADA UKIP BREXIT AIPAC IKEA ADHD STEM MAGA ANTIFA WHO";

/// Short common words that are shouted and no acronyms.
const SHOUTED: &str = "THE AND NOT NO YES YOU YOUR ALL ANY ARE BUT CAN DID DO DOES FOR FROM GET GOT HAD HAS HAVE HE HER HERE HIS \
    HOW IF IN INTO IS ITS JUST LIKE LOOK MAKE MAN MEN ME MORE MOST MUST MY NEW NOW OF OFF ON ONE ONLY OUR OUT OVER SAY SAYS SEE \
    SHE SO SOME STOP TAKE THAN THAT THEM THEN THEY THIS TO TOO TWO UP VERY WAIT WANT WAS WAY WE WERE WHAT WHEN WHO WHY WILL \
    WITH WOW OMG LOL WTF FREE BEST EVER LIVE REAL TRUE HUGE SEXY DEAD DIED DIES KILL LIES LIED LIAR HATE LOVE EPIC FAIL WINS LOST \
    LOSE GONE GOES LAST NEXT EVEN BACK DOWN BIG BAD HOT TOP OLD WAR GOD HELL DAMN CRAP OWN NEED KNOW HELP FIND READ SHOW \
    BOMB FURY RAGE FEAR EVIL VILE SICK MAD WILD WEIRD WATCH EVERY NEVER THESE THOSE COULD WOULD SHOULD THEIR THERE WHERE \
    DER DIE DAS UND NIE NICHT KEIN KEINE JETZT SO WIE WAS WER NUR EIN EINE ALLE IST SIND LES DES UNE NON OUI TOUT LE LA UN \
    EL LOS LAS NO SI MUY ESTA ESTE QUE IL LO GLI NON PIÙ HET EEN NIET NU DIT DET IKKE NU ER MED OG";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loud_and_quiet() {
        let check = |text: &str, words: usize, exclamations: usize, emoji: usize| {
            assert_eq!(shouting(text), Shouting { words, exclamations, emoji }, "{text}");
        };
        check("", 0, 0, 0);
        check("The minister resigns", 0, 0, 0);
        check("NASA launches probe", 0, 0, 0);
        check("UNESCO and the EU meet the FBI", 0, 0, 0);
        check("This is SHOCKING", 1, 0, 0);
        check("You will NOT believe THIS", 2, 0, 0);
        check("DOG BITES MAN", 3, 0, 0);
        check("Stop!!!", 0, 3, 0);
        check("¡Increíble!", 0, 2, 0);
        check("Cute 😍😍", 0, 0, 2);
        check("A B C", 0, 0, 0);
        check("G20 leaders meet", 0, 0, 0);
        check("COVID-19 cases rise", 0, 0, 0);
        check("Das ist NICHT wahr", 1, 0, 0);
    }
}
